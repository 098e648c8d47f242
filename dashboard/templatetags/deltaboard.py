"""Template filters for numbers, commands and changes in words, cheap enough for a row."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from django import template
from django.utils.html import conditional_escape, escape, format_html_join
from django.utils.safestring import SafeString, mark_safe

from dashboard.runtime.invisible_characters import escape_to_one_line

register = template.Library()

MAX_NAME_WORDS = 3
"""Maximum number of words before an arrow of which all but the last are the column's name: ``internal IP 10.0.0.1 →
10.0.0.2``.
"""

_WITHOUT_SCRIPTS = {"for": "since ", "ago": "at "}
_BETWEEN = re.compile(r"(?<=[./])(?=\w)|(?<=\w)(?=\[)")
_WORD = re.compile(r"\S+")
_PATH = re.compile(r"[a-z]\w*[.\[]\S*\Z")


@register.filter
def count(value: object) -> str:
    """``48,213``; a dash where there is no count."""
    return f"{value:,}" if isinstance(value, int) else "–"


@register.filter
def one_line(name: str) -> str:
    """A name to read or to copy: pasted into a terminal, a line break in it would run what stands before."""
    return escape_to_one_line(name)


@register.filter
def path(words: str) -> SafeString:
    """A field's path that breaks between its names and not within one, where it does not fit a line."""
    return mark_safe(_BETWEEN.sub("<wbr>", escape(words)))  # noqa: S308 -- it is escaped


@register.filter
def command(words: str) -> SafeString:
    """A command whose words are not broken, so that no ``--`` ends a line."""
    return mark_safe(_WORD.sub(r'<span class="word">\g<0></span>', escape(words)))  # noqa: S308 -- it is escaped


@register.filter
def change(words: str) -> SafeString:
    """Change words with paths, old and new values marked up: ``Restarts <del>3</del> → <ins>4</ins>``, all escaped."""
    return mark_safe(", ".join(_step(part) for part in words.split(", ")))  # noqa: S308 -- every piece is escaped


def _step(words: str) -> str:
    before, arrow, new = words.partition(" → ")
    name, _, rest = before.partition(" ")
    if not arrow or not rest:
        return _named(name) + escape(words[len(name) :])
    while " " in rest and len(before.split()) <= MAX_NAME_WORDS:
        more, _, rest = rest.partition(" ")
        name = f"{name} {more}"
    return f"{_named(name)} <del>{escape(rest)}</del> → <ins>{escape(new)}</ins>"


def _named(name: str) -> str:
    return f"<code>{escape(name)}</code>" if _PATH.match(name) else escape(name)


@register.filter
def mark_mistake(problem: object, text: str) -> SafeString:
    """The filter's text with the part from `start` to `end` of the problem in a mark element."""
    start, end = getattr(problem, "start", 0), getattr(problem, "end", 0)
    before, mistake, after = text[:start], text[start:end] or " ", text[end:]
    return mark_safe(f"{escape(before)}<mark>{escape(mistake)}</mark>{escape(after)}")  # noqa: S308 -- escaped


@register.filter
def slug(key: str) -> str:
    """A kind's key for use in an element's id: ``mydemos-crddemo-k8s-io``."""
    return key.replace(".", "-")


@register.filter
def items(texts: Iterable[str]) -> SafeString:
    """Items of a list, escaped; written in Python, for a field manager may have a hundred."""
    return format_html_join("", "<li>{}</li>", ((text,) for text in texts))


@register.filter
def sentence(words: Any) -> SafeString:
    """A sentence in pieces (`text`, `datetime` where it is an age that the browser keeps current, `href` of a link)."""
    if isinstance(words, str):
        return conditional_escape(words)
    pieces = tuple(words)
    parts: list[str] = []
    is_behind_ago = False
    for piece, following in zip(pieces, (*pieces[1:], None), strict=True):
        text = piece.text.removeprefix(" ago") if is_behind_ago else piece.text
        is_behind_ago = bool(piece.datetime and following is not None and following.text.startswith(" ago"))
        if piece.datetime:
            is_span = bool(parts) and parts[-1].endswith("for ")
            if is_span:
                parts[-1] = parts[-1].removesuffix("for ")
            parts.append(_age(text, piece.datetime, "for" if is_span else "ago" if is_behind_ago else "object"))
        elif piece.href:
            parts.append(f'<a class="link" href="{escape(piece.href)}">{escape(text)}</a>')
        else:
            parts.append(escape(text))
    return mark_safe("".join(parts))  # noqa: S308 -- every piece is escaped


def _age(text: str, datetime: str, form: str) -> str:
    """An age as the browser writes it, “for 5m” and “5m ago” whole: without scripts it is “since” or “at” a moment."""
    before = _WITHOUT_SCRIPTS.get(form, "")
    return f'<time data-age="{form}" datetime="{escape(datetime)}">{before}{escape(text)}</time>'
