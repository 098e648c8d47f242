"""What an editor of a new object begins with: an example written by hand, else one made from the schema."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from dashboard.creating.sample import sample
from dashboard.edits.document import parse
from dashboard.edits.fields import put
from dashboard.edits.rewrite import rewrite
from dashboard.edits.schema import Schema
from dashboard.resources.kinds import KindInfo
from dashboard.resources.yaml_text import to_yaml

FOLDER = Path(__file__).parent / "examples"
"""``KEY.yaml`` for each kind that has one by hand; every one of them is taken by the API server."""


def example_text(kind: KindInfo, schema: Schema, namespace: str) -> str:
    """An object of the kind that can be made as it stands, as YAML; `namespace` is empty for cluster-scoped kinds."""
    text = _by_hand(kind.key)
    if text and parse(text).value["apiVersion"] == kind.resource.api_version:
        document = parse(text)
        return rewrite(document, put(document.value, ("metadata", "namespace"), namespace)) if namespace else text
    return to_yaml(sample(kind.resource, schema, namespace))


@cache
def _by_hand(key: str) -> str:
    path = FOLDER / f"{key}.yaml"
    return path.read_text() if path.parent == FOLDER and path.is_file() else ""
