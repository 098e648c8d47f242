"""Interpreter of the hx-partials of a frame, which applies them to a list's rows as the browser does."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape

_PARTIAL = re.compile(r'<hx-partial hx-target="([^"]*)" hx-swap="([^"]*)">(.*?)</hx-partial>', re.DOTALL)
_ROW = re.compile(r'<tr id="row-([^"]+)".*?</tr>', re.DOTALL)


@dataclass(frozen=True)
class Op:
    target: str
    swap: str
    html: str

    @property
    def rows(self) -> list[str]:
        return _ROW.findall(self.html)


def ops_of(html: str) -> list[Op]:
    """The partials of a frame, in order."""
    return [Op(unescape(target), unescape(swap), content) for target, swap, content in _PARTIAL.findall(html)]


@dataclass
class Page:
    """The rows of a list as a browser would hold them: ids in order, their HTML, and which are struck out."""

    order: list[str] = field(default_factory=list)
    html: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    lost: list[str] = field(default_factory=list)

    @property
    def standing(self) -> list[str]:
        """Rows that are not struck out."""
        return [uid for uid in self.order if uid not in self.gone]

    def apply(self, html: str) -> list[Op]:
        """Do what the frame says; returns its ops on rows."""
        done = [op for op in ops_of(html) if op.target.startswith("#rows-")]
        for op in done:
            self._do(op)
        return done

    def _do(self, op: Op) -> None:
        style, _, rest = op.swap.partition(" ")
        row = op.target.partition(">#row-")[2]
        if style == "gone":
            self.gone |= {row} & set(self.order)
        elif style == "leave":
            self.order = [uid for uid in self.order if uid != row]
        elif style == "window":
            self.order = op.rows
            self._draw(op)
        elif style == "place":
            self._place(op, rest)

    def _place(self, op: Op, where: str) -> None:
        (uid,) = op.rows
        self._draw(op)
        if uid in self.order:
            self.order.remove(uid)
        reference = where.removeprefix("before:row-")
        if where == "end":
            self.order.append(uid)
        elif reference in self.order:
            self.order.insert(self.order.index(reference), uid)
        else:
            self.lost.append(reference)
            self.order.append(uid)

    def _draw(self, op: Op) -> None:
        for match in _ROW.finditer(op.html):
            self.html[match[1]] = match[0]
            self.gone.discard(match[1])
