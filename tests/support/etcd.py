"""Real etcd for tests: the API server's data, which can be killed, compacted and restored."""

from __future__ import annotations

import json
import shutil
import urllib.request
from pathlib import Path
from typing import Any

from tests.support.daemon import Daemon
from tests.support.free_ports import free_ports

Json = dict[str, Any]
_ANYTHING = {"key": "AA==", "range_end": "AA==", "limit": 1}
"""A range over all keys (base64 of a zero byte) that gives one of them."""


class Etcd(Daemon):
    """One etcd on a free port of 127.0.0.1 with its data in ``DIRECTORY/etcd``."""

    def __init__(self, directory: Path, binaries: Path, *, flags: tuple[str, ...] = ()) -> None:
        super().__init__(binaries / "etcd", directory)
        self.port, self._peer_port = free_ports(2)
        self._data = directory / "etcd"
        self._flags = flags

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def run(self) -> None:
        """Start it on its port with its data; nothing to do if it runs."""
        if self.runs:
            return
        peer = f"http://127.0.0.1:{self._peer_port}"
        arguments = [
            f"--data-dir={self._data}", "--unsafe-no-fsync", "--log-level=warn",
            f"--listen-client-urls={self.url}", f"--advertise-client-urls={self.url}",
            f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}", *self._flags,
        ]  # fmt: skip
        self.start(arguments)

    def compact(self) -> int:
        """Compact the history up to now; returns the revision. An API server with a watch cache does not notice."""
        revision = int(self.call("range", _ANYTHING)["header"]["revision"])
        self.call("compaction", {"revision": revision, "physical": True})
        return revision

    @property
    def has_data(self) -> bool:
        """Whether it has a folder of data, of an earlier start or restored."""
        return self._data.exists()

    def back_up(self, to: Path) -> None:
        """Copy the data of an etcd that does not run or is paused."""
        shutil.copytree(self._data, to)

    def restore(self, source: Path) -> None:
        """Put a copy in the place of the data, if any, of an etcd that does not run."""
        shutil.rmtree(self._data, ignore_errors=True)
        shutil.copytree(source, self._data)

    def call(self, verb: str, body: Json) -> Json:
        """POST to a verb of etcd's JSON gateway; returns the answer. Raises OSError where etcd is away or refuses."""
        with urllib.request.urlopen(f"{self.url}/v3/kv/{verb}", json.dumps(body).encode(), timeout=30) as answer:
            decoded: Json = json.load(answer)
            return decoded
