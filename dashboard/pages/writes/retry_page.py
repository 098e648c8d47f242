"""The page that waits: what was pressed is sent again by itself, in sight, until it is done or somebody stops it.

Sent again is the very same form, text and all. Without JavaScript there is a button for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from django.http import HttpRequest, HttpResponse

from dashboard.edits.problems import Refusal
from dashboard.repeats import LOST, TRIES, UNREAD, Repeat, repeat_of

_NOT_CARRIED = frozenset({"csrfmiddlewaretoken", "yaml", TRIES, LOST})
_NOTHING = "That is safe: it writes nothing."
_STATE = (
    "That is safe: it is stored only where nobody has written to the object since it was tried; else you are asked."
)
_ONCE = "That is safe: it is made only where none of this name is there, and you are asked where one may have been."
_VERY = "That is safe: it is about this very object in this very state, and cannot be done twice."


@dataclass(frozen=True, slots=True)
class Way:
    """How one button is sent again."""

    button: str
    title: str
    safe: str
    """Why that is safe, as a sentence."""
    is_text: bool = True
    """Whether it is about a text, to which one can go back."""


WAYS: Mapping[str, Way] = MappingProxyType({
    way.button: way
    for way in (
        Way("save", "Save", _STATE),
        Way("create", "Make", _ONCE),
        Way("again", "Make again", _ONCE, is_text=False),
        Way("review", "Review", _NOTHING),
        Way("recreate", "Review", _NOTHING),
        Way("take", "Take in the changes of", _NOTHING),
    )
})  # fmt: skip
"""Of the pages that have a text, by the button that was pressed."""
DELETE = Way("delete", "Delete", _VERY, is_text=False)
UNBIND = Way("take", "Take a finalizer from", _VERY, is_text=False)


class Place(Protocol):
    """Where such a page stands."""

    @property
    def request(self) -> HttpRequest: ...

    @property
    def words(self) -> str:
        """What the page is about."""

    @property
    def href(self) -> str:
        """Where to go instead."""

    def page(self, template: str, title: str, context: dict[str, object], *, status: int = 200) -> HttpResponse: ...


def way_of(post: Mapping[str, str]) -> Way | None:
    """How the button that came with `post` is sent again."""
    return next((way for name, way in WAYS.items() if name in post), None)


def waiting_page(place: Place, way: Way | None, refusal: Refusal, *, text: str = "") -> HttpResponse | None:
    """The page where the same is sent again after a countdown; None where it is not, and the person has to decide.

    `text` is what there is beside the text that came: files that were sent with it are in it.
    """
    post = place.request.POST.dict()
    repeat = repeat_of(post, refusal.again_after, endless=refusal.unread)
    if way is None or repeat is None:
        return None
    context: dict[str, object] = {
        "way": way,
        "what": place.words,
        "back": place.href,
        "action": place.request.get_full_path(),
        "text": text or post.get("yaml"),
        **again(post, refusal, repeat, without=way.button),
        "safe": way.safe,
    }
    response = place.page("repeats/waiting.html", way.title, context, status=refusal.code)
    response["Retry-After"] = str(repeat.after)
    return response


def again(post: Mapping[str, str], refusal: Refusal, repeat: Repeat, *, without: str) -> dict[str, object]:
    """What repeats/_countdown.html shows and sends; the button `without` is on the page itself."""
    own = (name for name in post if name not in _NOT_CARRIED and name != without and not name.startswith("draft"))
    fields = {name: post[name] for name in own} | {TRIES: str(repeat.tries)}
    if refusal.unsure or LOST in post:
        fields[LOST] = refusal.trace or (UNREAD if refusal.unsure else post[LOST])
    return {"fields": tuple(fields.items()), "repeat": repeat, "refusal": refusal}
