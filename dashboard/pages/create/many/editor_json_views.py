"""Endpoints of the editor of several objects, while the user types: problems, and schema hints for a path."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_POST, require_safe

from dashboard.access.quota_owner import quota_owners
from dashboard.cluster.connection import CONNECTION
from dashboard.objects.fields.field_access import Path
from dashboard.objects.kinds.catalog import KindInfo, kind_of
from dashboard.objects.manifests.document import EMPTY, DocumentError
from dashboard.objects.problems.write_refusal import Refusal, unreadable_refusal, with_excerpts
from dashboard.objects.schemas.schema import UNKNOWN, with_metadata
from dashboard.objects.schemas.schema_store import SCHEMAS
from dashboard.pages.create.many.cached_parse_results import PARSE_CACHE
from dashboard.pages.create.many.check_while_typing import CheckResult, TextCheck
from dashboard.pages.create.many.dependencies import DefinedKind
from dashboard.pages.create.many.views import apply_context_of
from dashboard.pages.edit.completion import Hints, ValueHint, hints, is_labels, read_path
from dashboard.pages.edit.diagnostics import diagnostics
from dashboard.pages.edit.editor_json_views import MAX_TYPED_LENGTH, hints_at
from dashboard.pages.edit.form_data import submitted_text
from dashboard.pages.layout.requested_kind import is_followed
from dashboard.runtime.app_state import AppState, scope_of, state_of
from dashboard.runtime.compute_process_pool import WORK_PROCESSES
from informerd.errors import InformerdError

_BARE = with_metadata({"type": "object"})
"""Fields of an object whose kind is not known yet."""
_NOTHING: Mapping[str, Any] = MappingProxyType({"valid": True, "marks": [], "problems": "", "says": ""})


@require_POST
async def check_many(request: HttpRequest) -> HttpResponse:
    """The check of a text of several objects, like dashboard.pages.edit.check_while_typing. JSON.

    `says` is a short summary, `defined` are the kinds that the text defines, for `schema_of_kind`.
    """
    state, text = state_of(request), submitted_text(request.POST)
    try:
        context, owners = apply_context_of(state, request), quota_owners(scope_of(request))
        result = await TextCheck(context, state[PARSE_CACHE], state[WORK_PROCESSES], owners).run(text)
    except DocumentError as error:
        if error.message == EMPTY:  # nothing is typed yet, or all was taken out again
            return JsonResponse(dict(_NOTHING))
        return JsonResponse(_answer(unreadable_refusal(error), text))
    words = "1 object" if result.objects == 1 else f"{result.objects} objects"
    if not result.problem_count:
        return JsonResponse({**_NOTHING, "says": f"{words}, valid", "defined": result.defined_kinds})
    refusal = Refusal(result.problems, 422, _title(result))
    says = f"{words}, {result.problem_count} problem{'' if result.problem_count == 1 else 's'}"
    return JsonResponse({**_answer(refusal, text), "says": says, "defined": result.defined_kinds})


def _answer(refusal: Refusal, text: str) -> dict[str, Any]:
    shown = with_excerpts(refusal, text)
    html = render_to_string("writes/_problems.html", {"refusal": shown, "problems": shown.problems, "typing": True})
    return {"valid": False, "problems": html, "marks": diagnostics(refusal)}


def _title(result: CheckResult) -> str:
    objects = "This object" if result.objects == 1 else f"{result.invalid} of {result.objects} objects"
    more = (
        f" (the first {len(result.problems)} of {result.problem_count} problems)"
        if result.problem_count > len(result.problems)
        else ""
    )
    return f"{objects} cannot be created as {'it is' if result.invalid == 1 else 'they are'}{more}"


@require_safe
async def schema_of_kind(request: HttpRequest) -> HttpResponse:
    """`?path=["spec","port"]&apiVersion=&kind=`: fields and values for the path, as JSON (completion.Hints).

    `by`: the key of the document of the text that defines the kind. At apiVersion and kind: the served kinds.
    """
    state, params = state_of(request), request.GET
    path = read_path(params.get("path", ""))
    if path is None:
        return JsonResponse({}, status=400)
    api_version, kind = params.get("apiVersion", "")[:MAX_TYPED_LENGTH], params.get("kind", "")[:MAX_TYPED_LENGTH]
    if path in (("apiVersion",), ("kind",)):
        hints = await _names(state, path, api_version, kind)
    else:
        hints = await _help(state, path, (api_version, kind), params)
    response = JsonResponse(asdict(hints))
    response["Cache-Control"] = "private, no-cache"
    return response


async def _help(state: AppState, path: Path, meant: tuple[str, str], params: Mapping[str, str]) -> Hints:
    defined = _defined(state, meant, params.get("by", ""))
    if defined is not None:
        return hints(defined.schema, path)
    client, discovery = state[CONNECTION].client, state[CONNECTION].discovery
    if client is None or discovery is None or not all(meant):
        return hints(_BARE, path)
    try:
        info = kind_of(await discovery.resource_of(*meant))
        schema = await state[SCHEMAS].schema_of(client, info.resource)
    except InformerdError:
        return hints(_BARE, path)
    if (is_labels(path) or is_labels(path[:-1])) and not is_followed(state, info.key):
        return hints(UNKNOWN, path)  # nobody counts the labels of a kind that is not followed
    return await hints_at(state, info, schema, path, params.get("part", "")[:MAX_TYPED_LENGTH])


def _defined(state: AppState, meant: tuple[str, str], key: str) -> DefinedKind | None:
    objects = state[PARSE_CACHE].get(key) or ()
    kinds = (defined for each in objects for defined in each.defined_kinds)
    return next((each for each in kinds if (each.api_version, each.kind) == meant), None)


async def _names(state: AppState, path: Path, api_version: str, kind: str) -> Hints:
    """The kinds that the API server lets users create; where apiVersion is set, its kinds."""
    about = hints(_BARE, path)
    discovery = state[CONNECTION].discovery
    try:
        served = await discovery.served_resources() if discovery is not None else ()
    except InformerdError:
        served = ()
    creatable = [each for each in served if _is_creatable(kind_of(each).with_resource(each))]
    if path == ("kind",):
        own = [each for each in creatable if each.api_version == api_version]
        values = _grouped((each.kind, each.api_version) for each in own or creatable)
    else:
        own = [each for each in creatable if each.kind == kind]
        values = _grouped((each.api_version, each.kind if own else "") for each in own or creatable)
    return Hints(values=values, words=about.words, facts=about.facts)


def _is_creatable(kind: KindInfo) -> bool:
    return kind.creatable and kind.readable


def _grouped(pairs: Iterable[tuple[str, str]]) -> tuple[ValueHint, ...]:
    """Each value once, with what belongs to it, in the server's order: a group's preferred version first."""
    groups: dict[str, list[str]] = defaultdict(list)
    for value, words in pairs:
        groups[value] += [words] if words and words not in groups[value] else []
    return tuple(ValueHint(value, " or ".join(words)) for value, words in groups.items())
