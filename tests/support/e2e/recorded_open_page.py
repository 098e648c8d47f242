"""Open pages that are recorded, each with its expected content."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.support.e2e.cluster_history import History
from tests.support.e2e.cpu_starvation import Waited
from tests.support.e2e.page_recording import PageRecording
from tests.support.e2e.page_recording_check import LATE, Subject, Verdict, judge, judge_struck
from tests.support.wait import until

WITHIN = 45_000
"""Milliseconds for what takes seconds on a machine that has nothing else to do."""


class RecordedPage:
    """One page with its recording and its subjects; `waited` tells how long the programs behind it waited for a CPU."""

    def __init__(self, page: Page, url: str, *subjects: Subject, waited: Waited | None = None) -> None:
        self.page = page
        self.subjects = subjects
        page.goto(url, timeout=WITHIN)
        self.be_live()
        page.evaluate("window.sameDocument = true")
        self.recording = PageRecording(page, waited)

    def be_live(self) -> None:
        """Wait until it says live."""
        expect(self.page.locator("body")).to_have_attribute("data-live", "live", timeout=WITHIN)

    def be(self, state: str, within: float = WITHIN) -> None:
        """Wait until it says stale, or offline."""
        expect(self.page.locator("body")).to_have_attribute("data-live", state, timeout=within)

    def agree(self, history: History, *, struck: bool = False) -> None:
        """Wait until it is live and shows the last of all states, without a ghost and without having been reloaded.

        Rows of deleted objects may still be shown `struck` out, or not.
        """
        wrong: list[str] = []

        def agrees() -> bool:
            state, parts = self.recording.now()
            wrong[:] = [each.wrong(parts, history.now(each.kind)) for each in self.subjects]
            return state == "live" and not any(wrong) and (struck or not parts.get("struck"))

        try:
            until(agrees, within=WITHIN / 1000, every=0.1)
        except AssertionError:
            words = self.page.locator("#banner").text_content()
            raise AssertionError(f"{self.recording.now()[0]} ({words}): {wrong}") from None
        assert self.page.evaluate("window.sameDocument") is True

    def judge(self, history: History, *, late: float = LATE) -> Verdict:
        """The verdict on the recording so far."""
        self.recording.take()
        verdict = judge_struck(self.recording, late=late)
        for subject in self.subjects:
            verdict.add(judge(subject, self.recording, history, late=late))
        return verdict
