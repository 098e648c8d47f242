"""Real etcd and kube-apiserver for tests, on free ports, with all data in one folder.

The binaries come from KUBEBUILDER_ASSETS, as for controller-runtime's envtest. Everything here is synchronous; a test
that must not block its event loop calls it through `asyncio.to_thread`.
"""

from __future__ import annotations

import atexit
import json
import shutil
from pathlib import Path
from typing import Any
from uuid import uuid4

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.support.api_client import ApiCalls, ApiFailure
from tests.support.daemon import ControlPlaneError, Daemon
from tests.support.etcd import Etcd
from tests.support.free_ports import free_ports
from tests.support.wait import until

__all__ = ["ApiFailure", "ControlPlane", "ControlPlaneError", "free_ports"]

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


class ControlPlane(ApiCalls):
    """One API server and its etcd. `start` before use; `stop` ends both, and so does the end of this process.

    With the `etcd` of another one, both API servers serve the same objects, and it is the other's to start and stop.
    """

    etcd_copy: Path | None = None
    """A folder for what etcd holds after an API server's first start: roles, namespaces, priority levels. The first one
    of a run leaves it there, the others begin with it, for half of the processor's time."""

    def __init__(
        self, directory: Path, binaries: Path, *, apiserver_flags: tuple[str, ...] = (), etcd: Etcd | None = None
    ) -> None:
        self.directory = directory
        self.apiserver_flags = apiserver_flags
        self.start_timeout = START_TIMEOUT
        """Seconds within which the API server must be ready."""
        (self.api_port,) = free_ports(1)
        self.etcd = etcd or Etcd(directory, binaries)
        self._owns_etcd = etcd is None
        self._apiserver = Daemon(binaries / "kube-apiserver", directory)

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

    @property
    def runs(self) -> bool:
        """Whether the API server was started and not killed."""
        return self._apiserver.runs

    @property
    def apiserver_pid(self) -> int:
        """The API server's process."""
        return self._apiserver.pid

    def start(self) -> None:
        """Start both and wait until the API server is ready; after `stop` it goes on from the same data."""
        self.directory.mkdir(parents=True, exist_ok=True)
        self._write_files()
        atexit.register(self.stop)
        copy = self.etcd_copy if self._owns_etcd and not self.etcd.has_data else None
        if copy and copy.exists():
            self.etcd.restore(copy)
        self.etcd.run()
        self.start_apiserver()
        if copy and not copy.exists() and not self.apiserver_flags:
            self._leave_copy(copy)

    def start_apiserver(self) -> None:
        """Start the API server on its port with its data and wait until it is ready; nothing to do if it runs."""
        self.launch_apiserver()
        self.wait_until_ready()

    def launch_apiserver(self) -> None:
        """Start the API server, and wait for nothing; see `Daemon.start` for the thread to call it from."""
        if not self._apiserver.runs:
            self._apiserver.start(self._apiserver_arguments())

    def wait_until_ready(self) -> None:
        """Wait until the API server says that it is ready."""
        try:
            until(self._ready, within=self.start_timeout, what="the API server's /readyz says ok")
        except AssertionError as error:
            raise ControlPlaneError(f"{error}\n{self._apiserver.log_tail()}") from None

    def kill(self) -> None:
        """End the API server as a crash would (SIGKILL); etcd and all data stay."""
        self._apiserver.kill()
        self.close_connections()

    def pause(self) -> None:
        """Freeze the API server (SIGSTOP): connections stay open and nothing answers."""
        self._apiserver.pause()

    def resume(self) -> None:
        """Let a paused API server go on."""
        self._apiserver.resume()

    def stop(self) -> None:
        """End both at once; may be called again."""
        atexit.unregister(self.stop)
        self.kill()
        if self._owns_etcd:
            self.etcd.kill()

    def _leave_copy(self, folder: Path) -> None:
        """Copy etcd's data as a crash would leave them, where that can be done: the others can start without it, too.
        Another process that does the same at this time may win.
        """
        unfinished = folder.with_name(f"{folder.name}-{uuid4().hex}")
        try:
            self.etcd.pause()
            self.etcd.back_up(unfinished)
            unfinished.rename(folder)
        except OSError:
            shutil.rmtree(unfinished, ignore_errors=True)
        finally:
            self.etcd.resume()

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

    def _apiserver_arguments(self) -> list[str]:
        return [
            f"--etcd-servers={self.etcd.url}", "--cert-dir=certs",
            "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", f"--secure-port={self.api_port}",
            "--endpoint-reconciler-type=none", "--service-cluster-ip-range=10.0.0.0/24",
            "--service-account-issuer=https://kubernetes.default.svc",
            "--service-account-key-file=sa.key", "--service-account-signing-key-file=sa.key",
            "--token-auth-file=tokens.csv", "--authorization-mode=RBAC",
            "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
            *self.apiserver_flags,
        ]  # fmt: skip

    def _ready(self) -> bool:
        self.etcd.check()
        self._apiserver.check()
        try:
            return self.ca_file.exists() and self.request("GET", "/readyz", timeout=5)["text"] == "ok"
        except (ApiFailure, OSError):
            return False


def _private_key() -> bytes:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
