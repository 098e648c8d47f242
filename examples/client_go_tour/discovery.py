"""Discovery of the API server's resources, and of the one that a name means (DiscoveryClient and RESTMapper in Go)."""

from __future__ import annotations

import argparse
import sys

from informerd import Client, Discovery
from informerd.controllers.command_line import cluster_from_options, make_parser, run_to_end


async def show(options: argparse.Namespace) -> None:
    async with Client(cluster_from_options(options)) as client:
        discovery = Discovery(client)
        for resource in await discovery.resources():
            if resource.group == options.group:
                scope = "namespaced" if resource.namespaced else "cluster-scoped"
                print(f"{resource.api_version} {resource.plural}: {resource.kind}, {scope}")
                print(f"  it can {', '.join(sorted(resource.verbs))}")
        for name in options.names:
            print(f"{name!r} means {(await discovery.resolve(name)).key}")


def main() -> int:
    parser = make_parser("discovery", __doc__)
    parser.add_argument("--group", default="", help="whose resources to list; the core group by default")
    parser.add_argument("names", nargs="*", metavar="NAME", help="names to look up, as kubectl takes them")
    options = parser.parse_args()
    return run_to_end("discovery", lambda: show(options))


if __name__ == "__main__":
    sys.exit(main())
