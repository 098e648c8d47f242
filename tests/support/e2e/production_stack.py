"""Dashboard as in production, with real processes: API server, Redis, database, workers, two web processes."""

from __future__ import annotations

import contextlib
import os
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from tests.support.controlplane import ControlPlane, free_ports
from tests.support.e2e.cpu_starvation import Waited
from tests.support.e2e.postgresql_database import Database
from tests.support.e2e.redis_server import RedisServer
from tests.support.program import Program, answers
from tests.support.wait import until

WITHIN = 60.0
"""Seconds for what takes one or two on a machine that has nothing else to do."""


class Worker(Program):
    """`manage.py informerd`; `metrics` answers on a port of its own."""

    def __init__(self, env: dict[str, str], *options: str, **version: Path) -> None:
        (self.port,) = free_ports(1)
        super().__init__("manage.py", "informerd", *options, "--probes", f"127.0.0.1:{self.port}", env=env, **version)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class Web(Program):
    """A web process."""

    def __init__(self, env: dict[str, str], **version: Path) -> None:
        (self.port,) = free_ports(1)
        super().__init__(
            "-m", "daphne", "-v", "0", "--websocket_timeout", "-1", "-b", "127.0.0.1", "-p", str(self.port),
            "dashboard.asgi:application", env=env, **version,
        )  # fmt: skip

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class ProductionStack:
    """`start` before use and `stop` after it; `mend` brings back whatever a fault has left frozen or dead.

    `controlplane` is its owner's to start and stop. `env` is for all processes.
    """

    def __init__(self, controlplane: ControlPlane, directory: Path, **env: str) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.controlplane = controlplane
        self.redis = RedisServer(directory)
        self.database = Database()
        self.env = {
            "KUBECONFIG": str(controlplane.kubeconfig),
            "REDIS_URL": self.redis.url,
            "DATABASE_URL": self.database.url,
            "SECRET_KEY": os.urandom(20).hex(),
            "DELTABOARD_TOKEN": "off",
            "DELTABOARD_VAR": str(directory),
            "HOME": str(directory),
            **env,
        }
        self.worker = Worker(self.env)
        self.second = Worker(self.env)
        """A second worker, which runs in no test but those that start it."""
        self.webs = (Web(self.env), Web(self.env))
        self.waited = Waited((self.worker, self.second), self.webs)

    def start(self) -> None:
        """Start everything and wait until both web processes have rows."""
        self.database.create()
        self.mend()
        self.waited.start()

    def stop(self) -> None:
        """End everything but the control plane."""
        self.waited.stop()
        for program in (self.worker, self.second, *self.webs):
            program.resume()
            with contextlib.suppress(AssertionError):  # it did not end by itself
                program.__exit__()
        self.redis.kill()
        self.database.drop()

    def mend(self) -> None:
        """One worker, both web processes and all they need run, and say that they are ready."""
        self.controlplane.resume() if self.controlplane.runs else self.controlplane.start_apiserver()
        if self.redis.runs:
            self.redis.resume()
        self.redis.run()
        self.redis.limit_subscribers(32_000_000)
        self.database.reopen()
        for program in (self.worker, *self.webs):
            program.resume()
            if not program.running():
                program.start()
        self.second.resume()
        self.second.stop()
        for web in self.webs:
            web.wait_for(lambda url=web.url: answers(f"{url}/healthz"), within=WITHIN)  # type: ignore[misc]
            until(lambda url=web.url: is_ready(url), within=WITHIN, what=f"{web.url} is ready")  # type: ignore[misc]

    def counted(self, name: str, web: int = 0) -> float:
        """The sum of one of a web process's counters of /metrics over all kinds: ``feed_gaps``, ``feed_silences``."""
        return sum(_samples(self.webs[web], f"deltaboard_{name}_total"))

    def gauge(self, name: str, resource: str, web: int = 0) -> float:
        """One of a web process's gauges of /metrics, of one kind: ``rows``, ``feed_shards``."""
        return sum(_samples(self.webs[web], f"deltaboard_{name}", resource=resource))

    def informer_counted(self, name: str) -> float:
        """The same of the worker's informers: ``relists``, ``reconnects``."""
        return sum(_samples(self.worker, f"informerd_{name}_total"))


def is_ready(url: str) -> bool:
    with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/readyz", timeout=5) as answer:
        return bool(answer.status == 200)
    return False


def _samples(program: Worker | Web, name: str, **labels: str) -> Iterator[float]:
    """Values of the metric `name` with these labels. Raises AssertionError with what the program wrote where it does
    not answer.
    """
    try:
        with urllib.request.urlopen(f"{program.url}/metrics", timeout=30) as answer:
            text = answer.read().decode()
    except OSError as error:
        state = "runs" if program.running() else "has ended"
        raise AssertionError(f"{error!r}, and the program {state}:\n{program.output}") from error
    for family in text_string_to_metric_families(text):
        samples = (sample for sample in family.samples if sample.name == name)
        yield from (sample.value for sample in samples if labels.items() <= sample.labels.items())
