"""Template context of logs with their newest lines, for their page and for the tab of a list's drawer."""

from __future__ import annotations

from operator import itemgetter

from dashboard.objects.logs.severity import NONE
from dashboard.pages.logs.line_buffer import LogPageMark, sort_key
from dashboard.pages.logs.line_formats import SeverityJudge, as_html
from dashboard.pages.logs.links import LogLinks
from dashboard.pages.logs.live_logs import LiveLogs
from dashboard.pages.logs.query import LogsQuery

FIRST_LINES_SECONDS = 0.25
"""Seconds that a page waits for its first lines; then they come by the socket."""
FIRST_LINES = 300
"""Most lines of a page without scripts."""


def logs_context(view: LiveLogs, query: LogsQuery) -> dict[str, object]:
    """What logs/_logs.html and logs/_tab.html show: the newest lines that have come so far.

    `query` is the view's, with the filter as it was typed.
    """
    numbered, names = view.buffer.newest(FIRST_LINES), view.names
    since = view.missing_before(numbered)
    severities = SeverityJudge().judge(entry for _, entry in numbered)
    rows = [
        (sort_key(entry[1]), as_html(number, entry, each, names, query.filter))
        for (number, entry), each in zip(numbered, severities, strict=True)
    ]
    if any(isinstance(item, bytes) and sort_key(item) < since for _, (_, item) in numbered):
        mark = LogPageMark(since, "older", "Lines may be missing above")
        rows.insert(0, (since, as_html(-1, (-1, mark), NONE, names)))
    rows.sort(key=itemgetter(0))
    return {
        "view": view.with_query(query),
        "query": query,
        "rows": [row for _, row in rows],
        "since": since.decode(),
        "links": LogLinks(view.subject.href, query),
    }
