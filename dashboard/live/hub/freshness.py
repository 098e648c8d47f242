"""Freshness of the data of each kind, with the reason in words where it is not current.

Sentences contain ``{since}`` where the browser puts
a time of day in its own time zone, and the browser adds "Trying again in 3 s." from `retry_at`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from dashboard.live.hub.unavailable_kinds import join_first_titles
from dashboard.live.rendering.time_texts import rfc3339, utc_text
from dashboard.live.replication.readable_replica import OutdatedShard, ReadableReplica, ShardProblem
from dashboard.live.replication.shard_health import WORST_FIRST
from dashboard.live.replication.unwatched_list import ListedOnce
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.runtime.read_only import is_past_shown
from informerd.cache.health import Health

MAX_NAMED = 3
"""Kinds with the same problem, or namespaces, that are named; the others are counted."""
KINDS = "{kinds}"
_SAID_FIRST: tuple[ShardProblem, ...] = ("starting", "restarted", "silent", *WORST_FIRST)
"""The problem of a kind is the first of these that one of its shards has, see JoinedFreshness."""


@dataclass(frozen=True, slots=True)
class FreshnessProblem:
    """Why a kind is not live."""

    title: str
    """The kind's: ``Pods``."""
    state: str
    """The informer's state, or ``silent`` where nothing is heard from the worker."""
    text: str
    """Sentences, with ``{since}`` for the time of day of `since`."""
    since: float | None = None
    """Unix seconds."""
    retry_at: float | None = None
    """Unix seconds."""


@dataclass(frozen=True, slots=True)
class ListedNote:
    """What a page says of a kind that was listed once."""

    title: str
    """The kind's: ``Pods``."""
    datetime: str
    """RFC 3339 time of the list."""
    text: str
    """The same as a UTC time of day."""
    reason: str
    """Why the kind is not followed, as a clause."""
    problem: str
    """Why it could not be listed; empty where it could."""
    left_out: str
    """A sentence on the objects that are not in the list; empty where all are."""


def listed_note(kind: KindInfo, replica: ReadableReplica) -> ListedNote | None:
    """What a page says where the kind was listed once; None where a worker keeps it current."""
    listed = replica.listed
    if listed is None:
        return None
    left_out = ""
    if not listed.is_complete and not listed.problem:
        whole = f" of about {len(replica.rows) + listed.remaining:,}" if listed.remaining else ""
        left_out = f"Only the first {len(replica.rows):,}{whole} are shown."
    problem = listed.problem.rstrip(".")
    return ListedNote(kind.title, rfc3339(round(listed.at, 3)), utc_text(listed.at), listed.reason, problem, left_out)


class FreshnessSource(Protocol):
    """A source of freshness other than the kinds, such as the controllers of the workers."""

    @property
    def key(self) -> str:
        """Key of its problem in the heartbeat, which views listen to."""

    @property
    def problem(self) -> FreshnessProblem | None:
        """Why what pages show of it may be out of date; None where it is current."""

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call `listener` after each change."""


def freshness_problem(kind: KindInfo, replica: ReadableReplica) -> FreshnessProblem | None:
    """Why what pages show of `kind` may be out of date; None where it is current or this process has no such kind."""
    problem = _problem_of_all(kind, replica)
    shards = replica.outdated_shards
    if problem is None or not shards:
        return problem
    return replace(problem, text=f"{problem.text} {_shards_text(shards)}")


def _shards_text(shards: tuple[OutdatedShard, ...]) -> str:
    """Which shards a problem is of, where others have none, or another one."""
    said = min((each.problem for each in shards), key=_SAID_FIRST.index)
    these = [each for each in shards if each.problem == said]
    others = [each for each in shards if each.problem != said]
    number, where = _named(these)
    sentence = f"That is so of {number} of {shards[0].shard.count} alone{where}"
    if others:
        number, where = _named(others)
        is_out = "is out of date for another reason" if len(others) == 1 else "are out of date for other reasons"
        sentence += f"; {number}{where} {is_out}"
    return f"{sentence}; everything else is live." if shards[0].has_live_others else f"{sentence}."


def _named(shards: list[OutdatedShard]) -> tuple[str, str]:
    """Their numbers, and the namespaces that they have."""
    numbers = [str(each.shard.number) for each in shards]
    names = sorted(name for each in shards for name in each.namespaces)
    more = f" and {len(names) - MAX_NAMED:,} more" if len(names) > MAX_NAMED else ""
    where = f" (namespace{'s' if len(names) > 1 else ''} {', '.join(names[:MAX_NAMED])}{more})" if names else ""
    return f"shard{'s' if len(shards) > 1 else ''} {', '.join(numbers)}", where


def _problem_of_all(kind: KindInfo, replica: ReadableReplica) -> FreshnessProblem | None:
    """The problem of a kind, whatever part of it has it."""
    if replica.listed is not None:
        return FreshnessProblem(kind.title, "listed", _listed_text(kind, replica.listed), replica.listed.at)
    if replica.state == "stale" and replica.is_unlisted:
        text = f"The worker was restarted. {_text(kind, replica.health)} What you see is from {{since}}."
        return FreshnessProblem(kind.title, replica.health.state, text, replica.stale_since, replica.health.retry_at)
    if replica.state == "stale":
        text = "The worker has not been heard since {since}. What you see is from then."
        return FreshnessProblem(kind.title, "silent", text, replica.stale_since)
    if replica.state == "starting":
        return FreshnessProblem(kind.title, "starting", "Waiting for the first message from the worker.")
    health = replica.health
    if health.state in {"live", "absent"}:
        return None
    return FreshnessProblem(kind.title, health.state, _text(kind, health), _since(health), health.retry_at)


def outage_text(kinds: Iterable[KindInfo], replicas: Mapping[str, ReadableReplica]) -> str:
    """Why a page of these kinds may be out of date, for a browser without scripts; times are UTC.

    Empty where the page is current. A kind that may not be listed matters on its own page only, not on a page of many
    kinds; live/status_text.js does the same.
    """
    shown = [kind for kind in kinds if kind.key in replicas]
    problems = [problem for kind in shown if (problem := freshness_problem(kind, replicas[kind.key])) is not None]
    others = [problem for problem in problems if problem.state != "forbidden"]
    if others or len(problems) < len(shown):
        problems = others
    if not problems:
        return ""
    first, is_all = problems[0], len(problems) == len(shown)
    text = _text_of_kinds(first)
    alike = [problem for problem in problems if _text_of_kinds(problem) == text]
    titles = join_first_titles([problem.title for problem in alike], MAX_NAMED)
    since = min((problem.since for problem in alike if problem.since is not None), default=None)
    words = text.replace(KINDS, titles).replace("{since}", "" if since is None else utc_text(since))
    if KINDS not in text and not (is_all and len(alike) == len(problems)):
        words = f"{titles}: {words}"
    titles_of_others = [problem.title for problem in problems if problem not in alike]
    if not titles_of_others or (
        is_all and first.state != "stale" and all(problem.state == first.state for problem in problems)
    ):
        return words
    return f"{words} {join_first_titles(titles_of_others, MAX_NAMED)} may not be up to date either."


def _text_of_kinds(problem: FreshnessProblem) -> str:
    """The text with KINDS where it names its kind, the same for kinds with the same problem."""
    return problem.text.replace(problem.title, KINDS, 1)


def _since(health: Health) -> float:
    """Since when the kind is out of date. Successful probes renew `heard` of its health even while it is refused."""
    if health.state == "stale" and health.heard is not None:
        return min(health.heard, health.since)
    return health.since


def _listed_text(kind: KindInfo, listed: ListedOnce) -> str:
    if listed.problem:
        return f"{kind.title} cannot be listed: {listed.problem.rstrip('.')}. They are not live: {listed.reason}."
    return f"{kind.title} were listed once, at {{since}}. They are not live: {listed.reason}."


def _text(kind: KindInfo, health: Health) -> str:
    problem = health.problem.rstrip(".")
    match health.state:
        case "stale" if problem and _answers(health):
            return f"{kind.title} have not been up to date since {{since}}: {problem}. What you see is from then."
        case "stale":
            return "The API server has not answered since {since}. What you see is from then."
        case "forbidden":
            return f"{kind.title} may not be listed: {problem}."
        case "unreachable" if is_past_shown():
            return f"{problem}."
        case "unreachable":
            return f"The API server cannot be reached: {problem}." if problem else "The API server cannot be reached."
        case "syncing":
            whole = f" of about {health.listed + health.remaining:,}" if health.remaining is not None else ""
            return f"Reading {kind.title}: {health.listed:,}{whole} so far."
        case _:
            return f"The first list of {kind.title} is on its way."


def _answers(health: Health) -> bool:
    """Whether the kind is stale although the API server answers."""
    return health.has_answer or (health.heard is not None and health.heard > health.since)
