"""kubeconfig files for tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from informerd.errors import ConfigError
from informerd.rest.load_config import load_kubeconfig


def kubeconfig(
    path: Path,
    name: str = "prod",
    *,
    cluster: str = "",
    user: str = "token: t",
    context: str = "",
    current: bool = True,
) -> Path:
    """Write a kubeconfig with one context; `cluster`, `user` and `context` are lines added to each part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "\n".join(
            [
                "apiVersion: v1",
                "kind: Config",
                f"current-context: {name}" if current else "preferences: {}",
                "contexts:",
                f"- name: {name}",
                f"  context: {{cluster: {name}, user: {name}-admin{context}}}",
                "clusters:",
                f"- name: {name}",
                "  cluster:",
                f"    server: https://{name}.example:6443",
                *(f"    {line}" for line in cluster.splitlines()),
                "users:",
                f"- name: {name}-admin",
                "  user:",
                *(f"    {line}" for line in user.splitlines()),
            ]
        )
        + "\n"
    )
    return path


def refused(path: Path, context: str | None = None) -> str:
    """What the ConfigError says that loading `path` raises."""
    with pytest.raises(ConfigError) as error:
        load_kubeconfig(path, context)
    return str(error.value)
