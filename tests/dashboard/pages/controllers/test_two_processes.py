"""Tests of the production form: separate workers, Redis, and a web process's reports and client here."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from dashboard.pages.controllers.worker_client import ControllersClient
from dashboard.pages.controllers.worker_messages import RequeueResult
from informerd.clock import SystemClock
from informerd.controller.state import ControllerState
from tests.support.controlplane import ControlPlane
from tests.support.live.redis_layer import SECRET_KEY, encrypted_redis_layer
from tests.support.program import ROOT, Program
from tests.support.skip_if_missing import redis_url
from tests.support.wait import eventually

pytestmark = pytest.mark.redis

LEASES = "/apis/coordination.k8s.io/v1/namespaces/{}/leases"
GIVEN_UP = {"metadata": {"name": "deltaboard-controllers"}, "spec": {"holderIdentity": "", "leaseDurationSeconds": 1}}
CRD = ROOT / "deploy" / "crd" / "mydemos.yaml"


@pytest.fixture
def prefix() -> str:
    """Keeps this run's channels apart from every other's on the same Redis."""
    return f"test-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def new_worker(prefix: str, tmp_path: Path) -> Iterator[Callable[..., Program]]:
    """Starts workers; all are ended after the test."""
    programs: list[Program] = []
    env = {"REDIS_URL": redis_url(), "DELTABOARD_CHANNEL_PREFIX": prefix, "DELTABOARD_VAR": str(tmp_path)}

    def start(*arguments: str, **more: str) -> Program:
        programs.append(Program(*arguments, env={**env, **more}))
        return programs[-1].start()

    yield start
    for program in programs:
        program.__exit__()


@pytest.fixture
async def link(prefix: str) -> AsyncIterator[ControllersClient]:
    async with encrypted_redis_layer(prefix) as layer:
        heard = ControllersClient(layer, SystemClock())
        running = asyncio.create_task(heard.run())
        yield heard
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def shown(link: ControllersClient) -> ControllerState | None:
    """The controller that a page would show first."""
    main = link.reports.main_report
    return next(iter(main.report.manager.controllers), None) if main is not None and not main.is_silent else None


def failed_keys(link: ControllersClient) -> list[str]:
    state = shown(link)
    return [failed.key for failed in state.failed] if state is not None else []


@pytest.mark.long
async def test_a_poison_key_is_seen_requeued_and_gone_across_processes(
    link: ControllersClient, new_worker: Callable[..., Program], tmp_path: Path
) -> None:
    worker = new_worker("-m", "tests.support.controllers.sample_worker", str(tmp_path))
    await eventually(lambda: failed_keys(link) == ["default/poison"], what=worker.output)
    (tmp_path / "poison").touch()
    answer = await link.requeue("sample", "default/poison", requested_by="alice")
    assert answer is not None
    assert answer.done
    await eventually(lambda: failed_keys(link) == [])
    late = await link.requeue("sample", "default/poison")
    assert isinstance(late, RequeueResult)
    assert "is not a failed key of sample" in late.words

    worker.kill()
    await eventually(lambda: link.reports.problem, what="silent")
    assert link.reports.main_report is not None
    assert link.reports.main_report.is_silent
    assert await link.requeue("sample", "default/poison") is None


async def test_of_two_workers_one_runs_the_controllers_and_the_other_goes_on_when_it_ends(
    controlplane: ControlPlane, link: ControllersClient, new_worker: Callable[..., Program], tmp_path: Path
) -> None:
    controlplane.apply_crd(CRD)
    namespace = controlplane.create_namespace(f"led-{uuid.uuid4().hex[:8]}")
    controlplane.create(LEASES.format(namespace), GIVEN_UP)  # who makes a new one waits a while before it leads
    env = {
        "KUBECONFIG": str(in_namespace(controlplane.kubeconfig, namespace, tmp_path)),
        "DELTABOARD_CONTROLLERS": "crddemo",
        "DELTABOARD_KINDS": "namespaces",
        "SECRET_KEY": SECRET_KEY,
    }
    first = new_worker("manage.py", "informerd", **env)
    await eventually(lambda: phases(link) == ["running"], within=40, what=first.output)
    second = new_worker("manage.py", "informerd", **env)
    await eventually(lambda: phases(link) == ["running", "waiting for leader"], what=second.output)
    leader = leading(link)
    await eventually(lambda: seen_leaders(link) == [leader, leader])
    assert link.reports.main_report is not None
    assert link.reports.main_report.report.manager.lease == f"{namespace}/deltaboard-controllers"
    assert link.reports.main_report.report.manager.since is not None

    await asyncio.to_thread(first.stop)
    await eventually(lambda: phases(link)[:1] == ["running"] and leading(link) != leader)
    assert link.reports.problem is None
    assert "Traceback" not in first.output + second.output


def phases(link: ControllersClient) -> list[str]:
    """The phase of each worker's controller, of the one that is shown first in front."""
    return [each.phase for heard in link.reports.workers for each in heard.report.manager.controllers]


def seen_leaders(link: ControllersClient) -> list[str]:
    """Who leads, as each worker has it."""
    return [heard.report.manager.leader for heard in link.reports.workers]


def in_namespace(kubeconfig: Path, namespace: str, folder: Path) -> Path:
    """A kubeconfig whose context has this namespace."""
    config = json.loads(kubeconfig.read_text())
    config["contexts"][0]["context"]["namespace"] = namespace
    path = folder / "kubeconfig"
    path.write_text(json.dumps(config))
    return path


def leading(link: ControllersClient) -> str:
    main = link.reports.main_report
    return main.report.manager.identity if main is not None and main.is_leader else ""
