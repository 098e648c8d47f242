"""Dynamic client: any kind by its name, with objects as plain dicts and retries on conflict.

The same as client-go's dynamic-create-update-delete-deployment example.
"""

from __future__ import annotations

import argparse
import sys

from informerd import Client, Conflict, DynamicClient, Json, ResourceClient
from informerd.controllers.command_line import cluster_from_options, make_parser, run_to_end


def make_deployment(name: str) -> Json:
    labels = {"app": name}
    pod = {"containers": [{"name": "main", "image": "nginx:1"}]}
    template = {"metadata": {"labels": labels}, "spec": pod}
    return {
        "metadata": {"name": name, "labels": labels},
        "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": template},
    }


async def change_image(deployments: ResourceClient[Json], name: str, image: str) -> Json:
    """Read, change, write; retried on conflict, as a controller manager often writes in between."""
    while True:
        found = await deployments.get(name)
        found["spec"]["template"]["spec"]["containers"][0]["image"] = image
        try:
            return await deployments.update(found)
        except Conflict:
            continue


async def show(options: argparse.Namespace) -> None:
    async with Client(cluster_from_options(options)) as client:
        deployments = DynamicClient(client).resource("deploy", options.namespace)
        created = await deployments.create(make_deployment("dynamic-demo"))
        print("created", created["kind"], created["metadata"]["name"])

        changed = await change_image(deployments, "dynamic-demo", "nginx:2")
        print("its image is now", changed["spec"]["template"]["spec"]["containers"][0]["image"])
        for each in await deployments.list(label_selector="app=dynamic-demo"):
            print("listed", each["metadata"]["name"], "with", each["spec"]["replicas"], "replicas")

        await deployments.delete("dynamic-demo", propagation_policy="Foreground")
        print("deleted dynamic-demo")


def main() -> int:
    parser = make_parser("dynamic", __doc__)
    parser.add_argument("--namespace", default="default")
    options = parser.parse_args()
    return run_to_end("dynamic", lambda: show(options))


if __name__ == "__main__":
    sys.exit(main())
