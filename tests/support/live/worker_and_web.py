"""The production form in small: a worker and a web process on one Redis, with one kind."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import Self

from tests.support.controlplane import ControlPlane
from tests.support.e2e.production_stack import Web, Worker
from tests.support.program import answers
from tests.support.skip_if_missing import redis_url
from tests.support.wait import until

KIND = "configmaps"


class WorkerAndWeb:
    """Both run in its `with` block. With `web_prefix` they are of two installations, with the same SECRET_KEY. `env` is
    for both.
    """

    def __init__(self, controlplane: ControlPlane, folder: Path, *, web_prefix: str = "", **env: str) -> None:
        self.prefix = f"test-{uuid.uuid4().hex[:12]}"
        env = {
            **env,
            "KUBECONFIG": str(controlplane.kubeconfig),
            "REDIS_URL": redis_url(),
            "DELTABOARD_CHANNEL_PREFIX": self.prefix,
            "DELTABOARD_KINDS": KIND,
            "DELTABOARD_VAR": str(folder),
            "SECRET_KEY": "for this test only",
        }
        self.worker = Worker(env)
        self.web = Web({**env, "DELTABOARD_CHANNEL_PREFIX": web_prefix or self.prefix})

    def __enter__(self) -> Self:
        self.worker.start()
        self.web.start()
        self.web.wait_for(lambda: answers(f"{self.web.url}/healthz"))
        return self

    def __exit__(self, *_: object) -> None:
        self.web.__exit__()
        self.worker.__exit__()

    def page(self, path: str = f"/resources/{KIND}/?q=object") -> str:
        """The HTML of a page, whatever its status: without `path` the list of the objects of these tests.

        Their names have the word, and those that other tests have left in the run's API server would fill the page.
        """
        try:
            with urllib.request.urlopen(self.web.url + path, timeout=60) as answer:
                return str(answer.read().decode())
        except urllib.error.HTTPError as error:
            return error.read().decode()

    def is_live(self) -> bool:
        """Whether the pages of the kind may say live."""
        return self._metric("deltaboard_live") == 1

    def wait_for(self, name: str) -> None:
        """Wait until an object is on the page of the kind."""
        until(lambda: name in self.page(), within=90, what=f"{name} is shown")

    def rejected(self) -> float:
        """How many messages the web process has dropped."""
        return self._metric("deltaboard_feed_messages_rejected_total")

    def peak_memory(self) -> int:
        """The most bytes that the web process had at once."""
        assert self.web.process
        status = Path(f"/proc/{self.web.process.pid}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert found
        return int(found[1]) * 1024

    def _metric(self, name: str) -> float:
        """The sum of a metric over its labels."""
        found = re.findall(rf"^{name}(?:{{[^}}]*}})? ([0-9.e+]+)$", self.page("/metrics"), re.MULTILINE)
        return sum(map(float, found))
