"""CustomResourceDefinitions: which versions are served and stored, and what the kind is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.resources.facts.fact import Fact, Section, fact, section
from dashboard.resources.loose import mapping, mappings, text, texts
from dashboard.resources.words import Words, named


def definition_facts(obj: Mapping[str, Any]) -> tuple[Section, ...]:
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    names, plural = mapping(spec.get("names")), text(mapping(spec.get("names")).get("plural"))
    stored, served = texts(status.get("storedVersions")), text(spec.get("group"))
    key = f"{plural}.{served}"
    service = mapping(
        mapping(mapping(mapping(spec.get("conversion")).get("webhook")).get("clientConfig")).get("service")
    )
    namespace = text(service.get("namespace"))
    asked = [Words("Service "), named("services", namespace, text(service.get("name"))), Words(f" in {namespace}")]
    return section(
        "definition", "Definition",
        fact("Objects", [Words("list them", href=f"/resources/{key}/")] if plural and served else None),
        fact("Called", ", ".join([plural, text(names.get("singular")), *texts(names.get("shortNames"))])),
        fact("In categories", ", ".join(texts(names.get("categories"))) or None),
        *map(_version, mappings(spec.get("versions"))),
        fact("Converted by", asked if service else None),
        fact("Stored as", ", ".join(stored) + (": objects of all of these may be there" if len(stored) > 1 else "")),
    )  # fmt: skip


def _version(version: Mapping[str, Any]) -> Fact | None:
    serves, stores, old = (version.get(name) is True for name in ("served", "storage", "deprecated"))
    words = ["served" if serves else "not served", *(["stored"] if stores else []), *(["deprecated"] if old else [])]
    said = text(version.get("deprecationWarning"))
    return fact(
        text(version.get("name")), ", ".join(words), said if old and said else None, tone="warn" if old else "",
        given=True,
    )  # fmt: skip
