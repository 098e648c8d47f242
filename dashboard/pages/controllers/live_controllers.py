"""The view of the controllers that workers run.

Templates see it as ``view``. Fragments that frames replace whole, each the root element of its template:
``#controllers-head-<view.id>`` (controllers/_head.html), ``#controllers-<view.id>`` (controllers/_list.html), and
where only some of its cards have changed, ``#controller-<card.id>-<view.id>`` (controllers/_card.html).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from dashboard.controllers.board import Board, Heard
from dashboard.controllers.cards import Card, Moment, card_of, moment
from dashboard.controllers.messages import History, Report
from dashboard.controllers.registry import KNOWN, Known
from dashboard.live.change import Change
from dashboard.live.fragments import Fragment, Fragments
from dashboard.live.histogram import rate_words
from dashboard.live.lines import partial
from dashboard.live.messages import Tone
from dashboard.live.renderer import Renderer
from dashboard.live.view import View
from dashboard.resources.kinds import KindInfo

CONTROLLERS = "controllers"
"""Stands among the kinds' keys for the stream of the workers' reports: a page that shows it is live when that is."""

Stage = Literal["waiting", "none", "starting", "running"]


@dataclass(frozen=True, slots=True)
class WorkerLine:
    """A worker that could run controllers."""

    identity: str
    role: str
    """What it does, in words."""
    tone: Tone
    since: Moment | None
    """Since when it leads."""
    lease: str
    heard: Moment | None
    """When it was heard last; None while it is heard."""


class ControllersView(View):
    """What `view` is in controllers/page.html, _head.html, _list.html and _card.html.

    id, seq · stage: waiting (for the worker's first word), none (no controller is asked for), starting or running ·
    cards: tuple[Card, ...] · workers: tuple[WorkerLine, ...], the one that is shown first · problems: tuple[str, ...],
    sentences · wanted: what DELTABOARD_CONTROLLERS names · known: tuple[Known, ...] · rate: of all together, in words.
    """

    template: ClassVar[str] = CONTROLLERS
    interval: ClassVar[float] = 0.2

    def __init__(self, board: Board, kinds: tuple[KindInfo, ...]) -> None:
        super().__init__("", keys=(CONTROLLERS,), clock=board.clock)
        self._board = board
        self._kinds = kinds
        self._fragments = Fragments()
        self._listed: tuple[str, ...] = ()
        """What the list that was sent last consists of."""

    # --- what templates see ---

    @property
    def stage(self) -> Stage:
        main = self._board.main
        if main is None:
            return "waiting"
        if not main.report.wanted:
            return "none"
        return "running" if main.report.manager.controllers else "starting"

    @property
    def cards(self) -> tuple[Card, ...]:
        main = self._board.main
        if main is None:
            return ()
        report = main.report
        return tuple(
            card_of(state, report.history.get(state.name, NO_HISTORY), report.sent, self._kinds)
            for state in report.manager.controllers
        )

    @property
    def workers(self) -> tuple[WorkerLine, ...]:
        heard = self._board.workers
        return tuple(map(_worker_line, heard)) if self.wanted else ()

    @property
    def problems(self) -> tuple[str, ...]:
        main = self._board.main
        return problems_of(main.report) if main is not None else ()

    @property
    def wanted(self) -> tuple[str, ...]:
        main = self._board.main
        return main.report.wanted if main is not None else ()

    @property
    def known(self) -> tuple[Known, ...]:
        return tuple(KNOWN.values())

    @property
    def rate(self) -> str:
        main = self._board.main
        histories = main.report.history.values() if main is not None else ()
        return rate_words(sum(history.rate for history in histories)) or "0"

    # --- time and change ---

    def apply(self, key: str, change: Change) -> None:
        """No kind's change shows here."""

    def next_due(self) -> float | None:
        """Always: a worker falls silent by time alone."""
        return 0.0

    def pass_time(self, now: float) -> None:  # noqa: ARG002 -- see next_due
        self.dirty = True

    # --- rendering ---

    def render_window(self, render: Renderer) -> str:
        return "".join(partial(*fragment) for fragment in (self._head(render), self._list(render)))

    def _render_update(self, render: Renderer) -> str:
        listed = (self.stage, *(card.id for card in self.cards))
        cards = self._fragments.changed(self._card(render, card) for card in self.cards)
        head = self._fragments.changed([self._head(render)])
        if self._listed == listed and len(listed) > 1:
            return head + cards
        self._listed = listed
        return head + self._fragments.changed([self._list(render)])

    def _forget_update(self) -> None:
        self._fragments.forget()
        self._listed = ()

    def _head(self, render: Renderer) -> Fragment:
        return f"#controllers-head-{self.id}", "outerMorph", render("controllers/_head.html", self.context())

    def _list(self, render: Renderer) -> Fragment:
        return f"#controllers-{self.id}", "outerMorph", render("controllers/_list.html", self.context())

    def _card(self, render: Renderer, card: Card) -> Fragment:
        html = render("controllers/_card.html", {**self.context(), "card": card})
        return f"#controller-{card.id}-{self.id}", "outerMorph", html


NO_HISTORY = History(0, 1, (), (), ())


def problems_of(report: Report) -> tuple[str, ...]:
    """What keeps a worker's controllers from their work, but for what each says itself."""
    manager = report.manager
    said = [report.problem]
    if manager.problem:
        said.append(f"The lease {manager.lease} cannot be had: {manager.problem}")
    if manager.events.problem:
        said.append(f"Events could not be written: {manager.events.problem}")
    named = {controller.name for controller in manager.controllers}
    said += [f"{run.name}: {run.problem}" for run in manager.runnables if run.problem and run.name not in named]
    return tuple(dict.fromkeys(filter(None, said)))


def _worker_line(heard: Heard) -> WorkerLine:
    manager = heard.report.manager
    role: str
    tone: Tone
    if heard.silent:
        role, tone = "not heard any more", "bad"
    elif not manager.leads and manager.leader == manager.identity:
        role, tone = "is about to lead", "busy"
    elif not manager.leads:
        role, tone = ("stands by" if manager.lease else "does not run them yet"), "idle"
    else:
        role, tone = ("leads" if manager.lease else "runs them, without an election"), "ok"
    return WorkerLine(
        identity=manager.identity,
        role=role,
        tone=tone,
        since=moment(manager.since) if manager.leads and not heard.silent else None,
        lease=manager.lease,
        heard=moment(heard.time) if heard.silent else None,
    )
