"""Command ``manage.py informerd``: the worker alone, for the production form."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from argparse import ArgumentParser
from collections.abc import Collection
from functools import partial
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand

from dashboard.cluster.connection import Connection
from dashboard.management.exit_message import exit_with_message
from dashboard.runtime.invisible_characters import escape_to_one_line
from dashboard.runtime.malloc_tuning import tune_process
from dashboard.runtime.process_watchdog import watch_process
from dashboard.runtime.shard import WHOLE
from dashboard.server.wiring.metrics import exposition
from dashboard.server.wiring.worker import WorkerProcess, build_worker_process
from informerd.errors import ConfigError, InvalidCall
from informerd.manager.healthz import CheckResult, HealthChecks
from informerd.manager.probe_server import ProbeServer


class Command(BaseCommand):
    requires_system_checks: list[str] = []  # a worker has no pages
    help = "Run the worker alone: it watches the cluster and publishes to the web processes through Redis."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--context", default="", help="context of the kubeconfig (default: its current context)")
        parser.add_argument(
            "--probes", default="", help="host:port for /healthz, /readyz and /metrics (default: none), e.g. :9100"
        )

        parser.add_argument(
            "--record-only", action="store_true", help="record history and publish nothing: beside workers of shards"
        )

    def handle(self, *_: Any, context: str, probes: str, record_only: bool, **__: Any) -> None:
        if not settings.REDIS_URL:
            exit_with_message(
                self.stderr,
                "informerd publishes through Redis, so REDIS_URL must be set; "
                "for worker and web in one process without Redis run manage.py deltaboard.",
                code=2,
            )
        try:
            with asyncio.Runner(loop_factory=_loop_factory()) as runner:
                runner.run(self._run(context, probes, only_records=record_only))
        except (ImproperlyConfigured, ConfigError, InvalidCall) as error:
            exit_with_message(self.stderr, error, code=2)

    async def _run(self, context: str, probes: str, *, only_records: bool) -> None:
        upstream = build_worker_process(context=context, with_worker=True, only_records=only_records)
        async with contextlib.AsyncExitStack() as stack:
            if probes:
                server = ProbeServer(probes, _checks(upstream), partial(exposition, upstream))
                await server.start()
                stack.push_async_callback(server.stop)
                self.stdout.write(f"Probes and metrics are at http://{server.address}/")
            await self._work(upstream, "records" if only_records else "publishes")

    async def _work(self, upstream: WorkerProcess, verb: str) -> None:
        running = asyncio.create_task(upstream.run())
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, running.cancel)
        tune_process()
        watch_process(settings.DELTABOARD_BLOCKED_SECONDS)
        logging_cluster = asyncio.create_task(self._tell(upstream.connection, verb))
        try:
            await running
        except asyncio.CancelledError:
            return
        finally:
            logging_cluster.cancel()
            await upstream.close_traces()

    async def _tell(self, connection: Connection, verb: str) -> None:
        await connection.cluster_chosen.wait()
        shard = f" of shard {settings.DELTABOARD_SHARD}" if settings.DELTABOARD_SHARD != WHOLE else ""
        self.stdout.write(f"informerd {verb} {', '.join(settings.DELTABOARD_KINDS)}{shard}")
        self.stdout.write(escape_to_one_line(connection.summary))
        self.stdout.flush()


class _WorkerHealth(HealthChecks):
    """Checks whose result has a line about history, which never fails them."""

    def __init__(self, name: str, upstream: WorkerProcess) -> None:
        super().__init__(name)
        self._upstream = upstream

    async def run(self, *, only: str = "", exclude: Collection[str] = (), verbose: bool = False) -> CheckResult:
        result = await super().run(only=only, exclude=exclude, verbose=verbose)
        if only:
            return result
        history = self._upstream.history
        words = history.describe() if history is not None else "nothing is recorded"
        return result._replace(text=f"{result.text.rstrip()}\nhistory: {words}\n")


def _checks(upstream: WorkerProcess) -> tuple[HealthChecks, ...]:
    """Health checks: alive while the process answers, ready while its cluster answers."""
    healthy, ready = _WorkerHealth("healthz", upstream), HealthChecks("readyz")
    healthy.add("ping", lambda: True)
    ready.add("cluster", partial(_must_reach, upstream.connection))
    return healthy, ready


def _must_reach(connection: Connection) -> None:
    if problem := connection.problem or ("" if connection.client is not None else "no cluster has been chosen yet"):
        raise ConfigError(problem)


def _loop_factory() -> Any:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
