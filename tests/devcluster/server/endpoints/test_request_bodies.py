"""Tests of the bodies of patches: which media types are taken, and what is said of others."""

from __future__ import annotations

import pytest

from devcluster.server.api_errors import Failure
from devcluster.server.api_server_core import ApiServer
from devcluster.server.endpoints.request_bodies import decode_patch
from devcluster.server.patch.patch_types import APPLY_PATCH, MERGE_PATCH, STRATEGIC_PATCH

GADGETS = "gadgets.devcluster.example"


@pytest.mark.parametrize("key", ["pods", GADGETS])
def test_server_side_apply_is_refused_with_the_reason(core: ApiServer, key: str) -> None:
    with pytest.raises(Failure, match="server-side apply is not supported by the demo cluster") as caught:
        decode_patch(b"{}", f"{APPLY_PATCH}; charset=utf-8", core.kind(key))
    assert (caught.value.code, caught.value.reason) == (415, "UnsupportedMediaType")


def test_a_strategic_patch_is_for_built_in_kinds_alone(core: ApiServer) -> None:
    assert decode_patch(b'{"a": 1}', STRATEGIC_PATCH, core.kind("pods")) == ({"a": 1}, STRATEGIC_PATCH)
    assert decode_patch(b'{"a": 1}', MERGE_PATCH, core.kind(GADGETS)) == ({"a": 1}, MERGE_PATCH)
    with pytest.raises(Failure) as caught:
        decode_patch(b"{}", STRATEGIC_PATCH, core.kind(GADGETS))
    assert caught.value.code == 415
