"""Synchronous client of a real API server: the calls that ControlPlane inherits."""

from __future__ import annotations

import json
import ssl
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.support.kept_connections import KeptConnections
from tests.support.wait import until

Json = dict[str, Any]

PATCH_TYPES = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class ApiFailure(Exception):
    """The API server refused a call of `ApiCalls.request`."""

    def __init__(self, method: str, path: str, code: int, body: bytes) -> None:
        super().__init__(f"{method} {path}: {code} {body.decode(errors='replace')[:2000]}")
        self.code = code
        self.body = body


class ApiCalls:
    """Calls to the API server at `server` as one of its users. `ca_file` has the authority of its certificate."""

    _connections: KeptConnections | None = None

    @property
    def server(self) -> str:
        """The API server's address, without a slash at the end."""
        raise NotImplementedError

    @property
    def ca_file(self) -> Path:
        """The certificate that the API server made for itself, which is its own authority."""
        raise NotImplementedError

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        user: str = "admin",
        content_type: str = "application/json",
        accept: str = "application/json",
        timeout: float = 30.0,
    ) -> Json:
        """The decoded answer to one call, as kubectl would make it. Raises ApiFailure for an answer of 400 or more."""
        if self._connections is None:
            self._connections = KeptConnections(self.server, self._tls_context())
        data = None if body is None else json.dumps(body).encode()
        headers = {"User-Agent": "tests", "Authorization": f"Bearer {user}-token"}
        headers |= {"Content-Type": content_type, "Accept": accept}
        code, content, _ = self._connections.request(method, path, data, headers, timeout)
        if code >= 400:
            raise ApiFailure(method, path, code, content)
        return json.loads(content) if content.startswith(b"{") else {"text": content.decode()}

    def close_connections(self) -> None:
        """Close those that are kept for the next call."""
        if self._connections is not None:
            self._connections.close()

    def get(self, path: str) -> Json:
        """One object or collection."""
        return self.request("GET", path)

    def create(self, collection: str, body: Json) -> Json:
        """POST to a collection's path such as ``/api/v1/namespaces/default/pods``."""
        return self.request("POST", collection, body)

    def replace(self, path: str, body: Json) -> Json:
        """PUT one object."""
        return self.request("PUT", path, body)

    def patch(self, path: str, patch: Any, patch_type: str = "merge") -> Json:
        """PATCH one object; `patch_type` is one of PATCH_TYPES."""
        return self.request("PATCH", path, patch, content_type=PATCH_TYPES[patch_type])

    def delete(self, path: str, options: Json | None = None) -> Json:
        """DELETE one object or collection; pods go at once, because no kubelet will ever confirm."""
        return self.request("DELETE", path, {"gracePeriodSeconds": 0} if options is None else options)

    def create_namespace(self, name: str) -> str:
        """Make a namespace unless it is there, and give back its name."""
        try:
            self.create("/api/v1/namespaces", {"metadata": {"name": name}})
        except ApiFailure as failure:
            if failure.code != 409:
                raise
        return name

    def apply_crd(self, manifest: Path, *, within: float = 20.0) -> Json:
        """Create or replace the CRD in a YAML file and wait until it is Established and its objects can be listed."""
        definition: Json = YAML(typ="safe").load(manifest)
        path = f"{DEFINITIONS}/{definition['metadata']['name']}"
        try:
            self.create(DEFINITIONS, definition)
        except ApiFailure as failure:
            if failure.code != 409:
                raise
            definition["metadata"]["resourceVersion"] = self.get(path)["metadata"]["resourceVersion"]
            self.replace(path, definition)
        spec = definition["spec"]
        version = next(each["name"] for each in spec["versions"] if each["served"])
        served = f"/apis/{spec['group']}/{version}/{spec['names']['plural']}"
        until(lambda: _established(self.get(path)), within=within, what=f"{path} Established")
        until(lambda: self.exists(served), within=within, what=f"{served} served")
        return self.get(path)

    def delete_crd(self, name: str, *, within: float = 20.0) -> None:
        """Delete a CRD with all its objects and wait until it is gone."""
        path = f"{DEFINITIONS}/{name}"
        self.delete(path, {})
        until(lambda: not self.exists(path), within=within, what=f"{path} gone")

    def exists(self, path: str) -> bool:
        """Whether a GET of `path` succeeds; False for a 404, and for a 429 while a kind's storage is set up."""
        try:
            self.get(path)
        except ApiFailure as failure:
            if failure.code not in {404, 429}:
                raise
            return False
        return True

    def _tls_context(self) -> ssl.SSLContext:
        tls = ssl.create_default_context(cafile=str(self.ca_file))
        tls.verify_flags &= ~ssl.VERIFY_X509_STRICT  # its own certificate has no key identifier
        return tls


def _established(definition: Json) -> bool:
    conditions = definition.get("status", {}).get("conditions") or []  # null until the server has looked at it
    return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)
