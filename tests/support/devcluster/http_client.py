"""Plain HTTP client of an API server, ours or the real one, without a client library in between."""

from __future__ import annotations

import base64
import json
import ssl
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import Any, Self

from ruamel.yaml import YAML

from tests.support.kept_connections import KeptConnections

Json = dict[str, Any]
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


@dataclass
class Reply:
    """An answer; `json` is empty where the body is none."""

    code: int
    text: str
    headers: Message = field(default_factory=Message)
    json: Json = field(init=False)

    def __post_init__(self) -> None:
        try:
            decoded = json.loads(self.text)
        except ValueError:
            decoded = {}
        self.json = decoded if isinstance(decoded, dict) else {}

    @property
    def lines(self) -> list[Json]:
        """A watch's events."""
        return [json.loads(line) for line in self.text.splitlines()]

    @property
    def warnings(self) -> list[str]:
        return self.headers.get_all("Warning") or []

    @property
    def causes(self) -> list[tuple[str, str, str]]:
        """(field, reason, message) of a failure's causes, sorted."""
        found = self.json.get("details", {}).get("causes", [])
        return sorted((cause.get("field", ""), cause.get("reason", ""), cause["message"]) for cause in found)


@dataclass
class Api:
    """One API server, as a kubeconfig describes it."""

    server: str
    token: str
    tls: ssl.SSLContext
    _connections: KeptConnections | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, kubeconfig: Path) -> Self:
        """From a kubeconfig file with one cluster and one user."""
        config = YAML(typ="safe", pure=True).load(kubeconfig)
        cluster = config["clusters"][0]["cluster"]
        if "certificate-authority-data" in cluster:
            authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
            tls = ssl.create_default_context(cadata=authority)
        else:
            tls = ssl.create_default_context(cafile=cluster["certificate-authority"])
            tls.verify_flags &= ~ssl.VERIFY_X509_STRICT  # the real one's own certificate has no key identifier
        return cls(cluster["server"], config["users"][0]["user"]["token"], tls)

    def call(
        self, method: str, path: str, body: Any = None, content_type: str = "application/json", **headers: str
    ) -> Reply:
        """One request. A body that is text goes as it is, anything else as JSON."""
        data = None if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
        sent = {"Authorization": f"Bearer {self.token}", "Content-Type": content_type, **headers}
        return self._send(method, path, data, sent)

    def _send(self, method: str, path: str, data: bytes | None, headers: dict[str, str]) -> Reply:
        if self._connections is None:
            self._connections = KeptConnections(self.server, self.tls)
        answer = self._connections.request(method, path, data, {"User-Agent": "http_api", **headers}, timeout=20)
        return Reply(answer.code, answer.content.decode(), answer.headers)

    def get(self, path: str, **headers: str) -> Reply:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any) -> Reply:
        return self.call("POST", path, body)

    def put(self, path: str, body: Any) -> Reply:
        return self.call("PUT", path, body)

    def patch(self, path: str, body: Any, content_type: str = MERGE) -> Reply:
        return self.call("PATCH", path, body, content_type)

    def delete(self, path: str, body: Any = None) -> Reply:
        return self.call("DELETE", path, body)
