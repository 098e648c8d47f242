"""What a test needs from the machine: without it the test is skipped, and under CI=true it fails instead."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest

ENVTEST_DEFAULT = "/usr/local/kubebuilder/bin"
"""Where controller-runtime's envtest looks when KUBEBUILDER_ASSETS is not set."""


def missing(what: str, why: str) -> NoReturn:
    """Skip the running test because `what` is not here; fail it under CI=true, where nothing may be left out."""
    sentence = f"needs {what}: {why}"
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail(f"{sentence} (a skip is a failure under CI=true)", pytrace=False)
    pytest.skip(sentence)


def controlplane_binaries() -> Path:
    """The folder with etcd and kube-apiserver, or a skip that names what is missing."""
    folder = Path(os.environ.get("KUBEBUILDER_ASSETS") or ENVTEST_DEFAULT)
    absent = [name for name in ("etcd", "kube-apiserver") if not os.access(folder / name, os.X_OK)]
    if absent:
        missing("a control plane", f"no {' and no '.join(absent)} in {folder}, set KUBEBUILDER_ASSETS")
    return folder
