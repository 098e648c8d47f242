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


def read_parts(html: str, root: str) -> Part:
    """The tree of `html`, the element with the id `root`. Where it makes no sense as a tree it is one without parts.

    So it is where two parts have one id: nobody could tell which of them a partial means.
    """
    top = Part(root, "", html=html)
    open_parts = [(top, 0, 0)]  # each with where it begins, and where what was read of it ends
    elements: list[Part | None] = []
    ids: list[str] = []
    for match in _TAG.finditer(html):
        closes, name, attributes, empty = match.groups()
        if not closes:
            part = _marked(match[0], name, attributes)
            if part is not None:
                ids.append(part.id)
                outer, begin, read = open_parts[-1]
                outer.between.append(html[read : match.start()])
                open_parts.append((part, match.start(), match.end()))
            if not empty and name not in _VOID:
                elements.append(part)
        elif elements:
            part = elements.pop()
            if part is not None:
                _, begin, read = open_parts.pop()
                part.html = html[begin : match.end()]
                part.between.append(html[read : match.start()])
                outer, begin, _ = open_parts.pop()
                outer.parts.append(part)
                open_parts.append((outer, begin, match.end()))
    if len(open_parts) != 1 or len(top.parts) != 1 or top.parts[0].id != root or len(set(ids)) < len(ids):
        return Part(root, "", html=html, between=[html])
    return top.parts[0]


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
