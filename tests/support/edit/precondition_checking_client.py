"""Client of the API server that refuses writes which could overwrite or delete something unseen.

Every test of the pages that write uses it, so that it checks each of their requests.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from informerd.rest.client import Client
from informerd.rest.response import Response


class CheckedClient(Client):
    """Raises AssertionError where a PUT, PATCH or DELETE is not about one state of one object, or an eviction not about
    one object. A POST never overwrites: the API server refuses a name that is there."""

    async def request(self, method: str, path: str, **options: Any) -> Response:
        body = options.get("body")
        if method in {"PUT", "PATCH", "DELETE"} or path.endswith("/eviction"):
            assert is_conditional(method, body), f"{method} {path} could be about what nobody saw: {body}"
        return await super().request(method, path, **options)


def is_conditional(method: str, body: object) -> bool:
    """Whether a write carries its preconditions: uid and resourceVersion; for an eviction the uid."""
    if not isinstance(body, Mapping):
        return False
    if method == "POST":
        return bool((body["deleteOptions"].get("preconditions") or {}).get("uid"))
    said = body.get("preconditions") if method == "DELETE" else body.get("metadata")
    return isinstance(said, Mapping) and bool(said.get("uid")) and bool(said.get("resourceVersion"))
