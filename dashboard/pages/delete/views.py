"""The pages that delete: what it means, and how far it is."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_http_methods

from dashboard.edits.again import create_again
from dashboard.edits.answers import answer
from dashboard.edits.fields import Value
from dashboard.edits.outcomes import Saved
from dashboard.edits.place import Place, find_place, missing_place
from dashboard.edits.posted import sent_draft
from dashboard.edits.problems import Refusal, refusal_of, unanswered
from dashboard.edits.said import say, say_no_more
from dashboard.edits.waiting import DELETE, waiting_page
from dashboard.removal.choice import GRACES, Choice, choice_of
from dashboard.removal.command import delete_command
from dashboard.removal.going import STILL, Going, gone, look
from dashboard.removal.meaning import Meaning, meaning_of
from dashboard.repeats import LOST, STORED, is_unanswered
from dashboard.resources.missing import Link, Missing
from dashboard.resources.query import Query
from informerd.errors import Conflict, InformerdError, NotFound

_NOT_KNOWN = (
    "It may or may not be deleted",
    "Whether the deletion was taken is not known yet: the object cannot be read at the moment.",
)
_NOT_DONE = ("It was not deleted", "The object was read again: it is there, and nobody is deleting it.")
AGAIN, CHECK = "again", "check"


@require_http_methods(["GET", "HEAD", "POST"])
async def delete(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """Asks before it deletes; with ``?uid=`` how far the deletion of that very object is."""
    place = await find_place(request, resource, namespace, name, "delete", any_kind=True)
    if isinstance(place, HttpResponse):
        return place
    if not place.target.kind.deletable:
        return missing_place(request, _not_deleted(place), 404, place.target.kind)
    if request.method != "POST":
        return await followed(place, request.GET["uid"]) if request.GET.get("uid") else await _asked(place)
    if AGAIN in request.POST:
        return await _made_again(place)
    return await _posted(place)


def _not_deleted(place: Place) -> Missing:
    kind = place.target.kind
    why = f"The API server has only {', '.join(sorted(kind.resource.verbs))} for them."
    return Missing(f"{kind.title} cannot be deleted", why, (Link(kind.title, kind.path),))


# --- asking ---


async def _asked(
    place: Place,
    choice: Choice | None = None,
    *,
    changed: bool = False,
    refusal: Refusal | None = None,
) -> HttpResponse:
    """The page that says what it means. The API server is asked, too: a dry run says what it would refuse."""
    choice = choice or Choice()
    try:
        live = await place.exchange.read()
    except NotFound as error:
        if not changed and refusal is None:
            return place.unopened(error, "Delete")
        return progress_page(place, gone(place, place.request.POST.get("uid", "")))
    except InformerdError as error:
        if refusal is not None and refusal.unsure:
            return place.trouble(refusal, "Delete")
        return place.unopened(error, "Delete")
    meaning = await meaning_of(place, live)
    tried = None if refusal is not None else await _tried(place, live, choice)
    status = 409 if changed else refusal.code if refusal is not None else 200
    return _ask_page(place, meaning, choice, {"changed": changed, "refusal": refusal, "tried": tried}, status=status)


def _ask_page(
    place: Place, meaning: Meaning, choice: Choice, said: dict[str, object], *, status: int = 200
) -> HttpResponse:
    context: dict[str, object] = {
        "deletion": meaning,
        "choice": choice,
        "graces": GRACES,
        "command": delete_command(place.target, choice),
        "back": _list_before(place),
        **said,
    }
    return place.page("removal/ask.html", "Delete", context, status=status)


async def _checked(place: Place, choice: Choice, wrong: Refusal | None) -> HttpResponse:
    """What the API server says of another choice: of the page only that part, as what goes with it is the same."""
    context: dict[str, object] = {"command": delete_command(place.target, choice), "refusal": wrong}
    if wrong is None:
        try:
            context["tried"] = await _tried(place, await place.exchange.read(), choice)
        except InformerdError as error:
            context["tried"] = refusal_of(error)
    return place.page("removal/_plan.html", "Delete", context, status=wrong.code if wrong is not None else 200)


async def _tried(place: Place, live: dict[str, Value], choice: Choice) -> Refusal | None:
    """Why the API server would not take it; None where it would."""
    uid, version = live["metadata"]["uid"], live["metadata"]["resourceVersion"]
    try:
        await place.exchange.delete(uid, version, choice.propagation, grace=choice.grace, dry_run=True)
    except (Conflict, NotFound):
        return None  # it changed in this moment: pressing the button will say so
    except InformerdError as error:
        return refusal_of(error)
    return None


# --- deleting ---


async def _posted(place: Place) -> HttpResponse:
    """DELETE exactly what the page showed: that object in that state; anything newer is shown first."""
    post = place.request.POST
    uid, version = post.get("uid", ""), post.get("version", "")
    choice, wrong = choice_of(post)
    if CHECK in post and "HX-Request" in place.request.headers:
        return await _checked(place, choice, wrong)
    if wrong is not None or CHECK in post or not uid or not version:
        return await _asked(place, choice, refusal=wrong)
    try:
        live = await place.exchange.read()
    except InformerdError as error:
        unread = unanswered(error, *_NOT_KNOWN, unread=True) if LOST in post else refusal_of(error)
        return await _not_done(place, choice, error, unread)
    try:
        if LOST in post and (live["metadata"]["uid"] != uid or live["metadata"].get("deletionTimestamp")):
            return await followed(place, uid, live, found=True)
        await place.exchange.delete(uid, version, choice.propagation, grace=choice.grace, dry_run=True)
    except InformerdError as error:
        return await _not_done(place, choice, error, refusal_of(error))
    try:
        warnings = await place.exchange.delete(uid, version, choice.propagation, grace=choice.grace)
    except InformerdError as error:
        return await _not_done(place, choice, error, await _found_out(place, error, live))
    return await followed(place, uid, live, warnings)


async def _not_done(
    place: Place, choice: Choice, error: InformerdError, outcome: Refusal | HttpResponse
) -> HttpResponse:
    if isinstance(outcome, HttpResponse):
        return outcome
    if isinstance(error, Conflict):
        return await _asked(place, choice, changed=True)
    if isinstance(error, NotFound):
        post = place.request.POST
        return progress_page(place, gone(place, post["uid"]), found=LOST in post)
    return waiting_page(place, DELETE, outcome) or await _asked(place, choice, refusal=outcome)


async def _found_out(place: Place, error: InformerdError, before: dict[str, Value]) -> Refusal | HttpResponse:
    """After a deletion without a clear answer: its progress, where it turns out that the API server took it."""
    if not is_unanswered(error):
        return refusal_of(error)
    try:
        going = await look(place, place.request.POST["uid"], before)
    except InformerdError:
        return unanswered(error, *_NOT_KNOWN, unread=True)
    return unanswered(error, *_NOT_DONE) if going.state == STILL else progress_page(place, going, found=True)


async def followed(
    place: Place,
    uid: str,
    before: dict[str, Value] | None = None,
    warnings: tuple[str, ...] = (),
    *,
    found: bool = False,
) -> HttpResponse:
    """How far it is; `before` is its last state, where that was read just now.

    `found`: no clear answer came to the deletion, and it was found out that it was taken.
    """
    try:
        going = await look(place, uid, before, users=not _wants(place.request, "#progress"))
    except InformerdError as error:
        going = Going(uid, "unknown", problem=refusal_of(error))
    if going.state == STILL:  # nobody has deleted it
        return await _asked(place)
    return progress_page(place, going, warnings, found=found)


def progress_page(place: Place, going: Going, warnings: tuple[str, ...] = (), *, found: bool = False) -> HttpResponse:
    """`found`: no clear answer came to the deletion, and it was found out that it was taken."""
    context: dict[str, object] = {"going": going, "warnings": warnings, "back": _back(place), "found": found}
    response = place.page("removal/progress.html", "Delete", context)
    patch_vary_headers(response, ("HX-Request", "HX-Target"))
    say_no_more(place.request, response)
    return response


def _wants(request: HttpRequest, part: str) -> bool:
    """Whether htmx asks for one part of the page."""
    return "HX-Request" in request.headers and request.headers.get("HX-Target", "").endswith(part)


async def _made_again(place: Place) -> HttpResponse:
    """From the last state, which the page showed; never on top of another object of the name."""
    draft = await sent_draft(place.request.POST)
    if draft is None:
        return await followed(place, place.request.GET.get("uid", ""))
    outcome = await create_again(place.exchange, draft, lost=place.request.POST.get(LOST, ""))
    if not isinstance(outcome, Saved):
        return await answer(place, await place.schema(), outcome)
    response = HttpResponseRedirect(place.target.href)
    read = f": {STORED}" if outcome.read else ""
    say(response, place.target.href, f"{place.target.words} is made again from its last state, with a new uid{read}.")
    return response


# --- where they came from ---


def _list_before(place: Place) -> str:
    """The address of the list from which they came to delete; empty where they came from elsewhere."""
    request, kind = place.request, place.target.kind
    before = urlsplit(request.POST.get("back", "") if request.method == "POST" else request.headers.get("Referer", ""))
    return Query.parse(QueryDict(before.query), kind.key).href() if before.path == kind.path else ""


def _back(place: Place) -> str:
    """The list to go on with."""
    query = f"?{urlencode({'namespace': place.target.namespace})}" if place.target.namespace else ""
    return _list_before(place) or place.target.kind.path + query
