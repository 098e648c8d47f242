"""A view's HTML as a tree of parts, and the partials that make of the tree that pages have the one they should have.

A template marks what may change by itself: an element with an `id` (letters, digits, ``-``) and `data-part`. Parts may
stand inside of parts. A part that holds nothing but other parts is a list, whose items come, go and move one by one;
of any other the partials name what is inside only while all around that stays as it was. Whatever a template
marks or leaves unmarked, pages end with the same: the marks decide how much is sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from dashboard.live.lines import partial
from dashboard.live.moves import places

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)([^>]*?)(/?)>")
"""Values of attributes are escaped, so none has a ``>``."""
_ID = re.compile(r'\sid="([A-Za-z0-9-]+)"')
_MARK = re.compile(r"\sdata-part(?=[\s=]|$)")
_SEQ = re.compile(r'\sdata-seq="[^"]*"')
"""Pages keep that themselves, see live/messages.js."""
_VOID = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "wbr"})


@dataclass(slots=True)
class Part:
    """An element and all in it."""

    id: str
    tag: str
    """Its start tag as it is."""
    name: str = ""
    html: str = ""
    between: list[str] = field(default_factory=list)
    """The HTML before, between and after the parts inside."""
    parts: list[Part] = field(default_factory=list)
    inner: frozenset[str] = frozenset()
    """The ids of all parts inside, however deep."""

    @property
    def attributes(self) -> str:
        """What its start tag says to people and scripts."""
        return _SEQ.sub("", self.tag)

    def find(self, name: str) -> Part | None:
        """The part with this id: itself or one inside."""
        if self.id == name:
            return self
        return next((found for part in self.parts if (found := part.find(name)) is not None), None)

    @property
    def is_list(self) -> bool:
        return not any(text.strip() for text in self.between)


def read_parts(html: str, root: str, before: Part | None = None) -> Part:
    """The tree of `html`, the element with the id `root`. Where it makes no sense as a tree it is one without parts.

    So it is where two parts have one id: nobody could tell which of them a partial means. What is as it was in
    `before`, the tree of an earlier text, is taken from there and not read again.
    """
    top = Part(root, "", html=html)
    known = {before.id: before} if before is not None and before.tag else {}
    open_parts = [_Open(top, 0, 0, known)]
    elements: list[Part | None] = []
    double = False
    at = 0
    while (match := _TAG.search(html, at)) is not None:
        at = match.end()
        closes, name, attributes, empty = match.groups()
        if not closes:
            part = _marked(match[0], name, attributes)
            if part is not None:
                outer = open_parts[-1]
                outer.part.between.append(html[outer.read : match.start()])
                same = outer.known.get(part.id)
                if same is not None and html.startswith(same.html, match.start()):
                    at = outer.read = match.start() + len(same.html)
                    outer.part.parts.append(same)
                    continue
                known = {inner.id: inner for inner in same.parts} if same is not None else {}
                open_parts.append(_Open(part, match.start(), match.end(), known))
            if not empty and name not in _VOID:
                elements.append(part)
        elif elements and (part := elements.pop()) is not None:
            ended = open_parts.pop()
            part.html = html[ended.begin : match.end()]
            part.between.append(html[ended.read : match.start()])
            double = not _know_inner(part) or double
            open_parts[-1].part.parts.append(part)
            open_parts[-1].read = match.end()
    if len(open_parts) != 1 or len(top.parts) != 1 or top.parts[0].id != root or double:
        return Part(root, "", html=html, between=[html])
    return top.parts[0]


@dataclass(slots=True)
class _Open:
    """A part whose end has not been read yet."""

    part: Part
    begin: int
    read: int
    """Where what was read of it ends."""
    known: dict[str, Part]
    """Those that were inside of it before."""


def _know_inner(part: Part) -> bool:
    """Fill in `part.inner`; False where an id is there twice, itself included."""
    part.inner = frozenset[str]().union([each.id for each in part.parts], *(each.inner for each in part.parts))
    return part.id not in part.inner and len(part.inner) == sum(1 + len(each.inner) for each in part.parts)


def _marked(tag: str, name: str, attributes: str) -> Part | None:
    """The part that a start tag begins; None where it is not marked."""
    found = _ID.search(attributes) if _MARK.search(attributes) else None
    return Part(found[1], tag, name) if found is not None else None


def partials_between(old: Part, new: Part) -> str | None:
    """What makes `new` of `old` in a page, two trees of the same root; empty where they are the same.

    None where the root has to be replaced, or it is as well to do so.
    """
    steps = "".join(_steps(old, new))
    return None if steps == _whole(new) or len(steps) >= len(new.html) else steps


def _steps(old: Part, new: Part) -> Iterator[str]:
    if old.html == new.html:
        return
    if not new.parts and not old.parts:
        if old.between != new.between or old.name != new.name:
            yield _whole(new)
            return
    elif old.name != new.name or not (_alike(old, new) or (old.is_list and new.is_list)):
        yield _whole(new)
        return
    if old.attributes != new.attributes:
        yield partial(f"#{new.id}", "attributes", f"{new.tag}</{new.name}>")
    yield from _inside(old, new)


def _alike(old: Part, new: Part) -> bool:
    """Whether they differ in nothing but what their parts are like."""
    return old.between == new.between and [part.id for part in old.parts] == [part.id for part in new.parts]


def _inside(old: Part, new: Part) -> Iterator[str]:
    before = {part.id: part for part in old.parts}
    after = [part.id for part in new.parts]
    moved = {step.uid: step.before for step in places(list(before), after, frozenset())}
    staying = set(after)
    for part in old.parts:
        if part.id not in staying:
            yield partial(f"#{part.id}", "leave")
    for part in reversed(new.parts):
        if part.id in moved:
            where = f"place before:{moved[part.id]}" if moved[part.id] else "place end"
            yield partial(f"#{new.id}", where, part.html)
        else:
            steps = "".join(_steps(before[part.id], part))
            yield steps if len(steps) < len(part.html) else _whole(part)


def _whole(part: Part) -> str:
    return partial(f"#{part.id}", "outerMorph", part.html)
