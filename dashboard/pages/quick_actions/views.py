"""Pages of quick actions: preview, then result. All of them work as plain forms."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import cast

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_http_methods

from dashboard.objects.fields.field_access import Value, put
from dashboard.objects.fields.json_input import read_json
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.problems.write_refusal import Refusal, refusal_of
from dashboard.pages.layout.not_found import ChoiceLink, NotFoundInfo, not_found_page
from dashboard.pages.quick_actions.action import Action, ActionForm, FieldState, FormData, WrongInput
from dashboard.pages.quick_actions.dry_run import Preview, preview_action
from dashboard.pages.quick_actions.edit_field import scalar_text
from dashboard.pages.quick_actions.registry import find_action
from dashboard.pages.quick_actions.rollout_status import RolloutStatus, rollout_status
from dashboard.pages.quick_actions.toggles import action_title
from dashboard.pages.quick_actions.write import (
    Done,
    Gone,
    Moved,
    ObjectChanged,
    Outcome,
    Refused,
    Unreviewed,
    read_failed,
    was_stored,
    write,
)
from dashboard.pages.writes.access_checks import denial_reason
from dashboard.pages.writes.destruction import destruction_text
from dashboard.pages.writes.request_context import EditRequest, open_edit_request
from dashboard.pages.writes.retry_page import retry_context
from dashboard.pages.writes.typed_name import TypedName, is_missing
from dashboard.pages.writes.write_unavailable import unavailable_as_page
from dashboard.runtime.request_retry import LOST_INPUT, STORED_AFTER_ALL, next_retry
from informerd.errors import InformerdError, NotFound

_SAFE = "That is safe: it applies to exactly this object in this state, and cannot happen twice."


@require_http_methods(["GET", "HEAD", "POST"])
@unavailable_as_page
async def quick_action(request: HttpRequest, resource: str, namespace: str, name: str, action: str) -> HttpResponse:
    """One action on one object: GET shows it, POST does it. ``?progress`` shows the progress after it."""
    edit_request = await open_edit_request(request, resource, namespace, name, f"do/{action}", any_kind=True)
    found_action = find_action(edit_request.target.kind, action)
    if found_action is None:
        return action_not_found(request, edit_request.target.kind, edit_request.target.href)
    if "progress" in request.GET:
        return await _progress(edit_request, found_action)
    form = request.POST.dict() if request.method == "POST" else request.GET.dict()
    return (
        await _perform(edit_request, found_action, form)
        if request.method == "POST"
        else await _action_page(edit_request, found_action, form)
    )


def action_not_found(request: HttpRequest, kind: KindInfo, href: str) -> HttpResponse:
    """The page for an action that the kind does not have."""
    words = f"{kind.title} have no such action. The details page lists the available ones."
    return not_found_page(
        request, NotFoundInfo("There is no such action", words, (ChoiceLink("Its details", href),)), key=kind.key
    )


async def _action_page(
    edit_request: EditRequest,
    action: Action,
    form: FormData,
    *,
    status: int = 200,
    **extra: object,
) -> HttpResponse:
    """The page of the action. `extra` may have a preview, which saves another dry run."""
    try:
        state = await action.read(edit_request, form)
        action_form = await action.build_form(edit_request, state, form)
    except WrongInput as error:
        return not_found_page(
            edit_request.request,
            NotFoundInfo("The input is not valid", str(error), (ChoiceLink("Its details", edit_request.target.href),)),
            key=edit_request.target.kind.key,
            status=422,
        )
    except InformerdError as error:
        raise edit_request.read_failure(error, action.title) from error
    if action_form.denial or {"refusal", "preview"} & extra.keys():
        denial, preview = (
            action_form.denial or await denial_reason(edit_request, action.verb, action.subresource),
            Preview(),
        )
    else:
        denial, preview = await asyncio.gather(
            denial_reason(edit_request, action.verb, action.subresource),
            preview_action(action, edit_request, state, action_form, form),
        )
    shown: dict[str, object] = {
        "refused": denial,
        "preview": Preview() if denial else preview,
        "typed_name": None,
        "is_confirmed": False,
    }
    context = {**_context(action, action_form, state, lost=LOST_INPUT in form), **shown, **extra}
    return edit_request.page("quick_actions/action.html", str(context["title"]), context, status=status)


def _context(action: Action, form: ActionForm, state: FieldState, *, lost: bool) -> dict[str, object]:
    return {
        "action": action,
        "title": action_title(action, state.value),
        "action_form": form,
        "lost": lost,
        "state": state,
        "before_json": json.dumps(state.value),
        "current_text": scalar_text(state.value),
    }


async def _perform(edit_request: EditRequest, action: Action, form: FormData) -> HttpResponse:
    uid, was = form.get("uid", ""), read_json(form.get("was", ""))
    if not uid or was is None:
        return await _action_page(edit_request, action, form)
    try:
        state = await action.read(edit_request, form)
        desired = await action.desired_value(edit_request, state, form)
        action_form = await action.build_form(edit_request, state, form)
    except WrongInput as error:
        return await _action_page(edit_request, action, form, status=422, problem=str(error))
    except NotFound:
        return await _answered(edit_request, action, form, Gone(replaced=False, unsure=LOST_INPUT in form))
    except InformerdError as error:
        return await _refusal_page(edit_request, action, form, read_failed(error, form))
    is_stored = was_stored(state, form, before=was[0], desired=desired)
    if action_form.denial and not is_stored:
        return await _action_page(edit_request, action, form, status=409)
    typed_name = _name_to_type(edit_request, state, desired)
    is_unconfirmed = bool(action_form.confirmation) and "sure" not in form
    if not is_stored and (is_unconfirmed or is_missing(typed_name)):
        was_asked = "asked" in form
        return await _action_page(
            edit_request,
            action,
            form,
            status=422 if was_asked else 200,
            confirmation=action_form.confirmation,
            is_confirmed="sure" in form,
            typed_name=typed_name.refused if typed_name is not None and was_asked else typed_name,
        )
    seen = form.get("seen", "")
    outcome = await write(
        action, edit_request, form, uid=uid, before=was[0], desired=desired, reviewed_fingerprint=seen
    )
    return await _answered(edit_request, action, {"wanted": scalar_text(desired), **form}, outcome)


def _name_to_type(edit_request: EditRequest, state: FieldState, desired: Value) -> TypedName | None:
    """The object's name, to be typed before the change; None where it destroys nothing or this is not production."""
    changed = cast("dict[str, Value]", put(state.obj, state.path, desired))
    reason, typed_name = destruction_text(state.obj, changed), edit_request.name_to_type
    return replace(typed_name, reason=reason) if typed_name is not None and reason else None


async def _answered(edit_request: EditRequest, action: Action, form: FormData, outcome: Outcome) -> HttpResponse:
    match outcome:
        case Done():
            return await _done_page(edit_request, action, form, outcome)
        case Unreviewed():
            return await _action_page(edit_request, action, form, preview=Preview(outcome.dry_run), is_unreviewed=True)
        case Moved():
            return await _action_page(edit_request, action, form, status=409, moved=outcome)
        case ObjectChanged():
            return await _action_page(edit_request, action, form, status=409, changed=True)
        case Gone():
            title = _title_then(action, form)
            context: dict[str, object] = {"action": action, "title": title, "gone": outcome, "refusal": None}
            return edit_request.page("quick_actions/gone.html", title, context, status=409)
        case Refused():
            return await _refusal_page(edit_request, action, form, outcome)


async def _done_page(edit_request: EditRequest, action: Action, form: FormData, done: Done) -> HttpResponse:
    undo = {"wanted": scalar_text(done.before), "was": json.dumps(done.stored_value), "uid": form["uid"]}
    undo |= {"path": form["path"]} if "path" in form else {}
    context: dict[str, object] = {
        "action": action,
        "title": action_title(action, done.before),
        "done": done,
        "words": action.done_text(done.before, done.stored_value),
        "read_note": STORED_AFTER_ALL if done.is_read_back or (LOST_INPUT in form and not done.changed) else "",
        "undo": undo if action.is_undoable and done.changed and done.before is not None else None,
        "rollout": await _rollout(edit_request),
    }
    return edit_request.page("quick_actions/result.html", str(context["title"]), context)


def _title_then(action: Action, form: FormData) -> str:
    """The action's title on the page that was sent."""
    was = read_json(form.get("was", ""))
    return action_title(action, was[0] if was else None)


async def _refusal_page(edit_request: EditRequest, action: Action, form: FormData, refused: Refused) -> HttpResponse:
    """The page after a refusal; where a retry can succeed, the same form with a countdown."""
    refusal = replace(refused.refusal, unsure=refused.refusal.unsure or LOST_INPUT in form)
    busy = retry_page(
        edit_request, _title_then(action, form), f"do/{action.id}/", {**form, **refused.retry_inputs}, refusal
    )
    return busy or await _form_with_refusal(edit_request, action, form, refusal)


async def _form_with_refusal(
    edit_request: EditRequest, action: Action, form: FormData, refusal: Refusal
) -> HttpResponse:
    try:
        await action.read(edit_request, form)
    except InformerdError:
        return edit_request.refusal_page(refusal, _title_then(action, form))
    return await _action_page(edit_request, action, form, status=refusal.code, refusal=refusal)


def retry_page(
    edit_request: EditRequest, title: str, path: str, form_data: FormData, refusal: Refusal, **more: object
) -> HttpResponse | None:
    """The page with the reason, which sends the same form again; None where the user has to decide."""
    retry = next_retry(form_data, refusal.auto_retry_after, endless=refusal.is_unverified)
    if retry is None:
        return None
    context: dict[str, object] = {
        "title": title,
        "href": f"{edit_request.target.href}{path}",
        **retry_context(form_data, refusal, retry, without="do"),
        "safe": _SAFE,
        **more,
    }
    response = edit_request.page("quick_actions/retry.html", title, context, status=refusal.code)
    response["Retry-After"] = str(retry.delay)
    return response


async def _progress(edit_request: EditRequest, action: Action) -> HttpResponse:
    rollout = await _rollout(edit_request)
    if rollout is None:
        return HttpResponseRedirect(edit_request.target.href)
    context: dict[str, object] = {"action": action, "title": "Rollout of", "rollout": rollout}
    return edit_request.page("quick_actions/progress.html", "Rollout of", context)


async def _rollout(edit_request: EditRequest) -> RolloutStatus | None:
    try:
        return rollout_status(edit_request.target.kind.key, await edit_request.object_client.read())
    except InformerdError as error:
        words = " ".join(problem.words for problem in refusal_of(error).problems)
        return RolloutStatus(words, "warn", is_over=isinstance(error, NotFound))
