"""Informer of Deployments that prints what is added, updated and deleted, and lists a namespace from its cache.

The same as client-go's SharedInformerFactory with a resync of 60 seconds. Ends with Ctrl-C.
"""

from __future__ import annotations

import argparse
import asyncio
import sys

import msgspec

from informerd import Client, Object, SharedInformerFactory
from informerd.controllers.command_line import cluster_from_options, make_parser, run_to_end

RESYNC = 60.0
"""Seconds: each handler is told of every object this often, though nothing changed and nothing is asked."""


class Spec(msgspec.Struct, frozen=True):
    replicas: int = 1


class Deployment(Object, frozen=True):
    spec: Spec = Spec()


class Printer:
    def on_add(self, obj: Deployment, is_in_initial_list: bool) -> None:
        print("there is" if is_in_initial_list else "add", obj.key, obj.spec.replicas, flush=True)

    def on_update(self, old: Deployment, new: Deployment) -> None:
        print("update", new.key, old.spec.replicas, "to", new.spec.replicas, flush=True)

    def on_delete(self, obj: Deployment, final_state_unknown: bool) -> None:
        print("delete", obj.key, flush=True)


async def show(options: argparse.Namespace) -> None:
    async with Client(cluster_from_options(options)) as client, SharedInformerFactory(client, resync=RESYNC) as factory:
        informer = await factory.informer_for("deployments.apps", Deployment)
        printed = informer.add_handler(Printer())
        factory.start()
        await printed.wait_for_sync()
        for deployment in informer.lister.list(options.namespace):
            print("from the cache:", deployment.metadata.name, flush=True)
        await asyncio.Event().wait()


def main() -> int:
    parser = make_parser("deployment_informer", __doc__)
    parser.add_argument("--namespace", default="default", help="of what is listed; all of them are followed")
    options = parser.parse_args()
    return run_to_end("deployment_informer", lambda: show(options))


if __name__ == "__main__":
    sys.exit(main())
