"""The pages of quick actions: what would be done, then what came of it. All of them work as plain forms."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_http_methods

from dashboard.edits.access import forbidden
from dashboard.edits.json_text import read_json
from dashboard.edits.place import Place, find_place
from dashboard.edits.problems import Refusal, refusal_of
from dashboard.edits.waiting import again
from dashboard.quick.action import Action, Asked, Form, State, WrongInput
from dashboard.quick.preview import Preview, preview
from dashboard.quick.registry import action_of
from dashboard.quick.rollout import rollout_of
from dashboard.quick.scalar import text_of
from dashboard.quick.toggle import title_of
from dashboard.quick.writing import Changed, Done, Gone, Moved, Outcome, Refused, Unseen, unread, was_stored, write
from dashboard.repeats import LOST, STORED, repeat_of
from dashboard.resources.kinds import KindInfo
from dashboard.resources.missing import Link, Missing, missing_page
from informerd.errors import InformerdError, NotFound

_SAFE = "That is safe: it is about this very object in this very state, and cannot be done twice."


@require_http_methods(["GET", "HEAD", "POST"])
async def act(request: HttpRequest, resource: str, namespace: str, name: str, action: str) -> HttpResponse:
    """One action on one object: GET asks, POST does it. ``?progress`` is how far what was done has come."""
    place = await find_place(request, resource, namespace, name, f"do/{action}", any_kind=True)
    if isinstance(place, HttpResponse):
        return place
    found = action_of(place.target.kind, action)
    if found is None:
        return no_such_action(request, place.target.kind, place.target.href)
    if "progress" in request.GET:
        return await _progress(place, found)
    form = request.POST.dict() if request.method == "POST" else request.GET.dict()
    return await _done(place, found, form) if request.method == "POST" else await _asked(place, found, form)


def no_such_action(request: HttpRequest, kind: KindInfo, href: str) -> HttpResponse:
    """The page for an action that objects of this kind do not have."""
    words = f"There is no such action for {kind.title}. Its details name those that there are."
    return missing_page(request, Missing("There is no such action", words, (Link("Its details", href),)), key=kind.key)


async def _asked(
    place: Place,
    action: Action,
    form: Form,
    *,
    status: int = 200,
    **said: object,
) -> HttpResponse:
    """`said` may bring the preview: no dry run is made for another one then."""
    try:
        state = await action.read(place, form)
        asked = await action.ask(place, state, form)
    except WrongInput as wrong:
        return missing_page(
            place.request,
            Missing("This cannot be done so", str(wrong), (Link("Its details", place.target.href),)),
            key=place.target.kind.key,
            status=422,
        )
    except InformerdError as error:
        return place.unopened(error, action.title)
    if asked.refused or {"refusal", "preview"} & said.keys():
        refused, seen = asked.refused or await forbidden(place, action.verb, action.subresource), Preview()
    else:
        refused, seen = await asyncio.gather(
            forbidden(place, action.verb, action.subresource), preview(action, place, state, asked, form)
        )
    shown: dict[str, object] = {"refused": refused, "preview": Preview() if refused else seen}
    context = {**_context(action, asked, state, lost=LOST in form), **shown, **said}
    return place.page("quick/action.html", str(context["title"]), context, status=status)


def _context(action: Action, asked: Asked, state: State, *, lost: bool) -> dict[str, object]:
    return {
        "action": action,
        "title": title_of(action, state.value),
        "asked": asked,
        "lost": lost,
        "state": state,
        "was": json.dumps(state.value),
        "now": text_of(state.value),
    }


async def _done(place: Place, action: Action, form: Form) -> HttpResponse:
    uid, was = form.get("uid", ""), read_json(form.get("was", ""))
    if not uid or was is None:
        return await _asked(place, action, form)
    try:
        state = await action.read(place, form)
        wanted = await action.wanted(place, state, form)
        asked = await action.ask(place, state, form)
    except WrongInput as wrong:
        return await _asked(place, action, form, status=422, problem=str(wrong))
    except NotFound:
        return await _answered(place, action, form, Gone(replaced=False, unsure=LOST in form))
    except InformerdError as error:
        return await _refused(place, action, form, unread(error, form))
    stored = was_stored(state, form, was=was[0], wanted=wanted)
    if asked.refused and not stored:
        return await _asked(place, action, form, status=409)
    if asked.consent and "sure" not in form and not stored:
        return await _asked(place, action, form, status=422 if "asked" in form else 200, consent=asked.consent)
    seen = form.get("seen", "")
    outcome = await write(action, place, form, uid=uid, was=was[0], wanted=wanted, seen=seen)
    return await _answered(place, action, {"wanted": text_of(wanted), **form}, outcome)


async def _answered(place: Place, action: Action, form: Form, outcome: Outcome) -> HttpResponse:
    match outcome:
        case Done():
            return await _done_page(place, action, form, outcome)
        case Unseen():
            return await _asked(place, action, form, preview=Preview(outcome.trial), unseen=True)
        case Moved():
            return await _asked(place, action, form, status=409, moved=outcome)
        case Changed():
            return await _asked(place, action, form, status=409, changed=True)
        case Gone():
            title = _title_then(action, form)
            context: dict[str, object] = {"action": action, "title": title, "gone": outcome, "refusal": None}
            return place.page("quick/gone.html", title, context, status=409)
        case Refused():
            return await _refused(place, action, form, outcome)


async def _done_page(place: Place, action: Action, form: Form, done: Done) -> HttpResponse:
    undo = {"wanted": text_of(done.before), "was": json.dumps(done.after), "uid": form["uid"]}
    undo |= {"path": form["path"]} if "path" in form else {}
    context: dict[str, object] = {
        "action": action,
        "title": title_of(action, done.before),
        "done": done,
        "words": action.done(done.before, done.after),
        "read": STORED if done.read or (LOST in form and not done.changed) else "",
        "undo": undo if action.undoes and done.changed and done.before is not None else None,
        "rollout": await _rollout(place),
    }
    return place.page("quick/done.html", str(context["title"]), context)


def _title_then(action: Action, form: Form) -> str:
    """What the action was called on the page that was sent."""
    was = read_json(form.get("was", ""))
    return title_of(action, was[0] if was else None)


async def _refused(place: Place, action: Action, form: Form, refused: Refused) -> HttpResponse:
    """Where it may pass by itself, the same form again with a countdown: what is sent again is the very same."""
    refusal = replace(refused.refusal, unsure=refused.refusal.unsure or LOST in form)
    busy = busy_page(place, _title_then(action, form), f"do/{action.id}/", {**form, **refused.tried}, refusal)
    return busy or await _asked_or_said(place, action, form, refusal)


async def _asked_or_said(place: Place, action: Action, form: Form, refusal: Refusal) -> HttpResponse:
    try:
        await action.read(place, form)
    except InformerdError:
        return place.trouble(refusal, _title_then(action, form))
    return await _asked(place, action, form, status=refusal.code, refusal=refusal)


def busy_page(place: Place, title: str, path: str, form: Form, refusal: Refusal, **more: object) -> HttpResponse | None:
    """Says why it was not done yet, and sends the same once more; None where that is for the person to decide."""
    repeat = repeat_of(form, refusal.again_after, endless=refusal.unread)
    if repeat is None:
        return None
    context: dict[str, object] = {
        "title": title,
        "href": f"{place.target.href}{path}",
        **again(form, refusal, repeat, without="do"),
        "safe": _SAFE,
        **more,
    }
    response = place.page("quick/busy.html", title, context, status=refusal.code)
    response["Retry-After"] = str(repeat.after)
    return response


async def _progress(place: Place, action: Action) -> HttpResponse:
    rollout = await _rollout(place)
    if rollout is None:
        return HttpResponseRedirect(place.target.href)
    context: dict[str, object] = {"action": action, "title": "Rollout of", "rollout": rollout}
    return place.page("quick/progress.html", "Rollout of", context)


async def _rollout(place: Place) -> object:
    try:
        return rollout_of(place.target.kind.key, await place.exchange.read())
    except InformerdError as error:
        problems = refusal_of(error).problems
        return {"words": " ".join(each.words for each in problems), "tone": "warn", "over": False}
