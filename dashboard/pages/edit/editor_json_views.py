"""Endpoints of the YAML editor besides the check: schema hints for a path, field owners, and merging other users'
changes.
"""

from __future__ import annotations

from dataclasses import asdict, replace

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_POST, require_safe

from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.hub import HUB
from dashboard.live.index.searchable_text_counts import MAX_VALUES
from dashboard.live.index.value_counts import LabelSource
from dashboard.objects.fields.field_access import Path
from dashboard.objects.fields.managed_fields import last_writers
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.manifests.yaml_writer import scalar_yaml
from dashboard.objects.schemas.schema import UNKNOWN, Schema
from dashboard.objects.schemas.schema_store import SCHEMAS
from dashboard.pages.edit.actions import merge_theirs
from dashboard.pages.edit.check_while_typing import unreadable_result
from dashboard.pages.edit.completion import FieldHint, Hints, ValueHint, hints, is_labels, read_path, status_hints
from dashboard.pages.edit.form_data import dump_base, read_submission
from dashboard.pages.edit.spec_or_status_request import open_part_request
from dashboard.pages.edit.text_refusals import check_text
from dashboard.pages.layout.requested_kind import UnavailableKind, describe_kind
from dashboard.pages.writes.outcomes import Refused, Submission, returns_outcome
from dashboard.pages.writes.request_context import open_edit_request
from dashboard.pages.writes.target import Editable, Target
from dashboard.pages.writes.write_unavailable import unavailable_as_json
from dashboard.runtime.app_state import AppState, state_of
from informerd.errors import InformerdError

MAX_TYPED_LENGTH = 200
"""Longest typed prefix that is used, in characters."""


@require_safe
async def schema_at(request: HttpRequest, resource: str) -> HttpResponse:
    """`?path=["spec","port"]`: fields, values and help for the path, as JSON (completion.Hints).

    At labels, `part` is the typed prefix and the answer has labels that objects of the kind have now. With
    `edits=status`: only hints for the status.
    """
    state = state_of(request)
    kind = await describe_kind(state, resource)
    path = read_path(request.GET.get("path", ""))
    if isinstance(kind, UnavailableKind) or path is None:
        return JsonResponse({}, status=404 if isinstance(kind, UnavailableKind) else 400)
    client = state[CONNECTION].client
    schema = UNKNOWN if client is None else await state[SCHEMAS].schema_of(client, kind.resource)
    answer = await hints_at(state, kind, schema, path, request.GET.get("part", "")[:MAX_TYPED_LENGTH])
    if request.GET.get("edits") == "status":
        answer = status_hints(answer, path)
    response = JsonResponse(asdict(answer))
    response["Cache-Control"] = "private, no-cache"
    return response


async def hints_at(state: AppState, kind: KindInfo, schema: Schema, path: Path, typed: str) -> Hints:
    """Hints for a path of a kind's object; at labels, those in use that contain the typed text (`part`)."""
    is_known = kind.key in state[HUB].summaries
    if is_known and is_labels(path):
        names = await state[HUB].most_common_values(kind, LabelSource(), typed)
        fields = (FieldHint(each.value, scalar_yaml(each.value), "value", each.words) for each in names[:MAX_VALUES])
        return Hints(fields=tuple(fields), asks=True)
    if is_known and is_labels(path[:-1]):
        values = await state[HUB].most_common_values(kind, LabelSource(str(path[-1])), typed)
        return Hints(
            values=tuple(ValueHint(scalar_yaml(each.value), each.words) for each in values[:MAX_VALUES]), asks=True
        )
    found_hints = hints(schema, path)
    if path in (("apiVersion",), ("kind",)):
        only = kind.resource.kind if path == ("kind",) else kind.resource.api_version
        return replace(found_hints, values=(ValueHint(only),))
    return found_hints


@require_safe
@unavailable_as_json
async def field_owner(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """`?path=["spec","port"]`: the managers of that field in the current object, ``{"by": ["kubectl-edit"]}``."""
    edit_request = await open_edit_request(request, resource, namespace, name, "edit")
    path = read_path(request.GET.get("path", ""))
    if path is None:
        return JsonResponse({}, status=400)
    try:
        live = await edit_request.object_client.read()
    except InformerdError:
        return JsonResponse({"by": []})
    return JsonResponse({"by": last_writers(live, path)})


@require_POST
@unavailable_as_json
async def take_theirs(
    request: HttpRequest, resource: str, namespace: str, name: str, part: Editable = "spec"
) -> HttpResponse:
    """The posted text with other users' changes merged in, as JSON; empty where they overlap: then the page asks.

    For an invalid text: its problems, as in `check_result`.
    """
    edit_request = await open_part_request(request, resource, namespace, name, part)
    draft = await read_submission(request.POST)
    if draft is None:
        return JsonResponse({})
    checked = await returns_outcome(check_text)(edit_request.target, draft)
    if isinstance(checked, Refused):
        return JsonResponse(unreadable_result(checked.refusal, draft))
    merged = await merge_theirs(edit_request.object_client, draft, await edit_request.schema())
    return JsonResponse(_answer(merged, edit_request.target) if isinstance(merged, Submission) else {})


def _answer(submission: Submission, target: Target) -> dict[str, object]:
    base = submission.base
    return {
        "yaml": submission.text,
        "inputs": {"base": dump_base(base), "base_uid": base.uid, "base_version": base.version},
        "note": render_to_string("edit/_rebase_note.html", {"target": target}),
    }
