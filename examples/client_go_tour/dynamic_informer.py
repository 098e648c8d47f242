"""Informer of any kind by its name, without a struct for it: objects are dicts.

The same as client-go's dynamicinformer with ForResource. Ends with Ctrl-C.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import Any

from informerd import Client, Object, SharedInformerFactory
from informerd.controllers.command_line import cluster_from_options, make_parser, run_to_end

RESYNC = 60.0
"""Seconds, as in deployment_informer."""


class Printer:
    def __init__(self, path: str) -> None:
        self._steps = path.split(".")

    def on_add(self, obj: Object, is_in_initial_list: bool) -> None:
        self._say("there is" if is_in_initial_list else "add", obj)

    def on_update(self, old: Object, new: Object) -> None:
        self._say("update", new)

    def on_delete(self, obj: Object, final_state_unknown: bool) -> None:
        self._say("delete", obj)

    def _say(self, word: str, obj: Object) -> None:
        """Print an object: `obj` has metadata only; `full()` decodes the rest on demand."""
        value: Any = obj.full()
        for step in self._steps:
            value = value.get(step, {})
        print(word, obj.kind, obj.key, value, flush=True)


async def show(options: argparse.Namespace) -> None:
    async with Client(cluster_from_options(options)) as client, SharedInformerFactory(client, resync=RESYNC) as factory:
        informer = await factory.informer_for(options.resource, Object)
        printed = informer.add_handler(Printer(options.field))
        factory.start()
        await printed.wait_for_sync()
        for obj in informer.lister.list(options.namespace):
            print("from the cache:", obj.metadata.name, flush=True)
        await asyncio.Event().wait()


def main() -> int:
    parser = make_parser("dynamic_informer", __doc__)
    parser.add_argument("resource", nargs="?", default="deployments", help="any name that kubectl accepts")
    parser.add_argument("--field", default="spec.replicas", metavar="PATH", help="what to print of each")
    parser.add_argument("--namespace", default="default", help="of what is listed; all of them are followed")
    options = parser.parse_args()
    return run_to_end("dynamic_informer", lambda: show(options))


if __name__ == "__main__":
    sys.exit(main())
