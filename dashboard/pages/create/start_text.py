"""Start text of a new object: an example file, else one generated from the schema."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from dashboard.objects.fields.field_access import put
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.manifests.document import parse
from dashboard.objects.manifests.rewrite import rewrite
from dashboard.objects.manifests.writer import to_yaml
from dashboard.objects.schemas.sample import sample
from dashboard.objects.schemas.schema import Schema

FOLDER = Path(__file__).parent / "examples"
"""``KEY.yaml`` for each kind with an example; the API server accepts every one of them."""


def example_text(kind: KindInfo, schema: Schema, namespace: str) -> str:
    """An object of the kind that can be created as it is, as YAML; `namespace` is empty for cluster-scoped kinds."""
    text = _by_hand(kind.key)
    if text and parse(text).value["apiVersion"] == kind.resource.api_version:
        document = parse(text)
        return rewrite(document, put(document.value, ("metadata", "namespace"), namespace)) if namespace else text
    return to_yaml(sample(kind.resource, schema, namespace))


@cache
def _by_hand(key: str) -> str:
    path = FOLDER / f"{key}.yaml"
    return path.read_text() if path.parent == FOLDER and path.is_file() else ""
