"""Program with a manager, as a person writes one, for tests of signals: ``manager.py KIND KUBECONFIG NAMESPACE``.

``slow`` has a reconcile that ends when the config map is called "go"; ``blocked`` blocks the event loop, ``threaded`` a
thread; ``elected`` is one of several that write into a config map while they lead.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
import time

from informerd import Election, Manager, Object, Request, Resource, Unreachable, load_kubeconfig

MAPS = Resource(version="v1", plural="configmaps", kind="ConfigMap")
QUICK = {"lease_duration": 5, "renew_deadline": 4.0, "retry_period": 0.3}


class ConfigMap(Object, frozen=True):
    data: dict[str, str] = {}


def slow(manager: Manager) -> None:
    maps = manager.kind(MAPS)
    may_end = asyncio.Event()

    async def stand_by() -> None:
        while not may_end.is_set():
            if any(each.metadata.name == "go" for each in maps.list()):
                may_end.set()
            await asyncio.sleep(0.05)

    @manager.controller("slow", maps)
    async def reconcile(request: Request) -> None:
        say(f"begins {request.name}")
        await stand_by()
        say(f"ends {request.name}")


def blocked(manager: Manager) -> None:
    @manager.controller("blocked", manager.kind(MAPS))
    async def reconcile(_: Request) -> None:
        say("blocks")
        time.sleep(600)  # noqa: ASYNC251 - that is what it is for


def threaded(manager: Manager) -> None:
    @manager.controller("threaded", manager.kind(MAPS))
    async def reconcile(_: Request) -> None:
        say("blocks a thread")
        await asyncio.to_thread(time.sleep, 600)


def elected(manager: Manager) -> None:
    maps = manager.kind(MAPS, ConfigMap)

    async def write() -> None:
        say("leads")
        number = 0
        while True:
            number += 1
            body = {"data": {"writer": str(os.getpid()), "number": str(number)}}
            with contextlib.suppress(Unreachable):  # a request that was on its way when the process froze
                await maps.patch(f"{sys.argv[3]}/shared", body)
            await asyncio.sleep(0.05)

    manager.add(write, name="writer")


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a program's words


def main() -> int:
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    kind, kubeconfig, namespace = sys.argv[1:]
    election = Election("elected", namespace=namespace, **QUICK) if kind == "elected" else None  # type: ignore[arg-type]
    graceful = 0.2 if kind == "threaded" else 30.0
    manager = Manager(load_kubeconfig(kubeconfig), namespaces=[namespace], election=election, graceful=graceful)
    {"slow": slow, "blocked": blocked, "elected": elected, "threaded": threaded}[kind](manager)
    return manager.run_program()


if __name__ == "__main__":
    sys.exit(main())
