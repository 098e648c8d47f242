"""View of the controllers that workers run.

Templates see it as ``view``. Fragments that frames replace whole, each the root element of its template:
``#controllers-head-<view.id>`` (controllers/_head.html), ``#controllers-<view.id>`` (controllers/_list.html), and
where only some of its cards have changed, ``#controller-<card.id>-<view.id>`` (controllers/_card.html).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from dashboard.live.hub.hub import Hub
from dashboard.live.hub.live_view import LiveView
from dashboard.live.rendering.charts import rate_text
from dashboard.live.rendering.hx_partials import Fragment, SentFragments, hx_partial
from dashboard.live.rendering.renderer import Renderer
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Tone
from dashboard.pages.controllers.builtin_controllers import BUILTIN_CONTROLLERS, BuiltinController
from dashboard.pages.controllers.cards import Card, Timestamp, card_of, timestamp
from dashboard.pages.controllers.reports import CONTROLLERS, ControllerReports, ReceivedReport
from dashboard.pages.controllers.worker_messages import History, Report

Stage = Literal["waiting", "none", "starting", "running"]


@dataclass(frozen=True, slots=True)
class WorkerLine:
    """A worker that could run controllers."""

    identity: str
    role: str
    """Its role, in words."""
    tone: Tone
    since: Timestamp | None
    """Time since which it leads."""
    lease: str
    last_report: Timestamp | None
    """Time of its last report; None while it is heard."""


class LiveControllers(LiveView):
    """Value of `view` in controllers/page.html, _head.html, _list.html and _card.html.

    id, seq · stage: waiting (for the first report), none (no controller is enabled), starting or running · cards:
    tuple[Card, ...] · workers: tuple[WorkerLine, ...], the one that is shown first · problems: tuple[str, ...],
    sentences · enabled_names: the names in DELTABOARD_CONTROLLERS · builtin_controllers: tuple[BuiltinController, ...]
    · rate: of all together, in words.
    """

    template: ClassVar[str] = CONTROLLERS
    interval: ClassVar[float] = 0.2

    def __init__(self, reports: ControllerReports, kinds: tuple[KindInfo, ...]) -> None:
        super().__init__("", keys=(CONTROLLERS,), clock=reports.clock)
        self._reports = reports
        self._kinds = kinds
        self._fragments = SentFragments()
        self._listed: tuple[str, ...] = ()
        """Composition of the list that was sent last."""

    # --- what templates see ---

    @property
    def stage(self) -> Stage:
        main = self._reports.main_report
        if main is None:
            return "waiting"
        if not main.report.wanted:
            return "none"
        return "running" if main.report.manager.controllers else "starting"

    @property
    def cards(self) -> tuple[Card, ...]:
        main = self._reports.main_report
        if main is None:
            return ()
        report = main.report
        return tuple(
            card_of(state, report.history.get(state.name, NO_HISTORY), report.sent_at, self._kinds)
            for state in report.manager.controllers
        )

    @property
    def workers(self) -> tuple[WorkerLine, ...]:
        heard = self._reports.workers
        return tuple(map(_worker_line, heard)) if self.enabled_names else ()

    @property
    def problems(self) -> tuple[str, ...]:
        main = self._reports.main_report
        return problems_of(main.report) if main is not None else ()

    @property
    def enabled_names(self) -> tuple[str, ...]:
        main = self._reports.main_report
        return main.report.wanted if main is not None else ()

    @property
    def builtin_controllers(self) -> tuple[BuiltinController, ...]:
        return tuple(BUILTIN_CONTROLLERS.values())

    @property
    def rate(self) -> str:
        main = self._reports.main_report
        histories = main.report.history.values() if main is not None else ()
        return rate_text(sum(history.rate for history in histories)) or "0"

    # --- time and change ---

    def apply(self, key: str, change: Change) -> None:
        """Does nothing: the page shows no objects."""

    def next_due(self) -> float | None:
        """Always: a worker falls silent by time alone."""
        return 0.0

    def pass_time(self, now: float) -> None:  # noqa: ARG002 -- due because of others
        self.dirty = True

    # --- rendering ---

    def render_window(self, render: Renderer) -> str:
        return "".join(hx_partial(*fragment) for fragment in (self._head(render), self._list(render)))

    def _render_update(self, render: Renderer) -> str:
        listed = (self.stage, *(card.id for card in self.cards))
        cards = self._fragments.changed_partials(self._card(render, card) for card in self.cards)
        head = self._fragments.changed_partials([self._head(render)])
        if self._listed == listed and len(listed) > 1:
            return head + cards
        self._listed = listed
        return head + self._fragments.changed_partials([self._list(render)])

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
    """Problems of a worker's controllers as a whole; each controller reports its own."""
    manager = report.manager
    problems = [report.problem]
    if manager.problem:
        problems.append(f"The lease {manager.lease} cannot be acquired: {manager.problem}")
    if manager.events.problem:
        problems.append(f"Events could not be written: {manager.events.problem}")
    named = {controller.name for controller in manager.controllers}
    problems += [f"{run.name}: {run.problem}" for run in manager.runnables if run.problem and run.name not in named]
    return tuple(dict.fromkeys(filter(None, problems)))


def _worker_line(report: ReceivedReport) -> WorkerLine:
    manager = report.report.manager
    role: str
    tone: Tone
    if report.is_silent:
        role, tone = "no longer heard", "bad"
    elif not manager.leads and manager.leader == manager.identity:
        role, tone = "is about to run them", "busy"
    elif not manager.leads:
        role, tone = ("stands by" if manager.lease else "does not run them yet"), "idle"
    else:
        role, tone = ("leads" if manager.lease else "runs them without leader election"), "ok"
    return WorkerLine(
        identity=manager.identity,
        role=role,
        tone=tone,
        since=timestamp(manager.since) if manager.leads and not report.is_silent else None,
        lease=manager.lease,
        last_report=timestamp(report.time) if report.is_silent else None,
    )


def open_controllers(hub: Hub, reports: ControllerReports) -> LiveControllers:
    """The view of the workers' controllers."""
    return hub.open_view(LiveControllers, "", lambda: LiveControllers(reports, hub.hub_kinds.all_kinds))
