"""The parameter ``at`` of an address: the moment of the past that its page shows, and links that keep it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import escape
from urllib.parse import parse_qsl, quote

AT = "at"
NOW = "now"
"""The present, in place of a moment to compare with."""
STEPPED_PAGES = frozenset(
    {"overview", "feed", "list", "detail", "yaml", "incident", "detail-by-name", "incident-by-name"}
)
"""Names of the addresses that show the past, and lead to the next change of what they show."""
PAST_PAGES = STEPPED_PAGES | {"export", "complete", "kinds", "namespaces", "freshness", "search", "moment-step"}
"""Names of all addresses that have a moment; all others show the present only."""
LONGEST_TEXT = 40
_TEXT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})?", re.ASCII)
_SEGMENT = r"[^/\"?#]+/"
_PAST = (
    rf"/(?:feed/|search/|kinds/|why/{_SEGMENT}(?:{_SEGMENT}){{1,2}}|resources/{_SEGMENT}"
    rf"(?:(?!new/|bulk/){_SEGMENT}{_SEGMENT}(?:yaml/)?|export\.(?:csv|json|yaml))?)?"
)
"""Addresses of PAST_PAGES to which pages have links."""
_LINK = re.compile(
    rf'(?P<start>\s(?:href|hx-get|data-inside)="{_PAST})(?:\?(?P<query>[^"#]*))?(?P<end>#[^"]*)?"(?! data-now)'
)
_FORM = re.compile(rf'<form(?![^>]*\sdata-time-control)(?=[^>]*\smethod="get")(?=[^>]*\saction="{_PAST}["?])[^>]*>')


class BadMoment(ValueError):
    """The text is no moment of the past; the message is a sentence that says what would be one."""


def read_at(query: str) -> str | None:
    """The value of ``at`` in a query string; None where it has none, or an empty one."""
    return dict(parse_qsl(query)).get(AT) or None


def parse_at(text: str, now: float) -> float:
    """The Unix seconds of a moment, to the microsecond. A text without a time zone is in UTC.

    Raises BadMoment for another text, and for a moment after `now`.
    """
    example = format_at(int(now) - 3600)
    if len(text) > LONGEST_TEXT or not _TEXT.fullmatch(text):
        raise BadMoment(f"“{text[:LONGEST_TEXT]}” is not a time. Write one such as {example}.")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadMoment(f"There is no time {text}. Write one such as {example}.") from None
    at = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if at > now:
        raise BadMoment(f"{format_at(at)} has not come yet: it is {format_at(int(now))}. Write a moment of the past.")
    return round(at, 6)


def format_at(at: float) -> str:
    """The moment as addresses have it: RFC 3339 in UTC, with fractions of seconds where it has some."""
    moment = datetime.fromtimestamp(round(at, 6), UTC)
    text = moment.strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}{moment.strftime('.%f').rstrip('0') if moment.microsecond else ''}Z"


def keep_moment(html: str, at: float) -> str:
    """`html` with ``at`` in each link to a page that shows the past, and in each form that asks for one."""
    text = quote(format_at(at), safe=":")
    hidden = f'<input type="hidden" name="{AT}" value="{escape(format_at(at))}">'

    def link(found: re.Match[str]) -> str:
        query = found["query"] or ""
        if query.startswith(f"{AT}=") or f"&amp;{AT}=" in query or f"&{AT}=" in query:
            return found[0]
        return f'{found["start"]}?{query}{"&amp;" if query else ""}{AT}={text}{found["end"] or ""}"'

    return _FORM.sub(lambda found: found[0] + hidden, _LINK.sub(link, html))
