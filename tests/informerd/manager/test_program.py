"""Tests of a manager as a separate process: signals, and two processes of which one is frozen."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from informerd.errors import InvalidCall
from informerd.leader_election.lease_record import LEASES
from informerd.manager.manager import Manager
from informerd.manager.signals import Signals
from informerd.rest.cluster_config import ClusterConfig
from tests.informerd.manager.conftest import Place
from tests.support.cluster_terminal import Running
from tests.support.controlplane import ControlPlane
from tests.support.program import ROOT
from tests.support.wait import eventually

PROGRAM = ROOT / "tests/support/informerd/programs/manager.py"
NOWHERE = ClusterConfig(name="nowhere", server="http://127.0.0.1:1")


class Programs:
    """Starts programs at the real API server, in a namespace with one config map."""

    def __init__(self, kubeconfig: Path, place: Place) -> None:
        self.place = place
        self._kubeconfig = kubeconfig

    def run(self, kind: str) -> Running:
        arguments = ("-X", "dev", "-W", "error", str(PROGRAM), kind, str(self._kubeconfig), self.place.namespace)
        return Running(*arguments, env={"PYTHONPATH": str(ROOT)})


@pytest.fixture
async def programs(controlplane: ControlPlane, real: Place) -> Programs:
    await real.map("shared")
    return Programs(controlplane.kubeconfig, real)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_the_first_signal_lets_what_is_under_way_be_finished(programs: Programs, number: signal.Signals) -> None:
    with programs.run("slow") as program:
        await program.says("begins ")
        assert program.process is not None
        program.process.send_signal(number)
        await program.says(f"{number.name}: stopping in order; a second signal ends at once")
        await programs.place.map("go")
        assert await program.ends() == 0
        assert any(line.startswith("ends ") for line in program.lines)
        assert program.complaints == []


async def test_the_second_signal_ends_it_at_once_with_1(programs: Programs) -> None:
    with programs.run("slow") as program:
        await program.says("begins ")
        assert program.process is not None
        program.process.send_signal(signal.SIGTERM)
        await program.says("stopping in order")
        program.process.send_signal(signal.SIGINT)
        assert await program.ends() == 1
        assert "SIGINT again: ended at once" in program.lines
        assert not any(line.startswith("ends ") for line in program.lines)


async def test_a_program_whose_event_loop_is_blocked_ends_with_the_second_signal_too(programs: Programs) -> None:
    with programs.run("blocked") as program:
        await program.says("blocks")
        assert program.process is not None
        program.process.send_signal(signal.SIGTERM)
        program.process.send_signal(signal.SIGINT)
        assert await program.ends() == 1


@pytest.mark.long
async def test_a_thread_that_cannot_be_ended_does_not_keep_the_process(programs: Programs) -> None:
    with programs.run("threaded") as program:
        await program.says("blocks a thread")
        assert program.process is not None
        program.process.send_signal(signal.SIGTERM)
        assert await program.ends() == 1
        assert "tasks or threads do not end: the process ends without them" in program.output


@pytest.mark.long
async def test_of_two_processes_the_one_that_is_frozen_is_replaced_and_writes_nothing_when_it_wakes(
    programs: Programs,
) -> None:
    place = programs.place
    await place.dynamic.resource(LEASES, place.namespace).create(
        {"metadata": {"name": "elected"}, "spec": {"holderIdentity": "", "leaseDurationSeconds": 1}}
    )
    with programs.run("elected") as first:
        await first.says("leads")
        with programs.run("elected") as second:
            await second.says("is held by ")
            assert first.process is not None
            assert second.process is not None
            await eventually(lambda: _writer(place, first.process))
            os.kill(first.process.pid, signal.SIGSTOP)
            await second.says("leads")
            await eventually(lambda: _writer(place, second.process))
            os.kill(first.process.pid, signal.SIGCONT)
            assert await first.ends() == 1
            assert any("the manager has ended: lost the lease" in line for line in first.lines)
            assert await _writer(place, second.process)
            before = await place.maps.get("shared")
            await eventually(lambda: _changed(place, before))
            assert await _writer(place, second.process)
            assert await second.interrupt(signal.SIGTERM) == 0
            assert [*first.complaints, *second.complaints] == [], first.output + second.output


async def _writer(place: Place, process: Any) -> bool:
    """Whether it was this process that wrote last."""
    data = (await place.maps.get("shared")).get("data") or {}
    return bool(data.get("writer") == str(process.pid))


async def _changed(place: Place, before: dict[str, Any]) -> bool:
    now = await place.maps.get("shared")
    return bool(now["metadata"]["resourceVersion"] != before["metadata"]["resourceVersion"])


@pytest.mark.program
async def test_an_error_that_ends_it_is_one_line_and_exit_code_1() -> None:
    source = (
        "import logging, sys; from informerd import ClusterConfig, Manager; logging.basicConfig();"
        "sys.exit(Manager(ClusterConfig(name='a', server='http://127.0.0.1:1'), probes='192.0.2.1:80').run_program())"
    )
    with Running("-X", "dev", "-W", "error", "-c", source) as program:
        assert await program.ends() == 1
        assert [line for line in program.lines if "the manager has ended: cannot serve probes at 192.0.2.1:80" in line]
        assert program.complaints == []


async def test_it_is_no_program_inside_an_event_loop_or_another_thread() -> None:
    with pytest.raises(InvalidCall, match="await run"):
        Manager(NOWHERE).run_program()
    with pytest.raises(InvalidCall, match="signals are for the main thread"):
        await asyncio.to_thread(Manager(NOWHERE).run_program)


async def test_signals_are_given_back_and_one_that_came_early_is_not_forgotten() -> None:
    before = signal.getsignal(signal.SIGTERM)
    said: list[str] = []
    with Signals() as signals:
        signal.raise_signal(signal.SIGTERM)
        signals.on_first(said.append)
        await eventually(lambda: said)
    assert said == ["SIGTERM"]
    assert signal.getsignal(signal.SIGTERM) is before
