"""Separate Redis for a test, which can be killed, frozen, restarted and have its clients cut off."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import redis

from tests.support.daemon import Daemon
from tests.support.free_ports import free_ports
from tests.support.skip_if_missing import missing
from tests.support.wait import until


class RedisServer(Daemon):
    """redis-server on a free port of 127.0.0.1; it keeps nothing on disk, so a restart forgets everything."""

    def __init__(self, directory: Path) -> None:
        program = shutil.which("redis-server") or missing("redis-server", "install Debian's package redis-server")
        super().__init__(Path(program), directory)
        (self.port,) = free_ports(1)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def run(self) -> None:
        """Start it on its port and wait until it answers; nothing to do if it runs."""
        if not self.runs:
            self.start([f"--port {self.port}", "--bind 127.0.0.1", "--save", "", "--appendonly no"])
        until(self._answers, what="redis-server answers")

    def cut_subscribers(self) -> int:
        """Close the connections of all who are subscribed; how many there were. They come back, and have missed what
        was published meanwhile."""
        return int(self._call("CLIENT", "KILL", "TYPE", "pubsub"))

    def published(self) -> int:
        """How many messages have been published so far."""
        commands = self._call("INFO", "commandstats")
        return int(commands.get("cmdstat_publish", {}).get("calls", 0))

    def limit_subscribers(self, limit: int) -> None:
        """Close the connection of a subscriber for whom `limit` bytes wait; 0 is for no limit."""
        self._call("CONFIG", "SET", "client-output-buffer-limit", f"pubsub {limit} 0 0")

    def _answers(self) -> bool:
        self.check()
        try:
            return bool(self._call("PING"))
        except redis.RedisError:
            return False

    def _call(self, *command: str) -> Any:
        with redis.Redis(port=self.port, socket_timeout=5) as client:
            return client.execute_command(*command)
