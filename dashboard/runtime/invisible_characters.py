r"""Visible escapes of characters that nobody sees: ``\u202e`` for a character that turns the text around it.

Names, labels, messages and kubeconfigs are written by others. Raw, such a character makes two different names look the
same, shows a text in another order than it is stored, or gives orders to a terminal. It is escaped wherever a person
reads, and never in what is stored, sent or typed.

U+200C and U+200D are escaped, too, although Persian, Indic languages and emoji need them to look right: a reviewer must
see what is applied, and two names that differ in them alone are two names.
"""

from __future__ import annotations

import re

_BASIC = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\ufffe\uffff"
)
INVISIBLE = (
    f"{_BASIC}\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Inside of a character class of `re`: the Unicode categories Cc (but tab and newline), Cf, Cs, Zl and Zp, the property
Default_Ignorable_Code_Point, and two that are no characters. static/js/page/invisible_characters.js names the
same properties.
"""
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_INVISIBLE_OR_BREAK = re.compile(f"[\t\n{INVISIBLE}]")
_SUSPECT = re.compile(f"[{_BASIC}\U00010000-\U0010ffff]")
"""A rougher class, which is found four times as fast: every page and every row is searched for it."""
_NAMED = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
_OUTSIDE_TEXT = re.compile(r"(<textarea\b.*?(?:</textarea>|\Z)|<[^>]*>)", re.DOTALL)
"""What HTML has beside text, and text that somebody edits. Values of attributes are escaped, so none has a ``>``."""
_READ_ATTRIBUTE = re.compile(r'(?<=\s)(?:title|aria-label|placeholder)="[^"]*"')
"""Attributes for people. All others are for scripts, forms and links, and keep the characters that they have."""


def has_invisible(text: str) -> bool:
    """Whether there is any in `text`; tabs and line breaks do not count."""
    return _SUSPECT.search(text) is not None and _INVISIBLE.search(text) is not None


def escape_invisible(text: str) -> str:
    """`text` with its invisible characters as in YAML; tabs and line breaks stay."""
    return _INVISIBLE.sub(_escape, text) if has_invisible(text) else text


def escape_to_one_line(text: str) -> str:
    """`text` with its invisible characters, tabs and line breaks as in YAML."""
    return _INVISIBLE_OR_BREAK.sub(_escape, text)


def escape_invisible_in_html(html: str) -> str:
    """HTML with the invisible characters of its texts and tooltips escaped.

    What is typed (`textarea`), sent (`value`, `href`) or read by scripts (`data-…`) keeps them.
    """
    if not has_invisible(html):
        return html
    pieces = _OUTSIDE_TEXT.split(html)
    pieces[::2] = map(escape_invisible, pieces[::2])
    pieces[1::2] = map(_with_read_attributes_escaped, pieces[1::2])
    return "".join(pieces)


def _with_read_attributes_escaped(tag: str) -> str:
    if tag.startswith("<textarea"):
        return tag
    return _READ_ATTRIBUTE.sub(lambda match: escape_invisible(match[0]), tag)


def _escape(match: re.Match[str]) -> str:
    return _NAMED.get(match[0]) or escape_character(match[0])


def escape_character(character: str) -> str:
    r"""``\x07``, ``\u202e``, ``\U000e0041``: any character as YAML and Python write it."""
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
