"""The kubeconfig that the demo cluster writes for its clients."""

from __future__ import annotations

import json
import os
from pathlib import Path


def write_kubeconfig(file: Path, *, server: str, token: str) -> None:
    """Write a kubeconfig named demo, readable by its owner only. JSON is YAML. Replaced in one step.

    Raises OSError.
    """
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "demo",
        "clusters": [{"name": "demo", "cluster": {"server": server}}],
        "users": [{"name": "demo", "user": {"token": token}}],
        "contexts": [{"name": "demo", "context": {"cluster": "demo", "user": "demo", "namespace": "default"}}],
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        stream.write(json.dumps(config, indent=2) + "\n")
    fresh.replace(file)
