"""Tests of all programs through outages: a missing definition at first, then an API server that dies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.support.cluster_terminal import Running
from tests.support.informerd.restartable_cluster_terminal import FragileTerminal, fragile
from tests.support.informerd.sample_manifests import mydemo, replica_set

pytestmark = pytest.mark.program

__all__ = ["fragile"]


@contextmanager
def asleep(*programs: Running) -> Iterator[None]:
    """Frozen meanwhile: what happens is missed, and so is the end of their connections."""
    for each in programs:
        each.pause()
    try:
        yield
    finally:
        for each in programs:
            each.resume()


async def test_programs_begin_before_their_kind_and_outlive_the_api_server(fragile: FragileTerminal) -> None:
    await fragile.do("create", "namespace", "day")
    with ExitStack() as stack:
        crddemo = stack.enter_context(fragile.run("-m", "informerd.controllers.crddemo"))
        await crddemo.says("mydemos.crddemo.k8s.io.*absent")
        assert not any("Starting workers" in line for line in crddemo.lines)
        await fragile.define()
        await fragile.make(mydemo("alpha"), "day")
        await crddemo.says("Successfully synced 'day/alpha'", within=60)  # it waits longer each time
        tutorial = stack.enter_context(
            fragile.run("-m", "informerd.controllers.tutorial", "--resource=mydemos", "--workers=2")
        )
        await tutorial.says("^Sync/Add/Update for Mydemo alpha$")
        labeller = stack.enter_context(fragile.run("-m", "examples.replica_set_controller"))
        await fragile.make(replica_set("one"), "day")
        await labeller.says("Labelled ReplicaSet day/one")
        tour = stack.enter_context(fragile.run("-m", "examples.client_go_tour.deployment_informer"))
        await fragile.do("create", "deployment", "before", "--image=nginx:1", "--namespace=day")
        await tour.says("^(add|there is) day/before 1$")

        with asleep(crddemo, tutorial, labeller, tour):
            await fragile.cluster.kill()
            await fragile.cluster.start_again()
            await fragile.do("delete", "mydemo", "alpha", "--namespace=day")
            await fragile.make(mydemo("beta"), "day")
            await fragile.make(replica_set("two"), "day")
            await fragile.do("delete", "deployment", "before", "--namespace=day")
            await fragile.do("create", "deployment", "after", "--image=nginx:1", "--namespace=day")
            await fragile.cluster.compact()
        await crddemo.says("Successfully synced 'day/beta'")
        await crddemo.says("DemoCRD: day/alpha does not exist in local cache, will delete it from Mydemo ...$")
        await tutorial.says("^Mydemo day/alpha does not exist$")
        await tutorial.says("^Sync/Add/Update for Mydemo beta$")
        await labeller.says("Labelled ReplicaSet day/two")
        await tour.says("^delete day/before$")
        await tour.says("^add day/after 1$")
        assert await labels(fragile) == {"one": "world", "two": "world"}
        for program in (crddemo, tutorial, labeller):
            assert await program.interrupt() == 0
            assert program.complaints == []


async def labels(terminal: FragileTerminal) -> dict[str, str]:
    found = await terminal.do("get", "replicasets", "--namespace=day", "--no-headers", "--label-columns=hello")
    return {line.split()[0]: line.split()[-1] for line in found.splitlines()}
