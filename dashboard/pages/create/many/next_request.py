"""Automatic next request of the page: the next step, or a retry after a countdown."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.http import QueryDict

from dashboard.objects.problems.write_refusal import Refusal
from dashboard.pages.create.many.plan_execution import ApplyState
from dashboard.pages.create.many.results import Result
from dashboard.runtime.request_retry import LOST_INPUT, LOST_UNREAD, TRIES_INPUT, Retry, next_retry


@dataclass(frozen=True, slots=True)
class NextRequest:
    """The page's automatic next request: its form again, for the next step or after a countdown."""

    delay: int
    """Seconds."""
    retry: Retry | None = None
    """Number of the retry, where a part is retried."""
    refusal: Refusal | None = None
    """Why that part failed."""

    @property
    def status(self) -> int:
        """HTTP status of the page."""
        return self.refusal.code if self.refusal is not None else 200


def next_request(post: QueryDict, results: tuple[Result, ...], state: ApplyState) -> NextRequest | None:
    """The page's automatic next request; None where the apply is over, or the user has to decide."""
    if not state.in_steps:
        return None
    refusal = _waited_for(results)
    if refusal is not None:
        retry = next_retry(
            {TRIES_INPUT: post.get(TRIES_INPUT, "")}, refusal.auto_retry_after, endless=refusal.is_unverified
        )
        return NextRequest(retry.delay, retry, refusal) if retry is not None else None
    failed = any(result.state == "failed" for result in results) and not state.continue_on_failure
    return NextRequest(0) if not failed and any(result.state == "waiting" for result in results) else None


def lost_answer_of(post: QueryDict, results: tuple[Result, ...]) -> str:
    """The lost version that the next try of the retried part gets (retry.LOST_INPUT)."""
    refusal = _waited_for(results)
    if refusal is None:
        return ""
    return refusal.trace or (LOST_UNREAD if refusal.unsure else post.get(LOST_INPUT, ""))


def final_results(results: tuple[Result, ...]) -> tuple[Result, ...]:
    """The results where nothing is sent automatically any more."""
    return tuple(replace(result, state="failed") if result.state == "busy" else result for result in results)


def _waited_for(results: tuple[Result, ...]) -> Refusal | None:
    return next((result.refusal for result in results if result.state == "busy"), None)
