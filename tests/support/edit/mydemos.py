"""Builder of Mydemos for the tests of editing."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def mydemo(name: str, ip: str = "10.0.0.1", port: int = 8080, **metadata: Any) -> Json:
    return {
        "apiVersion": "crddemo.k8s.io/v1",
        "kind": "Mydemo",
        "metadata": {"name": name, **metadata},
        "spec": {"ip": ip, "port": port},
    }
