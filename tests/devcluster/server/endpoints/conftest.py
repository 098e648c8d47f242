"""Fixture: kubectl on the demo cluster of the process."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.kubectl import KubectlSide, kubectl_binary
from tests.support.skip_if_missing import missing


@pytest.fixture
def kubectl(process: Path, tmp_path: Path) -> KubectlSide:
    binary = kubectl_binary()
    if binary is None:
        missing("kubectl", "none on PATH or in KUBEBUILDER_ASSETS")
    return KubectlSide(binary, process, tmp_path / "cache", "default")
