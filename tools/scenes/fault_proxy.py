"""Proxy in front of the demo cluster that forbids kinds, takes away their watch, or stops in the middle of their first
events.
"""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from tools.scenes.api_client import Api


class FaultProxy:
    """Requests go on to the cluster of `kubeconfig`, but for those that the rules name by plural, or ``pods/log``.

    forbid: 403, as RBAC says it. stalled: a watch of it gives so many events, and then the last of
    them again every second, so that nobody takes it for dead. unwatchable: discovery does not offer
    the verb watch for it.
    """

    def __init__(
        self,
        kubeconfig: Path,
        *,
        forbid: Iterable[str] = (),
        stalled: dict[str, int] | None = None,
        unwatchable: Iterable[str] = (),
    ) -> None:
        self.api = Api(kubeconfig)
        self.forbidden_kinds = frozenset(forbid)
        self.stalled_kinds = dict(stalled or {})
        self.unwatchable_kinds = frozenset(unwatchable)
        self.stop_event = threading.Event()
        self._config = json.loads(kubeconfig.read_text())
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"proxy": self}))
        self._server.daemon_threads = True

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop_event.set()
        self._server.shutdown()
        self._server.server_close()

    def kubeconfig(self, folder: Path) -> Path:
        """Writes the one that leads here."""
        config: dict[str, Any] = {**self._config}
        server = f"http://127.0.0.1:{self._server.server_port}"
        config["clusters"] = [{"name": "demo", "cluster": {"server": server}}]
        path = folder / "kubeconfig-proxy"
        path.write_text(json.dumps(config))
        return path


class _Handler(BaseHTTPRequestHandler):
    proxy: FaultProxy

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        plural = parts.path.rstrip("/").rpartition("/")[2]
        plural = "pods/log" if plural == "log" else plural
        if plural in self.proxy.forbidden_kinds:
            self._refuse(plural)
        else:
            self._forward("GET", None, self.proxy.stalled_kinds.get(plural) if "watch=" in parts.query else None)

    def do_POST(self) -> None:
        self._forward("POST", self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def do_PUT(self) -> None:
        self._forward("PUT", self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def _refuse(self, plural: str) -> None:
        who = 'User "system:serviceaccount:web:deltaboard"'
        verb = "get" if "/" in plural else "list"
        message = f'{plural} is forbidden: {who} cannot {verb} resource "{plural}" in API group "" at the cluster scope'
        status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403}
        self._begin(403, "application/json")
        self.wfile.write(json.dumps({**status, "message": message}).encode())

    def _forward(self, method: str, body: bytes | None, most: int | None = None) -> None:
        try:
            with self.proxy.api.open(method, self.path.lstrip("/"), body, dict(self.headers)) as answer:
                self._begin(answer.status, answer.headers["Content-Type"])
                if self.proxy.unwatchable_kinds and self._is_discovery:
                    self.wfile.write(json.dumps(self._without_watch(json.load(answer))).encode())
                else:
                    self._pass_on(answer, most)
        except urllib.error.HTTPError as error:
            self._begin(error.code, error.headers["Content-Type"])
            self.wfile.write(error.read())
        except OSError:
            self.close_connection = True

    @property
    def _is_discovery(self) -> bool:
        parts = urlsplit(self.path).path.strip("/").split("/")
        return parts[0] in {"api", "apis"} and len(parts) <= 3 and "watch=" not in self.path

    def _without_watch(self, found: Any) -> Any:
        """The answer, wherever it says what may be done with a resource."""
        if isinstance(found, list):
            return [self._without_watch(each) for each in found]
        if not isinstance(found, dict):
            return found
        if found.get("name", found.get("resource")) in self.proxy.unwatchable_kinds and "verbs" in found:
            return {**found, "verbs": [verb for verb in found["verbs"] if verb != "watch"]}
        return {name: self._without_watch(each) for name, each in found.items()}

    def _pass_on(self, answer: Any, most: int | None) -> None:
        for number, line in enumerate(answer, 1):
            self.wfile.write(line)
            while number == most and not self.proxy.stop_event.wait(1):
                self.wfile.write(line)
            if number == most:
                return

    def _begin(self, status: int, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- as the standard library has it
        """Nothing."""
