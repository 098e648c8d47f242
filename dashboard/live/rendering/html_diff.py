"""Tree of the parts of a view's HTML, and the hx-partials that turn one tree into another.

A template marks what may change by itself: an element with an `id` (letters, digits, ``-``) and `data-part`. Parts may
be nested. A part that holds nothing but other parts is a list, whose items are added, removed and moved one by one; of
any other part the partials address its inner parts only while everything around them is unchanged. The marks decide
only how much is sent: pages end with the same content whatever is marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from dashboard.live.rendering.hx_partials import hx_partial
from dashboard.live.rendering.row_moves import plan_moves

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)([^>]*?)(/?)>")
"""Values of attributes are escaped, so none contains a ``>``."""
_ID = re.compile(r'\sid="([A-Za-z0-9-]+)"')
_MARK = re.compile(r"\sdata-part(?=[\s=]|$)")
_SEQ = re.compile(r'\sdata-seq="[^"]*"')
"""Pages keep these attributes themselves, see live/messages.js."""
_VOID = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "wbr"})


@dataclass(slots=True)
class HtmlPart:
    """An element and all in it."""

    id: str
    start_tag: str
    """Its start tag as it is."""
    name: str = ""
    html: str = ""
    text_between: list[str] = field(default_factory=list)
    """The HTML before, between and after the parts inside."""
    children: list[HtmlPart] = field(default_factory=list)
    descendant_ids: frozenset[str] = frozenset()
    """The ids of all parts inside, however deep."""

    @property
    def attributes(self) -> str:
        """Attributes of its start tag for people and scripts."""
        return _SEQ.sub("", self.start_tag)

    def find(self, name: str) -> HtmlPart | None:
        """The part with this id: itself or one inside."""
        if self.id == name:
            return self
        return next((part_found for part in self.children if (part_found := part.find(name)) is not None), None)

    @property
    def is_list(self) -> bool:
        return not any(text.strip() for text in self.text_between)


def parse_parts(html: str, root: str, before: HtmlPart | None = None) -> HtmlPart:
    """The tree of `html`, the element with the id `root`; without parts where the HTML does not parse as a tree.

    Two parts with one id make a tree without parts too, because a partial could not tell them apart. Parts that are
    unchanged from `before`, the tree of an earlier text, are taken from there and not parsed again.
    """
    top = HtmlPart(root, "", html=html)
    known = {before.id: before} if before is not None and before.start_tag else {}
    open_parts = [_Open(top, 0, 0, known)]
    elements: list[HtmlPart | None] = []
    double = False
    at = 0
    while (match := _TAG.search(html, at)) is not None:
        at = match.end()
        closes, name, attributes, empty = match.groups()
        if not closes:
            part = _marked(match[0], name, attributes)
            if part is not None:
                outer = open_parts[-1]
                outer.part.text_between.append(html[outer.read : match.start()])
                same = outer.known.get(part.id)
                if same is not None and html.startswith(same.html, match.start()):
                    at = outer.read = match.start() + len(same.html)
                    outer.part.children.append(same)
                    continue
                known = {inner.id: inner for inner in same.children} if same is not None else {}
                open_parts.append(_Open(part, match.start(), match.end(), known))
            if not empty and name not in _VOID:
                elements.append(part)
        elif elements and (part := elements.pop()) is not None:
            ended = open_parts.pop()
            part.html = html[ended.begin : match.end()]
            part.text_between.append(html[ended.read : match.start()])
            double = not _know_inner(part) or double
            open_parts[-1].part.children.append(part)
            open_parts[-1].read = match.end()
    if len(open_parts) != 1 or len(top.children) != 1 or top.children[0].id != root or double:
        return HtmlPart(root, "", html=html, text_between=[html])
    return top.children[0]


@dataclass(slots=True)
class _Open:
    """A part whose end has not been read yet."""

    part: HtmlPart
    begin: int
    read: int
    """Where the parsed content ends."""
    known: dict[str, HtmlPart]
    """The parts inside it before."""


def _know_inner(part: HtmlPart) -> bool:
    """Fill in the ids inside the part; False where an id occurs twice, its own included."""
    part.descendant_ids = frozenset[str]().union(
        [each.id for each in part.children], *(each.descendant_ids for each in part.children)
    )
    return part.id not in part.descendant_ids and len(part.descendant_ids) == sum(
        1 + len(each.descendant_ids) for each in part.children
    )


def _marked(tag: str, name: str, attributes: str) -> HtmlPart | None:
    """The part that a start tag begins; None where it is not marked."""
    match = _ID.search(attributes) if _MARK.search(attributes) else None
    return HtmlPart(match[1], tag, name) if match is not None else None


def diff_partials(old: HtmlPart, new: HtmlPart) -> str | None:
    """The hx-partials that turn `old` into `new` in a page, two trees of the same root; empty where they are equal.

    None where the root has to be replaced, or replacing it is as cheap.
    """
    steps = "".join(_steps(old, new))
    return None if steps == _whole(new) or len(steps) >= len(new.html) else steps


def _steps(old: HtmlPart, new: HtmlPart) -> Iterator[str]:
    if old.html == new.html:
        return
    if not new.children and not old.children:
        if old.text_between != new.text_between or old.name != new.name:
            yield _whole(new)
            return
    elif old.name != new.name or not (_alike(old, new) or (old.is_list and new.is_list)):
        yield _whole(new)
        return
    if old.attributes != new.attributes:
        yield hx_partial(f"#{new.id}", "attributes", f"{new.start_tag}</{new.name}>")
    yield from _inside(old, new)


def _alike(old: HtmlPart, new: HtmlPart) -> bool:
    """Whether they differ only in the content of their parts."""
    return old.text_between == new.text_between and [part.id for part in old.children] == [
        part.id for part in new.children
    ]


def _inside(old: HtmlPart, new: HtmlPart) -> Iterator[str]:
    before = {part.id: part for part in old.children}
    after = [part.id for part in new.children]
    moved = {step.uid: step.before for step in plan_moves(list(before), after, frozenset())}
    staying = set(after)
    for part in old.children:
        if part.id not in staying:
            yield hx_partial(f"#{part.id}", "leave")
    for part in reversed(new.children):
        if part.id in moved:
            where = f"place before:{moved[part.id]}" if moved[part.id] else "place end"
            yield hx_partial(f"#{new.id}", where, part.html)
        else:
            steps = "".join(_steps(before[part.id], part))
            yield steps if len(steps) < len(part.html) else _whole(part)


def _whole(part: HtmlPart) -> str:
    return hx_partial(f"#{part.id}", "outerMorph", part.html)
