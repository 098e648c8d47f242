"""What the editor of several objects asks while somebody types: what is wrong where, and what may stand at a place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_POST, require_safe

from dashboard.creating.checking import Checked, TextCheck
from dashboard.creating.definitions import Defined
from dashboard.creating.several_pages import kitchen_of
from dashboard.edits.document import EMPTY, DocumentError
from dashboard.edits.editor_pages import LONGEST, hints_at
from dashboard.edits.fields import Path
from dashboard.edits.hints import Hints, ValueHint, hints, is_labels, read_path
from dashboard.edits.marks import marks
from dashboard.edits.posted import text_of
from dashboard.edits.problems import Refusal, unreadable, with_excerpts
from dashboard.edits.schema import UNKNOWN, with_metadata
from dashboard.live.context import LiveParts, live_of
from dashboard.resources.kinds import KindInfo, kind_of
from dashboard.resources.namespaces import is_watched
from informerd.errors import InformerdError

_BARE = with_metadata({"type": "object"})
"""Of an object that does not say yet what it is."""
_NOTHING: Mapping[str, Any] = MappingProxyType({"valid": True, "marks": [], "problems": "", "says": ""})


@require_POST
async def check_several(request: HttpRequest) -> HttpResponse:
    """As dashboard.edits.check answers, about a text of several objects. JSON.

    `says` is the whole in some words, `defined` are the kinds that the text defines, for `schema_of_kind`.
    """
    live, text = live_of(request), text_of(request.POST)
    try:
        found = await TextCheck(kitchen_of(live, request), live.texts).of(text)
    except DocumentError as error:
        if error.message == EMPTY:  # nothing is typed yet, or all was taken out again
            return JsonResponse(dict(_NOTHING))
        return JsonResponse(_answer(unreadable(error), text))
    words = "1 object" if found.objects == 1 else f"{found.objects} objects"
    if not found.count:
        return JsonResponse({**_NOTHING, "says": f"{words}, valid", "defined": found.defined})
    refusal = Refusal(found.problems, 422, _title(found))
    says = f"{words}, {found.count} problem{'' if found.count == 1 else 's'}"
    return JsonResponse({**_answer(refusal, text), "says": says, "defined": found.defined})


def _answer(refusal: Refusal, text: str) -> dict[str, Any]:
    shown = with_excerpts(refusal, text)
    html = render_to_string("edits/_problems.html", {"refusal": shown, "problems": shown.problems, "typing": True})
    return {"valid": False, "problems": html, "marks": marks(refusal)}


def _title(found: Checked) -> str:
    objects = "This object" if found.objects == 1 else f"{found.wrong} of {found.objects} objects"
    more = f" (the first {len(found.problems)} of {found.count} problems)" if found.count > len(found.problems) else ""
    return f"{objects} cannot be made as {'it is' if found.wrong == 1 else 'they are'}{more}"


@require_safe
async def schema_of_kind(request: HttpRequest) -> HttpResponse:
    """`?path=["spec","port"]&apiVersion=&kind=`: what may stand there, as JSON (hints.Hints).

    `by`: the key of the document of the text that defines the kind. At apiVersion and kind: the kinds that are served.
    """
    live, asked = live_of(request), request.GET
    path = read_path(asked.get("path", ""))
    if path is None:
        return JsonResponse({}, status=400)
    api_version, kind = asked.get("apiVersion", "")[:LONGEST], asked.get("kind", "")[:LONGEST]
    if path in (("apiVersion",), ("kind",)):
        found = await _names(live, path, api_version, kind)
    else:
        found = await _help(live, path, (api_version, kind), asked)
    response = JsonResponse(asdict(found))
    response["Cache-Control"] = "private, no-cache"
    return response


async def _help(live: LiveParts, path: Path, meant: tuple[str, str], asked: Mapping[str, str]) -> Hints:
    defined = _defined(live, meant, asked.get("by", ""))
    if defined is not None:
        return hints(defined.schema, path)
    if live.client is None or live.discovery is None or not all(meant):
        return hints(_BARE, path)
    try:
        info = kind_of(await live.discovery.resource_of(*meant))
        schema = await live.schemas.schema_of(live.client, info.resource)
    except InformerdError:
        return hints(_BARE, path)
    if (is_labels(path) or is_labels(path[:-1])) and not is_watched(live, info.key):
        return hints(UNKNOWN, path)  # nobody counts the labels of a kind that is not followed
    return await hints_at(live, info, schema, path, asked.get("part", "")[:LONGEST])


def _defined(live: LiveParts, meant: tuple[str, str], key: str) -> Defined | None:
    objects = live.texts.of(key) or ()
    found = (defined for each in objects for defined in each.defines)
    return next((each for each in found if (each.api_version, each.kind) == meant), None)


async def _names(live: LiveParts, path: Path, api_version: str, kind: str) -> Hints:
    """The kinds that the API server has and lets people make; of an apiVersion that is there already, its own."""
    about = hints(_BARE, path)
    try:
        served = await live.discovery.served() if live.discovery is not None else ()
    except InformerdError:
        served = ()
    made = [each for each in served if _is_made(kind_of(each).with_resource(each))]
    if path == ("kind",):
        own = [each for each in made if each.api_version == api_version]
        values = _grouped((each.kind, each.api_version) for each in own or made)
    else:
        own = [each for each in made if each.kind == kind]
        values = _grouped((each.api_version, each.kind if own else "") for each in own or made)
    return Hints(values=values, words=about.words, facts=about.facts)


def _is_made(kind: KindInfo) -> bool:
    return kind.creatable and kind.kept


def _grouped(pairs: Iterable[tuple[str, str]]) -> tuple[ValueHint, ...]:
    """Each value once, with what goes with it, in the server's order: the version that a group prefers first."""
    found: dict[str, list[str]] = defaultdict(list)
    for value, words in pairs:
        found[value] += [words] if words and words not in found[value] else []
    return tuple(ValueHint(value, " or ".join(words)) for value, words in found.items())
