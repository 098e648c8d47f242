"""Field selectors, such as ``status.phase=Running,spec.nodeName!=n1``, on any field of a projection.

The grammar is that of apimachinery's fields.ParseSelector: ``=``, ``==`` and ``!=``, and a backslash before a comma, an
equals sign or a backslash in a value. The API server supports a handful of fields a kind; this module supports every
field of the projection. Paths are those of `informerd.selectors.field_path`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Self, TypeVar

import msgspec

from informerd.errors import MalformedSelector
from informerd.objects import Object
from informerd.selectors.field_path import FieldPath

T = TypeVar("T", bound=Object)

_PART = re.compile(r"(?:[^,\\]|\\.|\\\Z)+", re.DOTALL)
_SIGN = re.compile(r"!=|==|=")
_UNIT = re.compile(r"\\(.?)|([,=])", re.DOTALL)
_SPECIAL = re.compile(r"([\\,=])")


class FieldTerm(msgspec.Struct, frozen=True, order=True):
    """One condition: the field at `path` has `value`, or has not where `negative`."""

    path: str
    value: str
    negative: bool = False

    def __str__(self) -> str:
        value = _SPECIAL.sub(r"\\\1", self.value)
        return f"{self.path}{'!=' if self.negative else '='}{value}"


class FieldSelector(msgspec.Struct, frozen=True):
    """Terms, all of which an object must meet; without any it matches everything.

    A value: it never changes, and equal selectors have the same text. `matcher` makes it a test of objects. Values are
    compared as the texts of their JSON; nothing there is the empty text. Of several values (``[*]``) one is enough for
    ``=``, and ``!=`` is always the opposite of ``=``.
    """

    terms: tuple[FieldTerm, ...] = ()
    """Each once, sorted."""

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "terms", tuple(sorted(set(self.terms))))

    @classmethod
    def parse(cls, text: str) -> Self:
        """The selector of a text. Raises MalformedSelector with the position of the problem."""
        terms = [_term(text, part.start(), part.group()) for part in _PART.finditer(text)]
        return cls(tuple(term for term in terms if term is not None))

    def matcher(self, projection: type[T]) -> Callable[[T], bool]:
        """A test of objects of that projection. Raises UnknownField for a path that it does not have."""
        tests = [_test(term, FieldPath(projection, term.path)) for term in self.terms]
        if len(tests) == 1:
            return tests[0]
        return lambda obj: all(test(obj) for test in tests)

    def __bool__(self) -> bool:
        """Whether it narrows anything."""
        return bool(self.terms)

    def __str__(self) -> str:
        """Its text, the same for equal selectors; `parse` gives the same selector again."""
        return ",".join(map(str, self.terms))


def as_field_selector(selector: str | FieldSelector) -> FieldSelector:
    """A selector that may be given as text. Raises MalformedSelector, also for what is neither."""
    if isinstance(selector, FieldSelector):
        return selector
    if not isinstance(selector, str):
        raise MalformedSelector(repr(selector), "a selector is text or a FieldSelector")
    return FieldSelector.parse(selector)


def _test(term: FieldTerm, path: FieldPath[Any]) -> Callable[[Any], bool]:
    wanted, get, texts = term.value, path.text_getter, path.texts
    if get is not None:
        return (lambda obj: get(obj) != wanted) if term.negative else (lambda obj: get(obj) == wanted)
    return (lambda obj: wanted not in texts(obj)) if term.negative else (lambda obj: wanted in texts(obj))


def _term(text: str, start: int, part: str) -> FieldTerm | None:
    """The term, or None for a sign with nothing on either side, which the API server takes for no term."""
    sign = _SIGN.search(part)
    if sign is None:
        raise MalformedSelector(text, f"{part!r} has none of =, == and !=", position=start)
    if part == sign.group():
        return None
    if sign.start() == 0:
        raise MalformedSelector(text, f"expected a field's path before {sign.group()!r}", position=start)
    value = "".join(_unescaped(text, start + sign.end(), part[sign.end() :]))
    return FieldTerm(part[: sign.start()].removeprefix("."), value, sign.group() == "!=")


def _unescaped(text: str, start: int, value: str) -> Iterator[str]:
    place = 0
    for match in _UNIT.finditer(value):
        yield value[place : match.start()]
        place = match.end()
        escaped, bare = match.groups()
        if bare is not None:
            problem = f"{bare!r} in a value is written \\{bare}"
            raise MalformedSelector(text, problem, position=start + match.start())
        if escaped not in ("\\", ",", "="):
            problem = f"a backslash in a value is written \\\\, found \\{escaped}"
            raise MalformedSelector(text, problem, position=start + match.start())
        yield escaped
    yield value[place:]
