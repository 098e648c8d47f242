"""Taking a finalizer away from an object that is being deleted: a separate step, said what it means, then done."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_http_methods

from dashboard.edits.fields import Value
from dashboard.edits.place import Place, find_place
from dashboard.edits.problems import Refusal, refusal_of, unanswered
from dashboard.edits.waiting import UNBIND, waiting_page
from dashboard.removal.command import finalizer_command
from dashboard.removal.finalizers import finalizer_of, finalizers_of
from dashboard.removal.going import gone, of_live
from dashboard.removal.pages import followed, progress_page
from dashboard.repeats import LOST, is_unanswered
from informerd.errors import Conflict, InformerdError, NotFound

_NOT_KNOWN = (
    "It may or may not be taken away",
    "Whether the finalizer was taken away is not known yet: the object cannot be read at the moment.",
)
_NOT_DONE = ("It was not taken away", "The object was read again: it still has the finalizer.")


@require_http_methods(["GET", "HEAD", "POST"])
async def finalizer(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """Taking one finalizer (``?name=``) away from an object that is being deleted: said what it means, then done."""
    place = await find_place(request, resource, namespace, name, "delete/finalizer", any_kind=True)
    if isinstance(place, HttpResponse):
        return place
    return await _taken_away(place) if request.method == "POST" else await _asked_to_take_away(place)


async def _asked_to_take_away(place: Place, *, changed: bool = False, refusal: Refusal | None = None) -> HttpResponse:
    form = place.request.POST if place.request.method == "POST" else place.request.GET
    name = form.get("name", "")
    try:
        live = await place.exchange.read()
    except InformerdError as error:
        if refusal is not None and refusal.unsure:
            return place.trouble(refusal, "Delete")
        return place.unopened(error, "Delete")
    metadata = live["metadata"]
    names: list[str] = metadata.get("finalizers") or []
    if name not in names or not metadata.get("deletionTimestamp"):
        return HttpResponseRedirect(f"{place.target.href}delete/?{urlencode({'uid': metadata['uid']})}")
    found = next((each for each in finalizers_of(live) if each.name == name), finalizer_of(name))
    rest = [each for each in names if each != name]
    by, at = await place.exchange.writer(live)
    context: dict[str, object] = {
        "going": of_live(place, live),
        "finalizer": found,
        "rest": rest,
        "uid": metadata["uid"],
        "version": metadata["resourceVersion"],
        "changed": changed,
        "refusal": refusal,
        "writer": by,
        "written": at,
        "command": finalizer_command(place.target, metadata["uid"], metadata["resourceVersion"], rest),
    }
    status = 409 if changed else refusal.code if refusal is not None else 200
    return place.page("removal/finalizer.html", "Delete", context, status=status)


async def _taken_away(place: Place) -> HttpResponse:
    """PATCH that very state: whatever changed since is shown first."""
    post = place.request.POST
    uid, version, name = post.get("uid", ""), post.get("version", ""), post.get("name", "")
    if not uid or not version or "understood" not in post:
        return await _asked_to_take_away(place)
    try:
        live = await place.exchange.read()
    except InformerdError as error:
        unread = unanswered(error, *_NOT_KNOWN, unread=True) if LOST in post else refusal_of(error)
        return await _not_taken_away(place, error, unread)
    finalizers = live["metadata"].get("finalizers") or ()
    if (live["metadata"]["uid"], live["metadata"]["resourceVersion"]) != (uid, version):
        if LOST in post and (live["metadata"]["uid"] != uid or name not in finalizers):
            return await followed(place, uid, live, found=True)
        return await _asked_to_take_away(place, changed=True)
    change: dict[str, Value] = {"metadata": {"finalizers": [each for each in finalizers if each != name]}}
    try:
        await place.exchange.patch(change, uid, version, dry_run=True)
    except InformerdError as error:
        return await _not_taken_away(place, error, refusal_of(error))
    try:
        await place.exchange.patch(change, uid, version, dry_run=False)
    except InformerdError as error:
        return await _not_taken_away(place, error, refusal_of(error), sent=True)
    return await followed(place, uid, live)


async def _not_taken_away(place: Place, error: InformerdError, refusal: Refusal, *, sent: bool = False) -> HttpResponse:
    """Where it was `sent` and no clear answer came, the object itself tells."""
    post = place.request.POST
    if isinstance(error, Conflict):
        return await _asked_to_take_away(place, changed=True)
    if isinstance(error, NotFound):
        return progress_page(place, gone(place, post["uid"]), found=LOST in post)
    if sent and is_unanswered(error):
        try:
            live = await place.exchange.read()
        except NotFound:
            return progress_page(place, gone(place, post["uid"]), found=True)
        except InformerdError:
            refusal = unanswered(error, *_NOT_KNOWN, unread=True)
        else:
            if post["name"] not in (live["metadata"].get("finalizers") or ()):
                return await followed(place, post["uid"], live, found=True)
            refusal = unanswered(error, *_NOT_DONE)
    return waiting_page(place, UNBIND, refusal) or await _asked_to_take_away(place, refusal=refusal)
