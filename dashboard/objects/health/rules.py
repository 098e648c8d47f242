"""Rules for the health of a kind: those in project_rules.yaml, and before them those of ``DELTABOARD_HEALTH``.

The rules of a kind are a list of checks, each a JSONPath and, for each tone, an RE2 pattern for the values there. The
worst of what the checks, the conditions and the phase say is the health of the object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import msgspec
import re2

from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.health.conditions import ReasonTone, judge_reason
from dashboard.objects.health.health import SEVERITY, Health, unix_seconds, worst
from dashboard.objects.health.status_words import spaced
from dashboard.objects.kinds.row import Tone
from dashboard.objects.paths.json_path import InvalidJsonPath, JsonPath

_MAX_WORD_LENGTH = 40
_MAX_VALUE_LENGTH = 4_000
_TRUTH = frozenset({"true", "false"})
_WORST_FIRST = tuple(reversed(SEVERITY))


class InvalidHealthRules(ValueError):
    """Rules that cannot be used. The message names the kind and the field."""


class CheckDefinition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One check as it is written. A pattern matches a whole value; ``true``, ``false`` and numbers are texts."""

    path: str = ""
    """JSONPath of the value, such as ``.status.health.status``; all values at it are looked at, the worst counts."""
    condition: str = ""
    """In place of a path, the type of a condition: its status is the value, and it has the message and the moment."""
    ok: str = ""
    idle: str = ""
    busy: str = ""
    warn: str = ""
    bad: str = ""
    message: str = ""
    """JSONPath of the text that says why."""
    since: str = ""
    """JSONPath of the moment since when, RFC 3339."""
    word: str = ""
    """Status word of a value that is none itself, such as ``true``; empty: the value."""


class KindDefinition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of one kind as they are written."""

    checks: tuple[CheckDefinition, ...] = ()
    in_progress_reasons: str = ""
    """RE2 pattern of the reasons with which a condition that is False is in progress, besides those that say so."""
    idle_reasons: str = ""
    """RE2 pattern of the reasons with which a condition that is not True is wanted so, besides those that say so."""
    in_progress_phases: str = ""
    """RE2 pattern of the phases in which every condition that is False is in progress, unless its severity is Error."""
    generic: bool = True
    """Whether conditions, phase and state are judged, too."""


@dataclass(frozen=True, slots=True)
class _Check:
    """One check, with its path and patterns compiled."""

    path: JsonPath
    patterns: tuple[tuple[Tone, re2._Regexp], ...]
    """From the worst tone to the best."""
    message: JsonPath | None
    since: JsonPath | None
    word: str

    def judge(self, document: Mapping[str, Any]) -> Health | None:
        tones = [(tone, text) for text in map(_text, self.path.all(document)) if (tone := self._tone(text)) is not None]
        if not tones:
            return None
        tone, text = max(tones, key=lambda pair: SEVERITY.index(pair[0]))
        word = self.word or limit_text(text, _MAX_WORD_LENGTH)
        if tone in ("ok", "idle"):
            return Health(word, tone)
        message = self.message.first(document) if self.message is not None else None
        told = text if self.word and text.lower() not in _TRUTH else ""
        detail = message if isinstance(message, str) and message else told
        since = unix_seconds(self.since.first(document)) if self.since is not None else None
        head = spaced(word) if self.word else text.lower()
        return Health(word, tone, f"{head}: {detail}" if detail else head, since)

    def _tone(self, text: str) -> Tone | None:
        return next((tone for tone, pattern in self.patterns if pattern.fullmatch(text)), None)


@dataclass(frozen=True, slots=True)
class KindRules:
    """The rules of one kind, compiled."""

    checks: tuple[_Check, ...] = ()
    in_progress_reasons: re2._Regexp | None = None
    idle_reasons: re2._Regexp | None = None
    in_progress_phases: re2._Regexp | None = None
    generic: bool = True
    roots: frozenset[str] = field(default=frozenset())
    """Top-level fields that the paths begin with; an empty text where one begins with another step."""

    def judge(self, document: Mapping[str, Any]) -> Health | None:
        """The worst of what the checks say; None where no value is matched by a pattern."""
        return worst(health for check in self.checks if (health := check.judge(document)) is not None)

    def wanted_rest(self, document: Mapping[str, Any]) -> Health | None:
        """The verdict of the checks on the spec that say the object is to rest; None where none does."""
        checks = (check.judge(document) for check in self.checks if check.path.root == "spec")
        return next((health for health in checks if health is not None and health.tone == "idle"), None)

    def judge_reason(self, reason: str, phase: str = "") -> ReasonTone | None:
        """What the reason of a condition says, by these rules or else by its words, of an object in this phase."""
        if _fits(self.idle_reasons, reason):
            return "idle"
        if _fits(self.in_progress_reasons, reason) or _fits(self.in_progress_phases, phase):
            return "busy"
        return judge_reason(reason)


def _fits(pattern: re2._Regexp | None, text: str) -> bool:
    return pattern is not None and bool(pattern.fullmatch(text))


NO_RULES = KindRules()


class HealthRules:
    """Rules by kind. A key is a kind's, such as ``applications.argoproj.io``; ``*.toolkit.fluxcd.io`` is all kinds of
    a group and of those below it. A kind has the rules of one key: of the first layer that has one for it, and there
    of the exact key before the first that fits with a star.
    """

    def __init__(self, *layers: Mapping[str, KindRules]) -> None:
        self._layers = layers
        self._found: dict[str, KindRules] = {}

    def find(self, key: str) -> KindRules:
        """The rules of a kind; empty ones where there are none."""
        if key not in self._found:
            self._found[key] = next(filter(None, (_find(layer, key) for layer in self._layers)), NO_RULES)
        return self._found[key]


def _find(layer: Mapping[str, KindRules], key: str) -> KindRules | None:
    exact = layer.get(key)
    return exact or next((layer[each] for each in layer if "*" in each and fnmatchcase(key, each)), None)


def parse_rules(text: str | bytes) -> dict[str, KindRules]:
    """Rules from their YAML or JSON: a map with a `KindDefinition` for each kind. Raises InvalidHealthRules."""
    try:
        definitions = msgspec.yaml.decode(text, type=dict[str, KindDefinition])
    except msgspec.DecodeError as error:
        raise InvalidHealthRules(f"expected a map of kinds, each with its checks: {error}") from error
    return {key: _compile_kind(key, definition) for key, definition in definitions.items()}


def read_rules(path: Path) -> dict[str, KindRules]:
    """The rules in a file. Raises InvalidHealthRules, also where it cannot be read."""
    try:
        return parse_rules(path.read_bytes())
    except OSError as error:
        raise InvalidHealthRules(f"{path} cannot be read: {error.strerror}") from error
    except InvalidHealthRules as error:
        raise InvalidHealthRules(f"{path}: {error}") from error


def _compile_kind(key: str, definition: KindDefinition) -> KindRules:
    checks = tuple(_compile_check(f"{key}: check {number}", each) for number, each in enumerate(definition.checks, 1))
    paths = [path for check in checks for path in (check.path, check.message, check.since) if path is not None]
    patterns = {
        name: _pattern(f"{key}: {name}", text)
        for name in ("in_progress_reasons", "idle_reasons", "in_progress_phases")
        if (text := getattr(definition, name))
    }
    return KindRules(checks, generic=definition.generic, roots=frozenset(path.root for path in paths), **patterns)


def _compile_check(where: str, definition: CheckDefinition) -> _Check:
    written: Iterable[tuple[Tone, str]] = ((tone, getattr(definition, tone)) for tone in _WORST_FIRST)
    patterns = tuple((tone, _pattern(f"{where}: {tone}", text)) for tone, text in written if text)
    if not patterns:
        raise InvalidHealthRules(f"{where} has no pattern: write one for ok, idle, busy, warn or bad")
    if bool(definition.path) == bool(definition.condition):
        raise InvalidHealthRules(f"{where} needs a path or a condition, and not both")
    of_condition = f".status.conditions[?(@.type=='{definition.condition}')]" if definition.condition else ""
    path = _path(f"{where}: path", definition.path or f"{of_condition}.status")
    message = definition.message or (of_condition and f"{of_condition}.message")
    since = definition.since or (of_condition and f"{of_condition}.lastTransitionTime")
    return _Check(
        path,
        patterns,
        _path(f"{where}: message", message) if message else None,
        _path(f"{where}: since", since) if since else None,
        definition.word,
    )


def _path(where: str, text: str) -> JsonPath:
    try:
        return JsonPath(text)
    except InvalidJsonPath as error:
        raise InvalidHealthRules(f"{where}: {error}") from error


def _pattern(where: str, text: str) -> re2._Regexp:
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(text, options)
    except (re2.error, UnicodeEncodeError) as error:
        raise InvalidHealthRules(f"{where}: {text!r} is no RE2 pattern: {error}") from error


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value[:_MAX_VALUE_LENGTH] if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""
