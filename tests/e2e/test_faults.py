"""Tests of a lost API server, CRD or worker: the page says so at once, and heals without a reload."""

from __future__ import annotations

import itertools
import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import CRD, Dashboard
from tests.support.controlplane import ControlPlane, free_ports
from tests.support.e2e.pods_and_mydemos import mydemo, mydemos, pod, pods
from tests.support.program import Program, answers
from tests.support.skip_if_missing import redis_url
from tests.support.wait import until

pytestmark = pytest.mark.browser
_numbers = itertools.count(1)


@pytest.fixture
def fragile(modules_controlplane: ControlPlane) -> Iterator[ControlPlane]:
    """An API server that may be killed and frozen; it is repaired for the next test."""
    yield modules_controlplane
    if modules_controlplane.runs:
        modules_controlplane.resume()
    modules_controlplane.start_apiserver()


@pytest.fixture
def own_namespace(fragile: ControlPlane) -> str:
    """A namespace of the test's own there."""
    return fragile.create_namespace(f"faults-{next(_numbers)}")


def assert_live(page: Page, *, within: float = 45.0) -> None:
    expect(page.locator("body")).to_have_attribute("data-live", "live", timeout=within * 1000)


def assert_stale(page: Page) -> None:
    expect(page.locator("body")).to_have_attribute("data-live", "stale")


@pytest.mark.long
def test_api_server_killed_and_started_again_leaves_no_ghost_row(
    page: Page, fragile: ControlPlane, own_namespace: str, new_dashboard: Callable[..., Dashboard]
) -> None:
    fragile.create(pods(own_namespace), pod("stays"))
    fragile.create(pods(own_namespace), pod("goes"))
    dashboard = new_dashboard(fragile.kubeconfig)
    page.goto(f"{dashboard.url}/resources/pods/?namespace={own_namespace}")
    assert_live(page)
    page.evaluate("window.sameDocument = true")
    expect(page.locator("tbody tr[data-name]")).to_have_count(2)

    fragile.kill()
    assert_stale(page)
    expect(page.locator("#banner")).to_contain_text("API server")
    expect(page.locator("tbody tr[data-name='stays']")).to_have_count(1)

    fragile.start_apiserver()
    fragile.delete(pods(own_namespace, "goes"))
    fragile.create(pods(own_namespace), pod("new"))
    assert_live(page)
    expect(page.locator("tbody tr[data-name='new']")).to_have_count(1)
    expect(page.locator("tbody tr[data-name='goes']")).to_have_count(0)
    expect(page.locator("tbody tr[data-name]")).to_have_count(2)
    assert page.evaluate("window.sameDocument") is True


@pytest.mark.long
def test_a_frozen_api_server_is_noticed_and_healed(
    page: Page, fragile: ControlPlane, own_namespace: str, new_dashboard: Callable[..., Dashboard]
) -> None:
    fragile.create(pods(own_namespace), pod("one"))
    dashboard = new_dashboard(fragile.kubeconfig)
    page.goto(f"{dashboard.url}/resources/pods/?namespace={own_namespace}")
    assert_live(page)
    fragile.pause()
    try:
        assert_stale(page)
    finally:
        fragile.resume()
    assert_live(page)
    fragile.create(pods(own_namespace), pod("two"))
    expect(page.locator("tbody tr[data-name='two']")).to_have_count(1)


@pytest.mark.long
def test_a_crd_created_after_the_start_fills_its_page_and_one_removed_empties_it(
    page: Page, fragile: ControlPlane, own_namespace: str, new_dashboard: Callable[..., Dashboard]
) -> None:
    if fragile.exists(mydemos(own_namespace)):
        fragile.delete_crd("mydemos.crddemo.k8s.io")
    until(lambda: not fragile.exists(mydemos(own_namespace)), what="Mydemos are not served")
    dashboard = new_dashboard(fragile.kubeconfig)
    page.goto(f"{dashboard.url}/resources/mydemos.crddemo.k8s.io/")
    expect(page.locator("main")).to_contain_text("no Mydemos")
    fragile.apply_crd(CRD)
    fragile.create(mydemos(own_namespace), mydemo("first"))
    expect(page.locator("tbody tr[data-name='first']")).to_have_count(1, timeout=30_000)
    assert_live(page)
    fragile.delete_crd("mydemos.crddemo.k8s.io")
    expect(page.locator("tbody tr[data-name='first']")).to_have_count(0, timeout=30_000)


def test_a_dashboard_started_before_its_api_server_opens_says_so_and_recovers(
    page: Page, fragile: ControlPlane, own_namespace: str, new_dashboard: Callable[..., Dashboard]
) -> None:
    fragile.create(pods(own_namespace), pod("waiting"))
    fragile.kill()
    dashboard = new_dashboard(fragile.kubeconfig)
    page.goto(f"{dashboard.url}/resources/pods/")
    expect(page.locator("body")).to_contain_text(f"127.0.0.1:{fragile.api_port}")
    assert page.locator("body").get_attribute("data-live") != "live"
    fragile.start_apiserver()
    expect(page.locator("tbody tr[data-name='waiting']")).to_have_count(1, timeout=45_000)
    assert_live(page)


@pytest.mark.long
def test_the_dashboard_killed_and_started_again_heals_an_open_page(
    page: Page, cluster: ControlPlane, namespace: str, new_dashboard: Callable[..., Dashboard]
) -> None:
    dashboard = new_dashboard(cluster.kubeconfig)
    cluster.create(pods(namespace), pod("goes"))
    page.goto(f"{dashboard.url}/resources/pods/?namespace={namespace}")
    assert_live(page)
    expect(page.locator("tbody tr[data-name='goes']")).to_have_count(1)
    dashboard.kill()
    expect(page.locator("body")).not_to_have_attribute("data-live", "live")
    cluster.delete(pods(namespace, "goes"))
    cluster.create(pods(namespace), pod("new"))
    dashboard.open()
    assert_live(page)
    expect(page.locator("tbody tr[data-name='new']")).to_have_count(1)
    expect(page.locator("tbody tr[data-name='goes']")).to_have_count(0)


@pytest.mark.long
@pytest.mark.redis
def test_a_worker_with_another_key_is_named_as_the_cause_until_the_keys_are_the_same(
    page: Page, cluster: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    (port,) = free_ports(1)
    url = f"http://127.0.0.1:{port}"
    env = {
        "KUBECONFIG": str(cluster.kubeconfig),
        "REDIS_URL": redis_url(),
        "DELTABOARD_CHANNEL_PREFIX": f"test-{uuid.uuid4().hex[:12]}",
        "SECRET_KEY": os.urandom(20).hex(),
        "DELTABOARD_VAR": str(tmp_path),
    }
    cluster.create(pods(namespace), pod("seen"))
    web = Program("-m", "daphne", "-b", "127.0.0.1", "-p", str(port), "dashboard.asgi:application", env=env)
    with web:
        web.wait_for(lambda: answers(f"{url}/healthz"))
        with Program("manage.py", "informerd", env={**env, "DELTABOARD_FEED_KEY": os.urandom(20).hex()}):
            page.goto(f"{url}/resources/pods/?namespace={namespace}")
            expect(page.locator("#banner")).to_contain_text("worker and web process have different keys")
            expect(page.locator("#banner")).to_contain_text("DELTABOARD_FEED_KEY")
            expect(page.locator("tbody tr[data-name='seen']")).to_have_count(0)
            assert page.locator("body").get_attribute("data-live") != "live"
        with Program("manage.py", "informerd", env=env):
            assert_live(page)
            expect(page.locator("tbody tr[data-name='seen']")).to_have_count(1)
            expect(page.locator("body")).not_to_contain_text("different keys")


@pytest.mark.long
@pytest.mark.redis
def test_worker_killed_and_started_again_in_the_two_process_form(
    page: Page, cluster: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    (port,) = free_ports(1)
    url = f"http://127.0.0.1:{port}"
    env = {
        "KUBECONFIG": str(cluster.kubeconfig),
        "REDIS_URL": redis_url(),
        "DELTABOARD_CHANNEL_PREFIX": f"test-{uuid.uuid4().hex[:12]}",
        "SECRET_KEY": os.urandom(20).hex(),
        "DELTABOARD_VAR": str(tmp_path),
    }
    worker = Program("manage.py", "informerd", env=env)
    web = Program("-m", "daphne", "-b", "127.0.0.1", "-p", str(port), "dashboard.asgi:application", env=env)
    with worker, web:
        web.wait_for(lambda: answers(f"{url}/healthz"))
        cluster.create(pods(namespace), pod("goes"))
        page.goto(f"{url}/resources/pods/?namespace={namespace}")
        assert_live(page)
        expect(page.locator("tbody tr[data-name='goes']")).to_have_count(1)

        worker.kill()
        assert_stale(page)
        cluster.delete(pods(namespace, "goes"))
        cluster.create(pods(namespace), pod("new"))
        worker.start()
        assert_live(page)
        expect(page.locator("tbody tr[data-name='new']")).to_have_count(1)
        expect(page.locator("tbody tr[data-name='goes']")).to_have_count(0)
