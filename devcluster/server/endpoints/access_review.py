"""Access reviews, which allow the one user everything, for `kubectl auth can-i` and `whoami`.

Source: Kubernetes' pkg/registry/authorization and pkg/registry/authentication.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

Json = dict[str, Any]

_EVERYTHING: Json = {
    "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
    "incomplete": False,
}
_USER: Json = {"username": "demo", "groups": ["system:masters", "system:authenticated"]}
_REVIEWS: Mapping[str, tuple[str, Json]] = MappingProxyType(
    {
        "authorization.k8s.io/v1/selfsubjectaccessreviews": ("SelfSubjectAccessReview", {"allowed": True}),
        "authorization.k8s.io/v1/selfsubjectrulesreviews": ("SelfSubjectRulesReview", _EVERYTHING),
        "authentication.k8s.io/v1/selfsubjectreviews": ("SelfSubjectReview", {"userInfo": _USER}),
    }
)
"""Kind and status of the answer, by the path below /apis."""


def review_access(path: str, body: bytes) -> Json | None:
    """The answer to a review that is asked for at `path`; None where none is. What it asks about comes back in it."""
    review = _REVIEWS.get(path.removeprefix("/apis/"))
    if review is None:
        return None
    kind, status = review
    group_version = path.removeprefix("/apis/").rpartition("/")[0]
    request: Any = None
    with contextlib.suppress(msgspec.DecodeError):  # kubectl asks in protobuf: whatever it is, it is allowed
        request = msgspec.json.decode(body)
    spec = request.get("spec") if isinstance(request, dict) else None
    return {"kind": kind, "apiVersion": group_version, "metadata": {}, "spec": spec or {}, "status": status}
