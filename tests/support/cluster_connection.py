"""Choice of a cluster, and clients that it would get, for tests without one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dashboard.cluster.choice import ClusterChoice
from informerd.rest.load_config import ClusterConfig


def kubeconfig_text(server: str, *, context: str = "main") -> str:
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": context,
            "contexts": [{"name": context, "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": server}}],
            "users": [{"name": "u", "user": {"token": "secret"}}],
        }
    )


def choice(home: Path, **settings: Any) -> ClusterChoice:
    environ = settings.pop("environ", {})
    return ClusterChoice(environ=environ, home=home, **settings)


class FakeClient:
    """Answers `version` as told."""

    made: list[FakeClient]
    answer: str | Exception = "v1.37.1"

    def __init__(self, config: ClusterConfig, *, clock: object, user_agent: str) -> None:
        self.config = config
        self.closed = False
        self.asked = 0
        self.made.append(self)

    async def version(self) -> str:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def close(self) -> None:
        self.closed = True


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> list[FakeClient]:
    made: list[FakeClient] = []
    monkeypatch.setattr(FakeClient, "made", made, raising=False)
    monkeypatch.setattr("dashboard.cluster.connection.Client", FakeClient)
    return made
