"""Start text of a new object: an example file, a sample that a project ships, else one generated from the schema."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings

from dashboard.objects.fields.field_access import put
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.manifests.document import parse
from dashboard.objects.manifests.rewrite_in_place import rewrite
from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.objects.problems.write_refusal import Problem, Refusal
from dashboard.objects.schemas.samples.sample import sample
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.create.example_trial import Trial, try_example
from dashboard.pages.create.namespace_choice import NamespaceChoice
from dashboard.pages.create.sample_files import sample_folder
from informerd.rest.client import Client

FOLDER = Path(__file__).parent / "examples"
"""``KEY.yaml`` for each kind with an example; the API server accepts every one of them."""


@dataclass(frozen=True, slots=True)
class StartText:
    """Text with which the editor starts."""

    text: str
    sample_names: tuple[str, ...] = ()
    """Names of the project's samples of the kind."""
    chosen: str = ""
    """The name of that of them which the text is; empty for another example."""
    trial: Trial | None = None
    """What the API server says to a generated example; None for others."""
    refusal: Refusal | None = None
    """What the API server does not accept in it, or why it is not the wanted sample."""


async def start_text(client: Client, kind: KindInfo, schema: Schema, choice: NamespaceChoice, wanted: str) -> StartText:
    """The sample of the name `wanted`; where that is empty, the kind's example, tried on the API server if it is
    generated. A sample stays in its own namespace, where there is one of that name and nobody has chosen another.
    """
    namespace = choice.namespace
    folder = settings.DELTABOARD_SAMPLES
    samples = await asyncio.to_thread(sample_folder(folder).samples_of, kind.resource) if folder else ()
    names = tuple(each.name for each in samples)
    chosen = next((each for each in samples if each.name == wanted), None)
    if chosen is not None:
        allowed = () if choice.list_namespaces else choice.choices
        return StartText(await asyncio.to_thread(chosen.text_for, kind.resource, namespace, allowed), names, wanted)
    missing = _missing(wanted) if wanted else None
    by_hand = await asyncio.to_thread(_text_by_hand, kind, namespace)
    if by_hand:
        return StartText(by_hand, names, refusal=missing)
    value = await asyncio.to_thread(sample, kind.resource, schema, namespace)
    trial = await try_example(client, kind, schema, value, namespace)
    return StartText(to_yaml(trial.value), names, trial=trial, refusal=missing or trial.refusal)


def example_text(kind: KindInfo, schema: Schema, namespace: str) -> str:
    """An object of the kind, as YAML: the file that the API server accepts as it is, else one generated from the
    schema and not tried; `namespace` is empty for cluster-scoped kinds.
    """
    return _text_by_hand(kind, namespace) or to_yaml(sample(kind.resource, schema, namespace))


def _text_by_hand(kind: KindInfo, namespace: str) -> str:
    """The kind's file; empty where there is none for its version."""
    text = _by_hand(kind.key)
    document = parse(text) if text else None
    if document is None or document.value["apiVersion"] != kind.resource.api_version:
        return ""
    return rewrite(document, put(document.value, ("metadata", "namespace"), namespace)) if namespace else text


def _missing(name: str) -> Refusal:
    words = Problem(f"There is no sample {name} of this kind. The editor starts with another example.")
    return Refusal((words,), 404, "This sample does not exist any more")


@cache
def _by_hand(key: str) -> str:
    path = FOLDER / f"{key}.yaml"
    return path.read_text() if path.parent == FOLDER and path.is_file() else ""
