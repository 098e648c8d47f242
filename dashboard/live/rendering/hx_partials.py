"""hx-partials, in which updates reach a page, and element ids that their selectors can name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from django.utils.html import escape

_SAFE_ID = re.compile(r"[A-Za-z0-9_-]+")

Fragment = tuple[str, str, str]
"""Target's selector, swap style, HTML."""


def dom_id(uid: str) -> str:
    """`uid` as a part of an element's id that needs no escaping in a selector; all but odd uids are that already."""
    if _SAFE_ID.fullmatch(uid):
        return uid
    return hashlib.blake2b(uid.encode(), digest_size=12).hexdigest()


def hx_partial(target: str, swap: str, html: str = "") -> str:
    """One hx-partial: `html` goes to the elements that selector `target` finds, by swap style `swap`."""
    return f'<hx-partial hx-target="{escape(target)}" hx-swap="{escape(swap)}">{html}</hx-partial>'


class SentFragments:
    """Fragments that all viewers have been sent."""

    def __init__(self) -> None:
        self._sent: dict[str, str] = {}

    def changed_partials(self, fragments: Iterable[Fragment]) -> str:
        """hx-partials of those that differ from the last call's."""
        html_of_changes = ""
        for target, swap, html in fragments:
            if self._sent.get(target) != html:
                self._sent[target] = html
                html_of_changes += hx_partial(target, swap, html)
        return html_of_changes

    def forget(self) -> None:
        """Forget all fragments: no viewer has any."""
        self._sent.clear()
