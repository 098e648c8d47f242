"""A credential plugin: a shell script that a test writes."""

from __future__ import annotations

import json
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from informerd.rest.credentials import Credentials
from informerd.rest.load_config import ClusterConfig, ExecConfig, TlsConfig, UserConfig
from tests.support.clock import FakeClock

V1 = "client.authentication.k8s.io/v1"


class Plugin:
    """A shell script that notes each run and what it was told."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "plugin"
        self._runs = folder / "runs"
        self._info = folder / "info"

    def script(self, body: str) -> None:
        note = f'echo run >> {self._runs}\nprintf %s "$KUBERNETES_EXEC_INFO" > {self._info}'
        self.file.write_text(f"#!/bin/sh\n{note}\n{body}\n")
        self.file.chmod(0o755)

    def gives(self, *, expires: float | None = None, first: str = "", **status: str) -> None:
        """Print a credential, after the commands of `first`. `expires`: Unix seconds."""
        if expires is not None:
            status["expirationTimestamp"] = datetime.fromtimestamp(expires, UTC).isoformat()
        answer = json.dumps({"apiVersion": V1, "kind": "ExecCredential", "status": status})
        self.script(f"{first}\nprintf %s {shlex.quote(answer)}")

    @property
    def runs(self) -> int:
        return len(self._runs.read_text().splitlines()) if self._runs.exists() else 0

    @property
    def info(self) -> dict[str, Any]:
        decoded: dict[str, Any] = json.loads(self._info.read_text())
        return decoded


def credentials(plugin: Plugin, clock: FakeClock | None = None, **options: Any) -> Credentials:
    config = ExecConfig(command=str(plugin.file), api_version=V1, **options)
    cluster = ClusterConfig(
        name="test",
        server="http://127.0.0.1",
        tls=TlsConfig(ca_data=b"pem", server_name="name"),
        credentials=UserConfig(plugin=config),
    )
    return Credentials(cluster, clock=clock or FakeClock())


async def token(made: Credentials) -> str:
    return dict((await made.for_request()).headers)["Authorization"].removeprefix("Bearer ")
