"""The built-in demo cluster: a child process that ends when this one does, however this one ends."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from informerd.clock import Clock
from informerd.cluster import ClusterConfig, load_kubeconfig
from informerd.errors import ConfigError

START_LIMIT = 30.0
"""Seconds within which the child must have written its kubeconfig."""
STOP_LIMIT = 1.0
_POLL = 0.05
_ROOT = Path(__file__).resolve().parent.parent


class DemoCluster:
    """Starts `devcluster` on a free port and knows how to reach it.

    The child reads its standard input, which is a pipe from this process, and ends when that closes: nothing is left
    behind, not even after a SIGKILL or a reload.
    """

    def __init__(self, clock: Clock, *, command: tuple[str, ...] = (sys.executable, "-m", "devcluster")) -> None:
        self._clock = clock
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        self._directory: tempfile.TemporaryDirectory[str] | None = None

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    async def start(self, why: str) -> ClusterConfig:
        """The demo cluster's configuration, once it answers. Raises ConfigError where it does not start."""
        await self.stop()
        self._directory = tempfile.TemporaryDirectory(prefix="deltaboard-demo-")
        folder = Path(self._directory.name)
        kubeconfig, log = folder / "kubeconfig", folder / "log"
        self._process = self._spawned(kubeconfig, log)
        deadline = self._clock.now() + START_LIMIT
        while self.running and self._clock.now() < deadline:
            if (config := _written(kubeconfig)) is not None:
                self._forget_folder()
                return replace(config, name="demo", why=why, user="the demo cluster's administrator")
            await self._clock.sleep(_POLL)
        said = log.read_text(errors="replace").strip().splitlines()
        await self.stop()
        raise ConfigError(f"the demo cluster did not start: {said[-1] if said else 'it said nothing'}")

    def _spawned(self, kubeconfig: Path, log: Path) -> subprocess.Popen[bytes]:
        """A session of its own, because a terminal's Ctrl-C is for this process; the child follows its closing pipe."""
        arguments = [*self._command, "--port", "0", "--kubeconfig", str(kubeconfig), "--exit-with-parent"]
        with log.open("wb") as output:
            return subprocess.Popen(  # noqa: S603 - our own module, by our own interpreter
                arguments, cwd=_ROOT, stdin=subprocess.PIPE, stdout=output, stderr=output, start_new_session=True
            )

    async def stop(self) -> None:
        """End the child; within STOP_LIMIT by itself, else by force."""
        process, self._process = self._process, None
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
        self._forget_folder()

    def _forget_folder(self) -> None:
        """The kubeconfig is whole in itself and was read: no token of ours lies about, however this process ends."""
        directory, self._directory = self._directory, None
        if directory is not None:
            directory.cleanup()


def _written(kubeconfig: Path) -> ClusterConfig | None:
    """What the kubeconfig says, where it is there and whole."""
    if not kubeconfig.exists():
        return None
    try:
        return load_kubeconfig(kubeconfig)
    except ConfigError:
        return None
