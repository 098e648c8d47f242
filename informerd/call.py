"""One HTTP request to the API server, ready to be sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode

import msgspec

Json = dict[str, Any]
Params = Mapping[str, str | int | bool | None]
Headers = Mapping[str, str] | Iterable[tuple[str, str]]
PatchType = Literal["merge", "json", "strategic", "apply"]

JSON = "application/json"
_PATCH_TYPES: dict[PatchType, str] = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}


@dataclass(frozen=True)
class Call:
    """One request, which can be sent and sent again."""

    method: str
    path: str
    """Path and query, percent-encoded."""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    timeout: float = 30.0
    """Seconds for the whole answer of a write; for a GET, seconds without a byte."""


def build_call(
    method: str,
    path: str,
    params: Params | None,
    body: bytes | Json | Sequence[Any] | None,
    content_type: str,
    headers: Headers | None,
    timeout: float,
) -> Call:
    """The call with its body encoded. Parameters that are None or empty are left out; `headers` win over the usual."""
    own = [("Accept", JSON), ("User-Agent", "deltaboard")]
    if body is not None:
        own.append(("Content-Type", content_type))
        body = body if isinstance(body, bytes) else msgspec.json.encode(body)
    given = tuple(headers.items() if isinstance(headers, Mapping) else headers or ())
    names = {name.lower() for name, _ in given}
    merged = (*(pair for pair in own if pair[0].lower() not in names), *given)
    return Call(method, _with_query(path, params), merged, body, timeout)


def patch_content_type(patch_type: PatchType) -> str:
    """How a PATCH says which kind of patch it is."""
    return _PATCH_TYPES[patch_type]


def write_params(dry_run: bool, field_manager: str, field_validation: str) -> dict[str, str | int | bool | None]:
    """The query of a create, update or patch."""
    return {
        "dryRun": "All" if dry_run else None,
        "fieldManager": field_manager,
        "fieldValidation": field_validation,
    }


def _with_query(path: str, params: Params | None) -> str:
    pairs = [(name, _text(value)) for name, value in (params or {}).items() if value is not None and value != ""]
    return f"{path}?{urlencode(pairs)}" if pairs else path


def _text(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
