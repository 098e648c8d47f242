"""Plain HTTP client of an API server, ours or the real one, without a client library in between."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import Any, Self

from ruamel.yaml import YAML

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
        request = urllib.request.Request(self.server + path, data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, context=self.tls, timeout=20) as answer:
                return Reply(answer.status, answer.read().decode(), answer.headers)
        except urllib.error.HTTPError as error:
            with error:
                return Reply(error.code, error.read().decode(), error.headers)

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


class KeptApi(Api):
    """One that sends all its requests over one connection, without the TLS handshake of each. For one thread at a time;
    `close` it.
    """

    _connection: http.client.HTTPSConnection | None = None

    def close(self) -> None:
        """End the connection; the next request makes another one."""
        if self._connection is not None:
            self._connection.close()

    def _send(self, method: str, path: str, data: bytes | None, headers: dict[str, str]) -> Reply:
        if self._connection is None:
            address = self.server.removeprefix("https://")
            self._connection = http.client.HTTPSConnection(address, context=self.tls, timeout=20)
        was_idle = self._connection.sock is not None
        try:
            self._connection.request(method, path, data, {"User-Agent": "http_api", **headers})
            answer = self._connection.getresponse()
            return Reply(answer.status, answer.read().decode(), answer.headers)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            self.close()
            if not was_idle:
                raise
        except BaseException:  # the connection would refuse every other request
            self.close()
            raise
        return self._send(method, path, data, headers)  # the server had closed it, as it does after a while
