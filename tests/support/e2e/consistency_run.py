"""Run of open pages of every kind under changes, with the mismatches found."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from playwright.sync_api import Page

from tests.support.e2e import expected_page_content
from tests.support.e2e.page_recording_check import LATE, Verdict
from tests.support.e2e.production_stack import ProductionStack
from tests.support.e2e.random_changes import Changes
from tests.support.e2e.recorded_open_page import RecordedPage

TAKE = 1.0
"""Seconds between two looks at what the pages have recorded, and at the API server's own list."""
DETAILS_OF = "pod-00002"


def open_pages(
    stack: ProductionStack, changes: Changes, new_page: Callable[[], Page], most: int = 5
) -> list[RecordedPage]:
    """A filtered and sorted list, custom resources, details, the overview, and a list that may need several pages.

    Each is of the other web process than the one before. Of all there are as many as `most`.
    """
    namespace = changes.namespace
    lists = (
        expected_page_content.pods_with_restarts(namespace),
        expected_page_content.all_mydemos(namespace),
        expected_page_content.details(namespace, DETAILS_OF),
    )
    path, pods = expected_page_content.all_pods(namespace)
    wanted = [(path, [subject, expected_page_content.counts(subject.kind)]) for path, subject in lists]
    wanted += [expected_page_content.overview(), (path, [pods])]
    return [
        RecordedPage(new_page(), stack.webs[number % 2].url + path, *shown, waited=stack.waited)
        for number, (path, shown) in enumerate(wanted[:most])
    ]


def change_and_watch(pages: list[RecordedPage], changes: Changes, *, seconds: float, rate: float) -> None:
    """Make `rate` changes a second for so long, then wait until all pages show the last state."""
    with changes.going_on(rate):
        ending = time.monotonic() + seconds
        while time.monotonic() < ending:
            pages[0].page.wait_for_timeout(TAKE * 1000)
            for page in pages:
                page.recording.take()
            changes.confirm()
    for page in pages:
        page.agree(changes.history)
    changes.confirm()


def verdicts(pages: list[RecordedPage], changes: Changes, *, late: float = LATE) -> Iterator[tuple[str, Verdict]]:
    """The verdict on each page, under the name of the page's first subject."""
    for page in pages:
        yield page.subjects[0].name, page.judge(changes.history, late=late)
