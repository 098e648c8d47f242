"""Minimal client of the demo cluster's API server, with which scenes create and change objects."""

from __future__ import annotations

import base64
import json
import ssl
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

MYDEMOS = "apis/crddemo.k8s.io/v1/namespaces/{namespace}/mydemos"


class Api:
    """The cluster of a kubeconfig as the demo cluster writes one: JSON, a token, its authority inside."""

    def __init__(self, kubeconfig: Path) -> None:
        config = json.loads(kubeconfig.read_text())
        cluster = config["clusters"][0]["cluster"]
        self._server = cluster["server"]
        self._token = config["users"][0]["user"]["token"]
        self._tls = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())

    def open(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Any:
        """The answer, to be read as it comes. Raises urllib.error.HTTPError."""
        kept = {name: value for name, value in headers.items() if name.title() in {"Accept", "Content-Type"}}
        kept["Authorization"] = f"Bearer {self._token}"
        request = urllib.request.Request(f"{self._server}/{path}", body, kept, method=method)
        return urllib.request.urlopen(request, context=self._tls)

    def call(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> Any:
        """The answer's JSON. Raises urllib.error.HTTPError."""
        data = None if body is None else json.dumps(body).encode()
        with self.open(method, path, data, {"Content-Type": content_type}) as answer:
            return json.load(answer)

    def create(self, path: str, body: Any) -> None:
        """Create the object, unless there is one of this name."""
        try:
            self.call("POST", path, body)
        except urllib.error.HTTPError as error:
            if error.code != 409:
                raise

    def remove(self, path: str) -> None:
        """Delete the object, if there is one."""
        try:
            self.call("DELETE", path)
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise

    def merge(self, path: str, body: Any) -> None:
        """A JSON merge patch."""
        self.call("PATCH", path, body, "application/merge-patch+json")

    def items(self, path: str) -> list[Any]:
        """A list's objects, in the order of their names."""
        return sorted(self.call("GET", path)["items"], key=lambda item: str(item["metadata"]["name"]))
