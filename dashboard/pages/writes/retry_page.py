"""Waiting page: the form of a busy write is sent again automatically, visibly, until it is done or the user stops it.

The same form is sent, text and all. Without JavaScript there is a button for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from django.http import HttpRequest, HttpResponse

from dashboard.objects.problems.write_refusal import Refusal
from dashboard.runtime.request_retry import LOST_INPUT, LOST_UNREAD, TRIES_INPUT, Retry, next_retry

_NOT_CARRIED = frozenset({"csrfmiddlewaretoken", "yaml", TRIES_INPUT, LOST_INPUT})
_NOTHING = "That is safe: it writes nothing."
_STATE = (
    "That is safe: it is stored only if nobody has written to the object since the first try; else Deltaboard asks you."
)
_ONCE = "That is safe: it is created only if its name is free; if that is uncertain, Deltaboard asks you."
_VERY = "That is safe: it applies to exactly this object in this state, and cannot happen twice."


@dataclass(frozen=True, slots=True)
class RetryAction:
    """Retry of one button."""

    button: str
    title: str
    safety_note: str
    """Why the retry is safe, as a sentence."""
    is_text: bool = True
    """Whether it has a text, to which the user can return."""


RETRY_ACTIONS: Mapping[str, RetryAction] = MappingProxyType({
    action.button: action
    for action in (
        RetryAction("save", "Save", _STATE),
        RetryAction("create", "Create", _ONCE),
        RetryAction("again", "Create again", _ONCE, is_text=False),
        RetryAction("review", "Review", _NOTHING),
        RetryAction("recreate", "Review", _NOTHING),
        RetryAction("take", "Take in the changes of", _NOTHING),
    )
})  # fmt: skip
"""Retries of the pages with a text, by button."""
DELETE = RetryAction("delete", "Delete", _VERY, is_text=False)
REMOVE_FINALIZER = RetryAction("take", "Take a finalizer from", _VERY, is_text=False)


class RetryTarget(Protocol):
    """Context of a waiting page."""

    @property
    def request(self) -> HttpRequest: ...

    @property
    def words(self) -> str:
        """Subject of the page."""

    @property
    def href(self) -> str:
        """Address to leave the page."""

    def page(self, template: str, title: str, context: dict[str, object], *, status: int = 200) -> HttpResponse: ...


def retry_action_of(post: Mapping[str, str]) -> RetryAction | None:
    """The retry of the button in `post`."""
    return next((action for name, action in RETRY_ACTIONS.items() if name in post), None)


def retry_page(
    target: RetryTarget, action: RetryAction | None, refusal: Refusal, *, text: str = ""
) -> HttpResponse | None:
    """The page that sends the same form after a countdown; None where the user has to decide.

    `text` replaces the posted text: uploaded files are in it.
    """
    post = target.request.POST.dict()
    retry = next_retry(post, refusal.auto_retry_after, endless=refusal.is_unverified)
    if action is None or retry is None:
        return None
    context: dict[str, object] = {
        "retry_action": action,
        "subject": target.words,
        "back_href": target.href,
        "action": target.request.get_full_path(),
        "text": text or post.get("yaml"),
        **retry_context(post, refusal, retry, without=action.button),
        "safe": action.safety_note,
    }
    response = target.page("writes/retry.html", action.title, context, status=refusal.code)
    response["Retry-After"] = str(retry.delay)
    return response


def retry_context(post: Mapping[str, str], refusal: Refusal, retry: Retry, *, without: str) -> dict[str, object]:
    """Context of writes/_retry_countdown.html; the button `without` is on the page itself."""
    own = (name for name in post if name not in _NOT_CARRIED and name != without and not name.startswith("draft"))
    fields = {name: post[name] for name in own} | {TRIES_INPUT: str(retry.attempt)}
    if refusal.unsure or LOST_INPUT in post:
        fields[LOST_INPUT] = refusal.trace or (LOST_UNREAD if refusal.unsure else post[LOST_INPUT])
    return {"fields": tuple(fields.items()), "retry": retry, "refusal": refusal}
