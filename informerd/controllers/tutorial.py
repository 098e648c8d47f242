"""Tutorial controller: indexer, queue, informer and workers put together by hand, with retries.

`informerd.controller` does all of this, and more; this module is for readers. The structure is that of client-go's
examples/workqueue: handlers put keys into the queue, workers take a key and read the store.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable
from functools import partial

from informerd.cache.factory import SharedInformerFactory
from informerd.cache.shared_informer import SharedInformer
from informerd.controllers.command_line import cluster_from_options, configure_logging, make_parser, run_until_signal
from informerd.errors import InformerdError, QueueShutDown
from informerd.objects import Object
from informerd.rest.client import Client
from informerd.workqueue.work_queue import WorkQueue

log = logging.getLogger("tutorial")

MAX_RETRIES = 5
"""A key that has failed so often, and then once more, is given up until it changes."""
SYNC_TIMEOUT = 120.0
"""Seconds that the first list may take."""

Sync = Callable[[str], Awaitable[None]]
"""Handles a key. It raises where that failed."""


class SimulatedFailure(InformerdError):
    """Failure requested with --fail."""


class Tutorial:
    """A controller of the objects of one informer, to which it is added as a handler here.

    Each key is synced at least once after its object's last change, never by two workers at once; one that fails is
    tried again, later each time, MAX_RETRIES times, and keeps no other key waiting.
    """

    def __init__(self, informer: SharedInformer[Object], sync: Sync, *, queue: WorkQueue[str] | None = None) -> None:
        self._kind = informer.resource.kind
        self._queue = queue or WorkQueue("tutorial")
        self._sync = sync
        self._registration = informer.add_handler(self)

    def on_add(self, obj: Object, is_in_initial_list: bool) -> None:  # noqa: ARG002 - a Handler
        self._queue.add(obj.key)

    def on_update(self, old: Object, new: Object) -> None:  # noqa: ARG002
        self._queue.add(new.key)

    def on_delete(self, obj: Object, final_state_unknown: bool) -> None:  # noqa: ARG002 - the key is right either way
        self._queue.add(obj.key)

    async def run(self, workers: int) -> None:
        """Work until cancelled; the keys that wait by then are still synced. Waits for the informer's sync at first.

        Before that, what the store does not have may only be unknown.
        """
        log.info("Starting %s controller", self._kind)
        await self._registration.wait_for_sync()
        tasks = [asyncio.create_task(self._work(), name=f"worker {number}") for number in range(workers)]
        try:
            await asyncio.wait(tasks)
        finally:
            log.info("Stopping %s controller", self._kind)
            await self._queue.drain()
            await asyncio.wait(tasks)

    async def _work(self) -> None:
        while True:
            try:
                key = await self._queue.get()
            except QueueShutDown:
                return
            try:
                await self._sync(key)
            except Exception as error:  # noqa: BLE001 - a key that fails is tried again, and ends no worker
                self._failed(key, error)
            else:
                self._queue.forget(key)
            finally:
                self._queue.done(key)
            await asyncio.sleep(0)

    def _failed(self, key: str, error: Exception) -> None:
        if self._queue.num_requeues(key) < MAX_RETRIES:
            log.error("Error syncing %s %s: %s", self._kind.lower(), key, error)
            self._queue.add_rate_limited(key)
        else:
            self._queue.forget(key)
            log.error("Dropping %s %s out of the queue: %s", self._kind.lower(), key, error)


async def print_state(informer: SharedInformer[Object], fail: frozenset[str], key: str) -> None:
    """Say what the store has under a key (client-go's syncToStdout). Fails for the keys in `fail`."""
    if key in fail:
        raise SimulatedFailure("it was to fail")
    kind, obj = informer.resource.kind, informer.store.get(key)
    line = f"{kind} {key} does not exist" if obj is None else f"Sync/Add/Update for {kind} {obj.metadata.name}"
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def serve(options: argparse.Namespace) -> None:
    """Run it until cancelled. Raises InformerdError where the resource is none or does not sync in time."""
    async with Client(cluster_from_options(options)) as client, SharedInformerFactory(client) as factory:
        informer = await factory.informer_for(options.resource, Object, namespace=options.namespace)
        controller = Tutorial(informer, partial(print_state, informer, frozenset(options.fail)))
        factory.start()
        await factory.wait_for_cache_sync(options.sync_timeout)
        await controller.run(options.workers)


def main(arguments: list[str] | None = None) -> int:
    """Run it as a program; the exit code."""
    parser = make_parser("tutorial", "Logs what happens to the objects of a resource, with a work queue.")
    parser.add_argument("--resource", default="pods", metavar="NAME", help="any name that kubectl accepts")
    parser.add_argument("--namespace", default="", help="all of them by default")
    parser.add_argument("--workers", type=parse_positive, default=1, metavar="N")
    parser.add_argument("--sync-timeout", type=float, default=SYNC_TIMEOUT, metavar="SECONDS")
    parser.add_argument("--fail", action="append", default=[], metavar="KEY", help="fail at this key, to see retries")
    options = parser.parse_args(arguments)
    configure_logging()
    return run_until_signal("tutorial", lambda: serve(options))


def parse_positive(text: str) -> int:
    """A number of workers. Raises ArgumentTypeError."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of workers: give at least 1")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
