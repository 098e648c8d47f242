"""A real etcd and kube-apiserver for tests, on free ports, with all data in one folder.

The binaries come from KUBEBUILDER_ASSETS, as for controller-runtime's envtest. Everything here is synchronous;
a test that must not block its event loop calls it through `asyncio.to_thread`.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from ruamel.yaml import YAML

from tests.wait import until

Json = dict[str, Any]

USERS = {
    "admin": ("admin", "system:masters"),
    "alice": ("alice", "team-a"),
    "bob": ("bob", "team-b"),
    "deltaboard": (
        "system:serviceaccount:deltaboard:deltaboard",
        "system:serviceaccounts,system:serviceaccounts:deltaboard",
    ),
}
"""Who signs in with the token ``KEY-token``, and groups. admin may do everything, the rest what RBAC gives them."""

START_TIMEOUT = 90.0
PATCH_TYPES = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}


class ControlPlaneError(Exception):
    """It did not start or stopped by itself; the message ends with the last lines of the process's log."""


class ApiFailure(Exception):
    """The API server refused a call of `ControlPlane.request`."""

    def __init__(self, method: str, path: str, code: int, body: bytes) -> None:
        super().__init__(f"{method} {path}: {code} {body.decode(errors='replace')[:2000]}")
        self.code = code
        self.body = body


class ControlPlane:
    """One API server and its etcd. `start` before use; `stop` ends both, and so does the end of this process."""

    def __init__(self, directory: Path, binaries: Path, *, apiserver_flags: tuple[str, ...] = ()) -> None:
        self.directory = directory
        self.apiserver_flags = apiserver_flags
        self.api_port, self.etcd_port, self._peer_port = free_ports(3)
        self._binaries = binaries
        self._etcd: subprocess.Popen[bytes] | None = None
        self._apiserver: subprocess.Popen[bytes] | None = None
        self._tls: ssl.SSLContext | None = None

    @property
    def server(self) -> str:
        """The API server's address, without a slash at the end."""
        return f"https://127.0.0.1:{self.api_port}"

    @property
    def ca_file(self) -> Path:
        """The certificate that the API server made for itself, which is its own authority."""
        return self.directory / "certs" / "apiserver.crt"

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig."""
        return self.kubeconfig_of("admin")

    def kubeconfig_of(self, user: str) -> Path:
        """The kubeconfig of one of USERS."""
        return self.directory / f"kubeconfig-{user}"

    def start(self) -> None:
        """Start both and wait until the API server is ready; after `stop` it goes on from the same data."""
        self.directory.mkdir(parents=True, exist_ok=True)
        self._write_files()
        atexit.register(self.stop)
        self._start_etcd()
        self.start_apiserver()

    def start_apiserver(self) -> None:
        """Start the API server on its port with its data and wait until it is ready; nothing to do if it runs."""
        if self._apiserver is None:
            self._apiserver = self._spawn("kube-apiserver", self._apiserver_arguments())
        try:
            until(self._ready, within=START_TIMEOUT, what="the API server's /readyz says ok")
        except AssertionError as error:
            raise ControlPlaneError(f"{error}\n{self._log_tail('kube-apiserver')}") from None

    def kill(self) -> None:
        """End the API server as a crash would (SIGKILL); etcd and all data stay."""
        process, self._apiserver = self._apiserver, None
        if process is not None:
            process.kill()
            process.wait()

    def pause(self) -> None:
        """Freeze the API server (SIGSTOP): connections stay open and nothing answers."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let a paused API server go on."""
        self._signal(signal.SIGCONT)

    def stop(self) -> None:
        """End both at once; may be called again."""
        atexit.unregister(self.stop)
        self.kill()
        process, self._etcd = self._etcd, None
        if process is not None:
            process.kill()
            process.wait()

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        user: str = "admin",
        content_type: str = "application/json",
        timeout: float = 30.0,
    ) -> Json:
        """The decoded answer to one call, as kubectl would make it. Raises ApiFailure for an answer of 400 or more."""
        request = urllib.request.Request(
            self.server + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {user}-token", "Content-Type": content_type},
        )
        try:
            with urllib.request.urlopen(request, timeout=timeout, context=self._tls_context()) as answer:
                content = answer.read()
        except urllib.error.HTTPError as error:
            with error:
                raise ApiFailure(method, path, error.code, error.read()) from None
        return json.loads(content) if content.startswith(b"{") else {"text": content.decode()}

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
        collection = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        path = f"{collection}/{definition['metadata']['name']}"
        try:
            self.create(collection, definition)
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
        path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}"
        self.delete(path, {})
        until(lambda: not self.exists(path), within=within, what=f"{path} gone")

    def exists(self, path: str) -> bool:
        """Whether a GET finds something there; a kind whose storage is being set up (429) does not exist yet."""
        try:
            self.get(path)
        except ApiFailure as failure:
            if failure.code not in {404, 429}:
                raise
            return False
        return True

    def _write_files(self) -> None:
        key_file = self.directory / "sa.key"
        if not key_file.exists():
            key_file.write_bytes(_private_key())
        tokens = [f'{key}-token,{name},{key},"{groups}"' for key, (name, groups) in USERS.items()]
        (self.directory / "tokens.csv").write_text("\n".join(tokens) + "\n")
        for user in USERS:
            self.kubeconfig_of(user).write_text(self._kubeconfig_text(user))

    def _kubeconfig_text(self, user: str) -> str:
        cluster = {"server": self.server, "certificate-authority": str(self.ca_file)}
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "local",
            "contexts": [{"name": "local", "context": {"cluster": "local", "user": user}}],
            "clusters": [{"name": "local", "cluster": cluster}],
            "users": [{"name": user, "user": {"token": f"{user}-token"}}],
        }
        return json.dumps(content, indent=1)

    def _start_etcd(self) -> None:
        client, peer = f"http://127.0.0.1:{self.etcd_port}", f"http://127.0.0.1:{self._peer_port}"
        arguments = [
            "--data-dir=etcd", "--unsafe-no-fsync", "--log-level=warn",
            f"--listen-client-urls={client}", f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
        ]  # fmt: skip
        self._etcd = self._spawn("etcd", arguments)

    def _apiserver_arguments(self) -> list[str]:
        return [
            f"--etcd-servers=http://127.0.0.1:{self.etcd_port}", "--cert-dir=certs",
            "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", f"--secure-port={self.api_port}",
            "--endpoint-reconciler-type=none", "--service-cluster-ip-range=10.0.0.0/24",
            "--service-account-issuer=https://kubernetes.default.svc",
            "--service-account-key-file=sa.key", "--service-account-signing-key-file=sa.key",
            "--token-auth-file=tokens.csv", "--authorization-mode=RBAC",
            "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
            *self.apiserver_flags,
        ]  # fmt: skip

    def _spawn(self, name: str, arguments: list[str]) -> subprocess.Popen[bytes]:
        """Start a process that ends with this one, even if this one is killed (where setpriv is installed)."""
        guard = [setpriv, "--pdeathsig", "KILL"] if (setpriv := shutil.which("setpriv")) else []
        with self._log(name).open("ab") as log:
            return subprocess.Popen(
                [*guard, str(self._binaries / name), *arguments],
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _ready(self) -> bool:
        for name, process in (("etcd", self._etcd), ("kube-apiserver", self._apiserver)):
            if process is None or process.poll() is not None:
                code = None if process is None else process.returncode
                raise ControlPlaneError(f"{name} ended with {code}\n{self._log_tail(name)}")
        try:
            return self.ca_file.exists() and self.request("GET", "/readyz", timeout=5)["text"] == "ok"
        except (ApiFailure, OSError):
            return False

    def _tls_context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context(cafile=str(self.ca_file))
            self._tls.verify_flags &= ~ssl.VERIFY_X509_STRICT  # its own certificate has no key identifier
        return self._tls

    def _signal(self, number: signal.Signals) -> None:
        if self._apiserver is None:
            raise ControlPlaneError("the API server is not running")
        os.kill(self._apiserver.pid, number)

    def _log(self, name: str) -> Path:
        return self.directory / f"{name}.log"

    def _log_tail(self, name: str, lines: int = 15) -> str:
        log = self._log(name)
        return "\n".join(log.read_text(errors="replace").splitlines()[-lines:]) if log.exists() else "(no log)"


def free_ports(count: int) -> list[int]:
    """TCP ports on 127.0.0.1 that were free a moment ago, all different."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def _established(definition: Json) -> bool:
    conditions = definition.get("status", {}).get("conditions") or []  # null until the server has looked at it
    return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)


def _private_key() -> bytes:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
