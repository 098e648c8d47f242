"""Tests of /healthz, /readyz and /metrics, as kubelet, Prometheus and people request them."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import pytest

from informerd.errors import ConfigError, InvalidCall
from informerd.leader_election.election_config import Election
from informerd.manager.healthz import CHECK_TIMEOUT, HealthChecks
from informerd.manager.manager import Manager
from informerd.manager.probe_server import ProbeServer
from informerd.resource import Resource
from tests.informerd.manager.conftest import MAPS, Place, Run
from tests.support.wait import eventually


async def asked(manager: Manager, path: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(f"http://{manager.probes_address}{path}") as answer:
        return answer.status, await answer.text()


async def test_a_manager_that_is_well_says_ok_in_a_word_and_with_verbose_in_lines(demo: Place, run: Run) -> None:
    manager = Manager(demo.config, probes="127.0.0.1:0")
    manager.kind(MAPS)
    run(manager)
    await eventually(lambda: manager.state().phase == "running")
    assert await asked(manager, "/healthz") == (200, "ok")
    assert await asked(manager, "/healthz?verbose") == (200, "[+]ping ok\nhealthz check passed\n")
    assert await asked(manager, "/readyz?verbose") == (200, "[+]caches ok\n[+]runnables ok\nreadyz check passed\n")
    assert (await asked(manager, "/nothing"))[0] == 404


async def test_readiness_names_what_has_not_synced_and_what_has_failed_and_liveness_does_not_mind(
    demo: Place, run: Run
) -> None:
    manager = Manager(demo.config, probes="127.0.0.1:0")
    manager.kind(Resource(group="nowhere.example", version="v1", plural="things", kind="Thing"))

    async def broken() -> None:
        raise OSError("the disk is full")

    manager.add(broken, name="broken")
    run(manager)
    await eventually(lambda: manager.state().runnables[0].phase == "failed")
    status, text = await asked(manager, "/readyz")
    assert status == 500
    assert "[-]caches failed: not synced yet: things.nowhere.example is absent" in text
    assert "[-]runnables failed: broken: OSError: the disk is full" in text
    assert text.endswith("readyz check failed\n")
    assert await asked(manager, "/healthz") == (200, "ok")


async def test_where_all_interfaces_are_served_the_address_is_one_that_a_browser_takes() -> None:
    server = ProbeServer(":0", (), lambda: (b"", "text/plain"))
    await server.start()
    try:
        async with aiohttp.ClientSession() as session, session.get(f"http://{server.address}/metrics") as answer:
            assert answer.status == 200
    finally:
        await server.stop()


async def test_of_ipv6_the_address_has_brackets() -> None:
    server = ProbeServer("[::1]:0", (), lambda: (b"", "text/plain"))
    try:
        await server.start()
    except ConfigError:
        pytest.skip("this machine has no IPv6")
    try:
        assert server.address.startswith("[::1]:")
    finally:
        await server.stop()


async def test_checks_of_ones_own_are_asked_too_alone_and_but_for_some(demo: Place, run: Run) -> None:
    manager = Manager(demo.config, probes="127.0.0.1:0")
    wrong: list[str] = []

    async def database() -> None:
        if wrong:
            raise RuntimeError(wrong[0])

    manager.add_ready_check("database", database)
    manager.add_health_check("loop", lambda: not wrong)
    run(manager)
    await eventually(lambda: manager.probes_address)
    assert (await asked(manager, "/readyz"))[0] == 200
    wrong.append("it is\naway")
    assert (await asked(manager, "/readyz/database")) == (500, "[-]database failed: it is away\nreadyz check failed\n")
    assert (await asked(manager, "/healthz"))[1].startswith("[+]ping ok\n[-]loop failed: it said no\n")
    assert await asked(manager, "/readyz?exclude=database") == (200, "ok")
    assert "[+]database excluded: ok" in (await asked(manager, "/readyz?verbose&exclude=database"))[1]
    assert await asked(manager, "/readyz/nothing") == (
        404,
        "there is no check 'nothing'; there are caches, runnables, database\n",
    )


async def test_metrics_are_those_of_its_caches_and_controllers(demo: Place, run: Run) -> None:
    manager = Manager(demo.config, probes="127.0.0.1:0")

    @manager.controller("counted", manager.kind(MAPS))
    async def reconcile(_: object) -> None: ...

    run(manager)
    await demo.map("a")
    await eventually(lambda: reconcile.state().reconciles.get("success"))
    status, text = await asked(manager, "/metrics")
    assert status == 200
    assert (
        'informerd_synced{cluster="",group="",namespace="",resource="configmaps",selector="",version="v1"} 1.0' in text
    )
    assert 'controller="counted"' in text


async def test_metrics_say_who_leads_and_what_has_failed(demo: Place, run: Run) -> None:
    terms = Election("lead", namespace=demo.namespace)
    manager = Manager(demo.config, probes="127.0.0.1:0", election=terms)

    async def broken() -> None:
        raise OSError

    manager.add(broken, name="broken", needs_leader=False)
    run(manager)
    await eventually(lambda: manager.state().runnables[0].failures)
    status, text = await asked(manager, "/metrics")
    assert status == 200
    assert f'leader_election_master_status{{name="{demo.namespace}/lead"}} 0.0' in text
    assert 'informerd_runnable_failures_total{name="broken"} 1.0' in text


@pytest.mark.parametrize("address", ["8081", "localhost", "127.0.0.1:http", "127.0.0.1:99999", "http://a:1/x", ""])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(InvalidCall, match="is not an address for probes"):
        ProbeServer(address, (), lambda: (b"", "text/plain"))


@pytest.mark.parametrize(("name", "check"), [("", bool), ("a/b", bool), ("a", None)])
def test_what_is_no_check_is_refused(name: str, check: Any) -> None:
    with pytest.raises(InvalidCall, match="a name without slashes, and a function"):
        HealthChecks("healthz").add(name, check)


def test_a_check_of_a_name_that_is_taken_is_refused() -> None:
    checks = HealthChecks("healthz")
    checks.add("ping", bool)
    with pytest.raises(InvalidCall, match="healthz has a check 'ping' already"):
        checks.add("ping", bool)


async def test_a_check_that_hangs_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("informerd.manager.healthz.CHECK_TIMEOUT", 0.01)
    checks = HealthChecks("readyz")

    async def hang() -> None:
        await asyncio.Event().wait()

    checks.add("hangs", hang)
    assert (await checks.run()).text.startswith("[-]hangs failed: it has not answered within 0.01 s")
    assert CHECK_TIMEOUT == 5
