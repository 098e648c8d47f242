"""Attack: a definition on a real API server whose page for a new object froze the web process for good."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from benchmarks.hostile import hostile_definition
from benchmarks.support.hostile_client import HOSTILE_KIND
from tests.support.controlplane import ControlPlane
from tests.support.local_dashboard import LocalDashboard, ask
from tests.support.wait import until

pytestmark = [pytest.mark.controlplane, pytest.mark.program]

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def test_the_page_of_a_kind_with_a_hostile_schema_answers_and_so_does_the_process(
    controlplane: ControlPlane, tmp_path: Path
) -> None:
    definition = json.loads(json.dumps(hostile_definition()).replace("trap", f"trap{os.urandom(3).hex()}"))
    kind = definition["metadata"]["name"]
    assert kind != HOSTILE_KIND
    controlplane.create(DEFINITIONS, definition)
    try:
        with LocalDashboard(tmp_path, "--no-token", KUBECONFIG=str(controlplane.kubeconfig)) as dashboard:
            until(lambda: ask(f"{dashboard.url}/resources/{kind}/").status == 200, what="the kind is listed")
            page = ask(f"{dashboard.url}/resources/{kind}/new/")
            assert page.status == 200
            assert "deep:" in page.body
            assert ask(f"{dashboard.url}/healthz").status == 200
    finally:
        controlplane.delete(f"{DEFINITIONS}/{kind}")
