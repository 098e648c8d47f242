"""REST client: one request to any path of the API server, here for the pods of a namespace (client-go's RESTClient)."""

from __future__ import annotations

import argparse
import sys

from informerd import PODS, Client
from informerd.controllers.command_line import cluster_from_options, make_parser, run_to_end


async def show(options: argparse.Namespace) -> None:
    async with Client(cluster_from_options(options)) as client:
        answer = await client.request("GET", PODS.path(options.namespace), params={"limit": "500"})
        for pod in answer.object()["items"]:
            print(pod["metadata"]["namespace"], pod["metadata"]["name"], pod["status"]["phase"])


def main() -> int:
    parser = make_parser("rest", __doc__)
    parser.add_argument("--namespace", default="default")
    options = parser.parse_args()
    return run_to_end("rest", lambda: show(options))


if __name__ == "__main__":
    sys.exit(main())
