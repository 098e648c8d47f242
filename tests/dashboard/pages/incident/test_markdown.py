"""Tests of an incident as Markdown: what others named and wrote stays text."""

from __future__ import annotations

from dashboard.objects.logs.log_message import LogMessage
from dashboard.pages.incident.markdown import MAX_ENTRIES, as_markdown
from dashboard.pages.incident.timeline_entry import TimelineEntry

LOG = (
    LogMessage("panic: ```no```"),
    LogMessage("\x1b[31mred"),
    LogMessage("no way", "error", (("path", "/a"),), is_json=True),
    LogMessage("x" * 300),
)


def markdown(*entries: TimelineEntry) -> str:
    return as_markdown(
        "Pod shop/a_b", "http://x/why/pods/shop/a_b/", "c*1", "All is <b>well</b>.", ["One | two"], entries
    )


def test_it_is_a_table_oldest_first_with_logs_below() -> None:
    subject = "Pod shop/a_b"
    text = markdown(
        TimelineEntry(1.8e9 + 60, "log", "the last lines", subject=subject, lines=LOG),
        TimelineEntry(1.8e9, "change", "image a | b → c", subject=subject),
        TimelineEntry(1.8e9 - 60, "event", "@channel ~~see~~ https://evil.example &rlm;"),
    )
    lines = text.splitlines()
    assert lines[0] == r"**[Pod shop/a\_b](http://x/why/pods/shop/a_b/)** on cluster c\*1: All is \<b\>well\</b\>."
    assert lines[2] == r"* One \| two"
    assert lines.pop(6).startswith(
        r"| 2027-01-15 07:59:00 | event: \@channel \~\~see\~\~ https\://evil.example \&rlm; |"
    )
    assert lines[6] == r"| 2027-01-15 08:00:00 | change: image a \| b → c | Pod shop/a\_b |"
    assert lines[7].startswith("| 2027-01-15 08:01:00 | log: the last lines |")
    assert "panic: '''no'''" in lines
    assert text.count("```") == 2
    assert "ERROR no way path=/a" in lines
    assert max(map(len, lines)) == 200
    assert "\x1b" not in text


def test_of_many_entries_the_newest_are_there_and_the_rest_is_counted() -> None:
    entries = [TimelineEntry(1.8e9 - number, "change", f"number {number}") for number in range(MAX_ENTRIES + 5)]
    text = markdown(*entries)
    assert "number 0 " in text
    assert f"number {MAX_ENTRIES} " not in text
    assert "5 older entries are on the page." in text
