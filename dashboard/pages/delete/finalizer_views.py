"""Page that removes a finalizer from an object under deletion, with its consequences."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_http_methods

from dashboard.objects.fields.field_access import Value
from dashboard.objects.problems.write_refusal import Refusal, refusal_of, unanswered_refusal
from dashboard.pages.delete.finalizers import finalizer_of, finalizers_of
from dashboard.pages.delete.kubectl import finalizer_command
from dashboard.pages.delete.outcome import gone_outcome, outcome_of_current
from dashboard.pages.delete.views import follow_deletion, progress_page
from dashboard.pages.writes.request_context import EditRequest, open_edit_request
from dashboard.pages.writes.retry_page import REMOVE_FINALIZER, retry_page
from dashboard.pages.writes.typed_name import is_missing
from dashboard.pages.writes.write_unavailable import unavailable_as_page
from dashboard.runtime.request_retry import LOST_INPUT, is_unanswered
from informerd.errors import Conflict, InformerdError, NotFound

_NOT_KNOWN = (
    "The finalizer may or may not be removed",
    "It is not known yet whether the finalizer was removed: the object cannot be read at the moment.",
)
_NOT_DONE = ("The finalizer was not removed", "The object was read again: it still has the finalizer.")


@require_http_methods(["GET", "HEAD", "POST"])
@unavailable_as_page
async def remove_finalizer(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """Removal of one finalizer (``?name=``) from an object under deletion: the consequences, then the write."""
    edit_request = await open_edit_request(request, resource, namespace, name, "delete/finalizer", any_kind=True)
    return await _remove_finalizer(edit_request) if request.method == "POST" else await _confirmation_page(edit_request)


async def _confirmation_page(
    edit_request: EditRequest,
    *,
    changed: bool = False,
    refusal: Refusal | None = None,
    is_name_refused: bool = False,
) -> HttpResponse:
    form = edit_request.request.POST if edit_request.request.method == "POST" else edit_request.request.GET
    name = form.get("name", "")
    try:
        live = await edit_request.object_client.read()
    except InformerdError as error:
        if refusal is not None and refusal.unsure:
            return edit_request.refusal_page(refusal, "Delete")
        raise edit_request.read_failure(error, "Delete") from error
    metadata = live["metadata"]
    names: list[str] = metadata.get("finalizers") or []
    if name not in names or not metadata.get("deletionTimestamp"):
        return HttpResponseRedirect(f"{edit_request.target.href}delete/?{urlencode({'uid': metadata['uid']})}")
    finalizer = next((each for each in finalizers_of(live) if each.name == name), finalizer_of(name))
    others = [each for each in names if each != name]
    author, written_at = await edit_request.object_client.last_author(live)
    typed_name = edit_request.name_to_type
    context: dict[str, object] = {
        "typed_name": typed_name.refused if typed_name is not None and is_name_refused else typed_name,
        "is_understood": "understood" in form,
        "outcome": await outcome_of_current(edit_request, live),
        "finalizer": finalizer,
        "other_finalizers": others,
        "uid": metadata["uid"],
        "version": metadata["resourceVersion"],
        "changed": changed,
        "refusal": refusal,
        "last_author": author,
        "last_write": written_at,
        "command": finalizer_command(edit_request.target, metadata["uid"], metadata["resourceVersion"], others),
    }
    status = 409 if changed else refusal.code if refusal is not None else 422 if is_name_refused else 200
    return edit_request.page("delete/remove_finalizer.html", "Delete", context, status=status)


async def _remove_finalizer(edit_request: EditRequest) -> HttpResponse:
    """PATCH exactly that state: later changes are shown first."""
    post = edit_request.request.POST
    uid, version, name = post.get("uid", ""), post.get("version", ""), post.get("name", "")
    if not uid or not version or "understood" not in post:
        return await _confirmation_page(edit_request)
    if is_missing(edit_request.name_to_type):
        return await _confirmation_page(edit_request, is_name_refused=True)
    try:
        live = await edit_request.object_client.read()
    except InformerdError as error:
        unread = unanswered_refusal(error, *_NOT_KNOWN, is_unverified=True) if LOST_INPUT in post else refusal_of(error)
        return await _not_removed(edit_request, error, unread)
    finalizers = live["metadata"].get("finalizers") or ()
    if (live["metadata"]["uid"], live["metadata"]["resourceVersion"]) != (uid, version):
        if LOST_INPUT in post and (live["metadata"]["uid"] != uid or name not in finalizers):
            return await follow_deletion(edit_request, uid, live, was_unanswered=True)
        return await _confirmation_page(edit_request, changed=True)
    change: dict[str, Value] = {"metadata": {"finalizers": [each for each in finalizers if each != name]}}
    try:
        await edit_request.object_client.patch(change, uid, version, dry_run=True)
    except InformerdError as error:
        return await _not_removed(edit_request, error, refusal_of(error))
    try:
        await edit_request.object_client.patch(change, uid, version, dry_run=False)
    except InformerdError as error:
        return await _not_removed(edit_request, error, refusal_of(error), sent=True)
    return await follow_deletion(edit_request, uid, live)


async def _not_removed(
    edit_request: EditRequest, error: InformerdError, refusal: Refusal, *, sent: bool = False
) -> HttpResponse:
    """The page after a failure; where the write was `sent` without a clear answer, the object's state tells."""
    post = edit_request.request.POST
    if isinstance(error, Conflict):
        return await _confirmation_page(edit_request, changed=True)
    if isinstance(error, NotFound):
        return progress_page(
            edit_request, await gone_outcome(edit_request, post["uid"]), was_unanswered=LOST_INPUT in post
        )
    if sent and is_unanswered(error):
        try:
            live = await edit_request.object_client.read()
        except NotFound:
            return progress_page(edit_request, await gone_outcome(edit_request, post["uid"]), was_unanswered=True)
        except InformerdError:
            refusal = unanswered_refusal(error, *_NOT_KNOWN, is_unverified=True)
        else:
            if post["name"] not in (live["metadata"].get("finalizers") or ()):
                return await follow_deletion(edit_request, post["uid"], live, was_unanswered=True)
            refusal = unanswered_refusal(error, *_NOT_DONE)
    return retry_page(edit_request, REMOVE_FINALIZER, refusal) or await _confirmation_page(
        edit_request, refusal=refusal
    )
