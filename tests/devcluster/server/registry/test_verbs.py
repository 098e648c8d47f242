"""Tests of verbs of the registry: patches of a Scale."""

from __future__ import annotations

import json
from typing import Any

import pytest

from devcluster.server.api_errors import Failure
from devcluster.server.api_server_core import ApiServer
from devcluster.server.patch.patch_types import JSON_PATCH, MERGE_PATCH
from devcluster.server.request_options import WriteOptions
from tests.support.devcluster.registry_calls import create, found
from tests.support.devcluster.workload_cluster import DEPLOYMENTS, deployment

REPLICAS = "/spec/replicas"


@pytest.mark.parametrize(
    ("patch", "patch_type"),
    [([{"op": "replace", "path": REPLICAS, "value": 5}], JSON_PATCH), ({"spec": {"replicas": 5}}, MERGE_PATCH)],
)
def test_a_patch_of_a_scale_changes_the_replicas_and_gives_the_scale(
    core: ApiServer, patch: Any, patch_type: str
) -> None:
    before = create(core, DEPLOYMENTS, deployment("web"))
    result = core.verbs.patch_scale(core.kind(DEPLOYMENTS), "t", "web", patch, patch_type, WriteOptions())
    scale = json.loads(result.raw)
    assert (result.code, scale["kind"], scale["spec"]) == (200, "Scale", {"replicas": 5})
    after = found(core, DEPLOYMENTS, "web")
    assert after is not None
    assert after["spec"] == {**before["spec"], "replicas": 5}


def test_a_json_patch_of_a_scale_whose_test_fails_changes_nothing(core: ApiServer) -> None:
    before = create(core, DEPLOYMENTS, deployment("web"))
    steps = [
        {"op": "test", "path": REPLICAS, "value": 3},
        {"op": "replace", "path": REPLICAS, "value": 5},
    ]
    with pytest.raises(Failure):
        core.verbs.patch_scale(core.kind(DEPLOYMENTS), "t", "web", steps, JSON_PATCH, WriteOptions())
    assert found(core, DEPLOYMENTS, "web") == before
