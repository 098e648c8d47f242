"""Facts of CustomResourceDefinitions: served and stored versions, and the names of the kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.objects.describers.fact import Fact, Section, make_fact, make_section
from dashboard.objects.fields.unstructured import as_map, as_maps, as_text, as_texts
from dashboard.runtime.text_with_links import TextPiece, object_piece


def definition_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = as_map(obj.get("spec")), as_map(obj.get("status"))
    names, plural = as_map(spec.get("names")), as_text(as_map(spec.get("names")).get("plural"))
    stored, served = as_texts(status.get("storedVersions")), as_text(spec.get("group"))
    key = f"{plural}.{served}"
    service = as_map(as_map(as_map(as_map(spec.get("conversion")).get("webhook")).get("clientConfig")).get("service"))
    namespace = as_text(service.get("namespace"))
    webhook = [
        TextPiece("Service "),
        object_piece("services", namespace, as_text(service.get("name"))),
        TextPiece(f" in {namespace}"),
    ]
    return make_section(
        "definition", "Definition",
        make_fact("Objects", [TextPiece("list them", href=f"/resources/{key}/")] if plural and served else None),
        make_fact("Called", ", ".join([plural, as_text(names.get("singular")), *as_texts(names.get("shortNames"))])),
        make_fact("In categories", ", ".join(as_texts(names.get("categories"))) or None),
        *map(_version, as_maps(spec.get("versions"))),
        make_fact("Converted by", webhook if service else None),
        make_fact(
            "Stored as", ", ".join(stored) + (": objects in all of these may exist" if len(stored) > 1 else "")
        ),
    )  # fmt: skip


def without_schemas(obj: Mapping[str, Any]) -> dict[str, Any]:
    """A definition without the schemas of its versions: most of its text, and no fact is told from them."""
    spec = as_map(obj.get("spec"))
    versions = [
        {name: value for name, value in version.items() if name != "schema"}
        for version in as_maps(spec.get("versions"))
    ]
    return {**obj, "spec": {**spec, "versions": versions}}


def _version(version: Mapping[str, Any]) -> Fact | None:
    serves, stores, old = (version.get(name) is True for name in ("served", "storage", "deprecated"))
    words = ["served" if serves else "not served", *(["stored"] if stores else []), *(["deprecated"] if old else [])]
    notice = as_text(version.get("deprecationWarning"))
    return make_fact(
        as_text(version.get("name")), ", ".join(words), notice if old and notice else None, tone="warn" if old else "",
        is_user_named=True,
    )  # fmt: skip
