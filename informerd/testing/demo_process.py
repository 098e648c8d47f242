"""Process of the demo cluster: a child that ends when this process does, however this one ends."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO

from informerd.clock import Clock
from informerd.errors import ConfigError
from informerd.rest.cluster_config import ClusterConfig, TlsConfig, UserConfig

START_LIMIT = 30.0
"""Seconds within which the child must print its kubeconfig."""
STOP_LIMIT = 1.0
_POLL = 0.05
_LONGEST = 1024 * 1024
"""Maximum bytes that are read of the child's output: its kubeconfig, or why it did not start."""
_ROOT = Path(__file__).resolve().parents[2]
"""Folder of `devcluster`, next to `informerd`."""


class DemoProcess:
    """Starts `devcluster` on a free port, with `options` of its command line, and knows how to reach it.

    The child reads its standard input, which is a pipe from this process, and ends when that closes: nothing is left
    behind, not even after a SIGKILL or a reload. What it says, its kubeconfig first, goes to a file without a name,
    which is gone with the two processes.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        command: tuple[str, ...] = (sys.executable, "-m", "devcluster"),
        options: tuple[str, ...] = (),
        kubeconfig: Path | None = None,
    ) -> None:
        self.kubeconfig = kubeconfig
        """Where this process's user alone finds a kubeconfig for it, for kubectl, while it runs; None: nowhere."""
        self._clock = clock
        self._command = (*command, *options)
        self._process: subprocess.Popen[bytes] | None = None
        self._written = ""

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    async def start(self, cluster_reason: str) -> ClusterConfig:
        """The demo cluster's configuration, once it answers. Raises ConfigError where it does not start."""
        await self.stop()
        with tempfile.TemporaryFile() as output:
            self._process = self._spawned(output)
            deadline = self._clock.now() + START_LIMIT
            while self.is_running and self._clock.now() < deadline:
                if line := _line(output):
                    self._write(line)
                    return _cluster_of_line(line, cluster_reason)
                await self._clock.sleep(_POLL)
            last = _lines(output)[-1:]
        await self.stop()
        if last and last[0].endswith("No module named devcluster\n"):
            raise ConfigError(
                "there is no demo cluster: informerd alone does not have it, Deltaboard's repository does"
            )
        raise ConfigError(f"the demo cluster did not start: {last[0].strip() if last else 'it printed nothing'}")

    def _spawned(self, output: IO[bytes]) -> subprocess.Popen[bytes]:
        """A session of its own, because a terminal's Ctrl-C is for this process; the child follows its closing pipe."""
        return subprocess.Popen(  # noqa: S603 - our own module, by our own interpreter
            [*self._command, "--port", "0", "--kubeconfig", "-", "--exit-with-parent"],
            cwd=_ROOT, stdin=subprocess.PIPE, stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip

    def _write(self, kubeconfig: str) -> None:
        """Write the kubeconfig; a failure to write it only means that kubectl cannot reach the cluster."""
        if self.kubeconfig is None:
            return
        try:
            self.kubeconfig.parent.mkdir(parents=True, exist_ok=True)
            self.kubeconfig.unlink(missing_ok=True)
            with open(self.kubeconfig, "x", opener=_private) as file:
                file.write(kubeconfig)
            self._written = kubeconfig
        except OSError:
            self.kubeconfig = None

    def _take_away(self) -> None:
        """Unless another process's cluster stands in it by now."""
        written, self._written = self._written, ""
        if written and self.kubeconfig is not None:
            with contextlib.suppress(OSError):
                if self.kubeconfig.read_text() == written:
                    self.kubeconfig.unlink()

    async def stop(self) -> None:
        """End the child; within STOP_LIMIT by itself, else by force."""
        process, self._process = self._process, None
        self._take_away()
        if process is not None:
            if process.stdin is not None:
                process.stdin.close()
            process.terminate()
            deadline = self._clock.now() + STOP_LIMIT
            while process.poll() is None and self._clock.now() < deadline:
                await self._clock.sleep(_POLL)
            if process.poll() is None:
                process.kill()
                process.wait()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _lines(output: IO[bytes]) -> list[str]:
    """The child's output so far. `pread`, because the file position is the child's too."""
    return os.pread(output.fileno(), _LONGEST, 0).decode(errors="replace").splitlines(keepends=True)


def _line(output: IO[bytes]) -> str:
    """The line that is the child's kubeconfig, once it is whole; empty before."""
    return next((each for each in _lines(output) if each.startswith("{") and each.endswith("\n")), "")


def _cluster_of_line(line: str, why: str) -> ClusterConfig:
    """The cluster of the kubeconfig that the child has said."""
    kubeconfig = json.loads(line)
    cluster, user = kubeconfig["clusters"][0]["cluster"], kubeconfig["users"][0]["user"]
    return ClusterConfig(
        name="demo",
        server=cluster["server"],
        why=why,
        context="demo",
        user="the demo cluster's administrator",
        tls=TlsConfig(ca_data=base64.b64decode(cluster.get("certificate-authority-data", ""))),
        credentials=UserConfig(token=user["token"]),
    )
