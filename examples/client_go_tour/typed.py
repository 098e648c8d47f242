"""Typed client: creates, reads, scales and deletes a Deployment, as the official client's model and as a custom struct.

The same as client-go's create-update-delete-deployment example with its clientset.
"""

from __future__ import annotations

import argparse
import sys

import msgspec
from kubernetes.aio.client.models import (
    V1Container,
    V1Deployment,
    V1DeploymentSpec,
    V1LabelSelector,
    V1ObjectMeta,
    V1PodSpec,
    V1PodTemplateSpec,
)

from informerd import Client, Object, TypedClient
from informerd.controllers.command_line import cluster_from_options, make_parser, run_to_end


class Spec(msgspec.Struct, frozen=True):
    replicas: int = 1


class Deployment(Object, frozen=True):
    """Fields of a Deployment that this program reads; nothing else is decoded."""

    spec: Spec = Spec()


def make_deployment(name: str) -> V1Deployment:
    labels = {"app": name}
    pod = V1PodSpec(containers=[V1Container(name="main", image="nginx:1")])
    template = V1PodTemplateSpec(metadata=V1ObjectMeta(labels=labels), spec=pod)
    spec = V1DeploymentSpec(replicas=2, selector=V1LabelSelector(match_labels=labels), template=template)
    return V1Deployment(metadata=V1ObjectMeta(name=name), spec=spec)


async def show(options: argparse.Namespace) -> None:
    async with Client(cluster_from_options(options)) as client:
        models = TypedClient(client).resource("deployments.apps", V1Deployment, options.namespace)
        created = await models.create(make_deployment("typed-demo"))
        print("created", created.api_version, created.kind, "typed-demo")

        deployments = TypedClient(client).resource("deployments.apps", Deployment, options.namespace)
        scaled = await deployments.patch("typed-demo", {"spec": {"replicas": 1}})
        print("scaled", scaled.key, "to", scaled.spec.replicas)
        print("listed", [each.metadata.name for each in await deployments.list()])

        await deployments.delete("typed-demo")
        print("deleted", scaled.metadata.name)


def main() -> int:
    parser = make_parser("typed", __doc__)
    parser.add_argument("--namespace", default="default")
    options = parser.parse_args()
    return run_to_end("typed", lambda: show(options))


if __name__ == "__main__":
    sys.exit(main())
