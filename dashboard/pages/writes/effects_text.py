"""Effects of a change on the running cluster, in sentences; empty where nothing is known. No function asks the API
server.

Those of workloads that roll out come from workload_effects.py, all others from effects_by_kind.py. Both compare the
existing object with the one that would be stored, so defaults are filled in already.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dashboard.pages.writes.effects_by_kind import sentences_by_kind
from dashboard.pages.writes.workload_effects import Effect, Object, workload_effects


def effect_sentences(was: Object, now: Object) -> tuple[str, ...]:
    """`was` and `now` are one object before and after; a new object has no effects."""
    return tuple(map(_words, change_effects(was, now)))


def change_effects(was: Object, now: Object) -> tuple[Effect, ...]:
    """The same as data, which can be summed over many objects; see workload_effects."""
    if not was:
        return ()
    sentences = sentences_by_kind(was, now)
    return (*(workload_effects(was, now) or ()), *(Effect("says", words=words) for words in sentences))


def _words(effect: Effect) -> str:
    pods = _pods(effect.pods)
    match effect.what:
        case "scales":
            return _scaled(effect.more, effect.fewer)
        case "rolls":
            steps = rollout_steps_text(effect.more, effect.fewer)
            return f"Rolls out {pods}, {steps} (maxSurge {effect.more}, maxUnavailable {effect.fewer})."
        case "recreates":
            return f"Ends all {pods} first, then creates new ones: nothing runs in between (strategy Recreate)."
        case "one by one":
            return f"Replaces {pods}, one after the other from the highest number down to {effect.more}."
        case "held":
            return f"Replaces no pod: the partition {effect.more} keeps all as they are."
        case "opens":
            since = f", from number {effect.more} on" if effect.more else ""
            return f"Pods that are not of the newest revision are replaced{since}."
        case "renumbers":
            others = "another one is" if effect.pods == 1 else "others are"
            return f"{pods} {_end(effect.pods)}, and {others} made: their numbers begin at {effect.more}."
        case "node by node":
            return f"Replaces the pod of every node, node by node (maxUnavailable {effect.words})."
    return effect.words or _SAID[effect.what]


_SAID: Mapping[str, str] = MappingProxyType({
    "pauses": "It is paused: nothing rolls out.",
    "goes on": "It goes on: whatever waits is rolled out.",
    "waits": "It is paused: the new template is rolled out once it is resumed.",
    "no pods": "It has 0 replicas, so nothing rolls out: the new template applies to later pods.",
    "by hand": "Its pods stay as they are until each is deleted by hand (updateStrategy OnDelete).",
    "moves": "Pods start on nodes that match now, and end on those that do not.",
    "later": "Only new pods get the new template; running pods stay as they are.",
    "in place": "Containers whose image changed are restarted in place.",
})  # fmt: skip


def rollout_steps_text(more: int, fewer: int) -> str:
    """The steps of a rolling update with these numbers."""
    if more and fewer:
        return f"up to {more + fewer} at a time"
    return f"{more or fewer} at a time" + (", none is missing meanwhile" if more else "")


def _scaled(before: int, after: int) -> str:
    if not after:
        return f"Scales from {before} to 0: all its pods end."
    difference = f"{after - before} more" if after > before else f"{before - after} end"
    return f"Scales from {before} to {_pods(after)}: {difference}."


def _pods(count: int) -> str:
    return f"{count} pod{'' if count == 1 else 's'}"


def _end(count: int) -> str:
    return "ends" if count == 1 else "end"
