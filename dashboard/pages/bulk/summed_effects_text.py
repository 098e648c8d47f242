"""Effects of a change on many objects, in sentences: summed over the objects with the same effect.

Objects with an equal difference may have other numbers of pods and other strategies, so each sentence has its objects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from dashboard.objects.kinds.catalog import KindInfo
from dashboard.pages.bulk.review import ItemNames
from dashboard.pages.bulk.run import Item
from dashboard.pages.writes.effects_text import rollout_steps_text
from dashboard.pages.writes.workload_effects import Effect, EffectKind

ROLLING_KINDS = frozenset({"deployments.apps", "statefulsets.apps", "daemonsets.apps"})
"""Kinds for which it is known when a change does not affect pods."""
_REPLACES: frozenset[EffectKind] = frozenset({"rolls", "recreates", "one by one", "node by node"})
_WARNS: frozenset[EffectKind] = frozenset({"recreates", "autoscaled", "autoscaled?"})
MAX_NAMED = 5
"""Most controllers and autoscalers that a sentence names; the rest is counted."""
_ORDER: tuple[EffectKind, ...] = (
    "rolls", "one by one", "node by node", "recreates", "in place", "waits", "by hand", "held", "no pods", "later",
    "opens", "moves", "scales", "renumbers", "controlled", "autoscaled", "autoscaled?", "pauses", "goes on", "says",
)  # fmt: skip
Effects = Sequence[Effect]


@dataclass(frozen=True, slots=True)
class EffectText(ItemNames):
    """A sentence, and the objects that it applies to."""

    words: str
    is_warning: bool = False


def effect_texts(items: Sequence[Item], kind: KindInfo) -> list[EffectText]:
    """Effects on these objects, which share a difference; empty where nothing is known."""
    effects_by_key: dict[tuple[EffectKind, str], list[tuple[Item, Effect]]] = {}
    for item in items:
        for effect in item.effects:
            effects_by_key.setdefault(_alike(effect), []).append((item, effect))
    ordered = sorted(effects_by_key.items(), key=lambda each: _ORDER.index(each[0][0]))
    texts = []
    for (what, words), pairs in ordered:
        who = _subject(len(pairs), len(items), kind)
        sentence = _WORDS[what](who, [effect for _, effect in pairs]) if what in _WORDS else _each(who, words)
        texts.append(EffectText(tuple(item for item, _ in pairs), sentence, what in _WARNS))
    return texts


def pod_totals(items: Iterable[Item], kind: KindInfo, *, is_known: bool) -> tuple[str, ...]:
    """Effects on pods in total, over all differences; empty where there are none, or nothing is known of the kind.

    `is_known`: whether each object without an effect changes only fields that do not affect pods.
    """
    effects = [effect for item in items for effect in item.effects]
    opened = sum(effect.what == "opens" for effect in effects)
    replaced, ended = _pods(effects, _REPLACES), _pods(effects, {"recreates"})
    in_place = _pods(effects, {"in place"})
    in_all = "for a new template" if opened else "in all"
    sentences = [f"{_count(replaced, 'pod')} {_is(replaced)} replaced {in_all}."] if replaced else []
    if replaced and ended:
        sentences.append(f"{_those(ended, replaced)} first, before new ones are created: nothing runs in between.")
    rolling = [effect for effect in effects if effect.what == "rolls"]
    if len(rolling) > 1:
        sentences.append(_meanwhile(rolling))
    if opened:
        sentences.append(f"Pods of {_subject(opened, 0, kind)} that are not of the newest revision are replaced.")
    if in_place:
        sentences.append(f"Containers of {_count(in_place, 'pod')} may be restarted in place.")
    come = sum(max(0, effect.fewer - effect.more) for effect in effects if effect.what == "scales")
    end = sum(max(0, effect.more - effect.fewer) for effect in effects if effect.what == "scales")
    sentences += [f"{_count(come, 'pod')} more {_is(come)} made."] if come else []
    sentences += [f"{_count(end, 'pod')} {_end(end)} for good."] if end else []
    others = _pods(effects, {"renumbers"})
    sentences += [f"{_count(others, 'pod')} {_end(others)}, and as many are made with other numbers."] if others else []
    if not effects and is_known and kind.key in ROLLING_KINDS:
        return ("No pod starts, restarts or ends because of it.",)
    if not sentences and is_known and any(effect.what in _PODS_STAY for effect in effects) and not _unsure(effects):
        return ("No pod restarts now.",)
    return tuple(sentences)


_PODS_STAY: frozenset[EffectKind] = frozenset({"waits", "by hand", "held", "no pods", "later", "pauses"})


def _unsure(effects: Iterable[Effect]) -> bool:
    return any(effect.what in ("goes on", "moves", "node by node") for effect in effects)


def _alike(effect: Effect) -> tuple[EffectKind, str]:
    """Key of the effects in one sentence; for scaling also whether pods start, end or are none."""
    if effect.what == "scales":
        return "scales", "none" if not effect.fewer else "more" if effect.fewer > effect.more else "fewer"
    return effect.what, effect.words if effect.what == "says" else ""


def _subject(number: int, of: int, kind: KindInfo) -> str:
    if of == 1:
        return f"the {kind.singular}"
    return f"{'all ' if number == of else ''}{number:,} {kind.singular if number == 1 else kind.title}"


def _each(who: str, words: str) -> str:
    """A sentence about one object, applied to many."""
    if who.startswith("the "):
        return words
    return f"For each of {'them' if who.startswith('all ') else who}: {words}"


def _controlled(who: str, effects: Effects) -> str:
    controllers = Counter(effect.words for effect in effects)
    first = controllers.most_common(MAX_NAMED)
    named = ", ".join(name if number == len(effects) else f"{name} ({number:,})" for name, number in first)
    more = f" and {len(controllers) - MAX_NAMED:,} more" if len(controllers) > MAX_NAMED else ""
    they = "controls" if len(controllers) == 1 else "control"
    others = "another one instead" if len(effects) == 1 else "others instead"
    return f"{named}{more} {they} {who} and may create {others}."


# --- the new template


def _rolls(who: str, effects: Effects) -> str:
    return f"Rolls out {_count(_pods(effects), 'pod')} of {who}, {_paces(effects)}."


def _paces(effects: Effects) -> str:
    steps = {rollout_steps_text(effect.more, effect.fewer) for effect in effects}
    each = "each " if len(effects) > 1 else ""
    if len(steps) == 1:
        return f"{each}{steps.pop()}"
    least, most = (of(effect.more + effect.fewer for effect in effects) for of in (min, max))
    paces = f"{least} to {most}" if least < most else f"up to {most}"
    suffix = ", none is missing meanwhile" if not any(effect.fewer for effect in effects) else ""
    return f"{each}{paces} at a time{suffix}"


def _meanwhile(effects: Effects) -> str:
    more, fewer = sum(effect.more for effect in effects), sum(effect.fewer for effect in effects)
    parts = [f"{number:,} {word}" for number, word in ((more, "more"), (fewer, "fewer")) if number]
    return f"As they roll out at the same time, there may be {' or '.join(parts)} than they ask for meanwhile."


def _recreates(who: str, effects: Effects) -> str:
    ends = f"Ends all {_count(_pods(effects), 'pod')} of {who} first, then creates new ones"
    return f"{ends}: nothing of {'those' if len(effects) > 1 else 'it'} runs in between (strategy Recreate)."


def _one_by_one(who: str, effects: Effects) -> str:
    down = " to its partition" if any(effect.more for effect in effects) else ""
    inside = ", in each" if len(effects) > 1 else ""
    return (
        f"Replaces {_count(_pods(effects), 'pod')} of {who}{inside} one after the other from the highest number{down}."
    )


def _node_by_node(who: str, effects: Effects) -> str:
    limits = {effect.words for effect in effects}
    limit = f" (maxUnavailable {limits.pop()})" if len(limits) == 1 else ""
    pods = _pods(effects)
    now = f", {_count(pods, 'pod')} by now" if pods else ""
    return f"Replaces the pod of every node, node by node{limit}, of {who}{now}."


def _in_place(who: str, effects: Effects) -> str:  # noqa: ARG001
    return f"Containers whose image changed are restarted in place, in {who}."


# --- how many


def _scales(who: str, effects: Effects) -> str:
    before, after = (sum(numbers) for numbers in zip(*((each.more, each.fewer) for each in effects), strict=True))
    alike = len({(effect.more, effect.fewer) for effect in effects}) == 1
    span = (
        f"from {effects[0].more:,} to {effects[0].fewer:,} pods"
        if alike
        else f"from {before:,} to {after:,} pods in all"
    )
    each = " each" if alike and len(effects) > 1 else ""
    if not after:
        return f"Scales {who} to 0: all {_count(before, 'pod')} end."
    come = f"{after - before:,} more" if after > before else f"{before - after:,} end"
    return f"Scales {who} {span}{each}: {come}{' in all' if each else ''}."


def _opens(who: str, effects: Effects) -> str:
    since = " above its partition" if any(effect.more for effect in effects) else ""
    return f"Pods of {who} that are not of the newest revision are replaced{since}."


def _renumbers(who: str, effects: Effects) -> str:
    pods = _pods(effects)
    return f"Changes the ordinals of the pods of {who}: {_count(pods, 'pod')} {_end(pods)}, and as many start."


def _autoscaled(who: str, effects: Effects) -> str:
    names = sorted({effect.words for effect in effects})
    named = ", ".join(names[:MAX_NAMED]) + (f" and {len(names) - MAX_NAMED:,} more" if len(names) > MAX_NAMED else "")
    scalers = "The HorizontalPodAutoscaler" if len(names) == 1 else "HorizontalPodAutoscalers"
    sets = "sets" if len(names) == 1 else "set"
    return f"{scalers} ({named}) {sets} the number of {who} again within seconds, unless it is 0."


_WORDS: Mapping[EffectKind, Callable[[str, Effects], str]] = MappingProxyType({
    "rolls": _rolls, "recreates": _recreates, "one by one": _one_by_one, "node by node": _node_by_node,
    "in place": _in_place, "scales": _scales, "controlled": _controlled, "autoscaled": _autoscaled,
    "opens": _opens, "renumbers": _renumbers,
    "autoscaled?": lambda who, _: f"It is unknown whether an autoscaler will overwrite the number of {who}.",
    "waits": lambda who, found: f"Paused: the new template of {who} is rolled out once {_they(found)} resumed.",
    "no pods": lambda who, _: f"Nothing rolls out of {who}, without pods: the new template applies to later pods.",
    "by hand": lambda who, _: f"The pods of {who} stay until each is deleted by hand (updateStrategy OnDelete).",
    "held": lambda who, _: f"No pod of {who} is replaced: the partition keeps all as they are.",
    "moves": lambda who, _: f"Pods of {who} start on nodes that match now, and end on those that do not.",
    "later": lambda who, _: f"Only new pods of {who} get the new template; running pods stay.",
    "pauses": lambda who, found: f"Pauses {who}: nothing rolls out until {_they(found)} resumed.",
    "goes on": lambda who, found: f"Resumes {who}: what waits in {_them(found)} is rolled out.",
})  # fmt: skip


# --- parts


def _they(effects: Effects) -> str:
    return "it is" if len(effects) == 1 else "each is"


def _them(effects: Effects) -> str:
    return "it" if len(effects) == 1 else "them"


def _those(number: int, of: int) -> str:
    return "They all end" if number == of else f"{number:,} of them {_end(number)}"


def _pods(effects: Iterable[Effect], what: Iterable[EffectKind] | None = None) -> int:
    return sum(effect.pods for effect in effects if what is None or effect.what in what)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _end(number: int) -> str:
    return "ends" if number == 1 else "end"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
