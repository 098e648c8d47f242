"""Tests of the diagnostics that the editor's script gets while the user types."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from dashboard.objects.manifests.document import MAX_BYTES, Document, parse
from dashboard.pages.edit import actions
from dashboard.pages.edit import check_while_typing as check_module
from dashboard.runtime.compute_process_pool import LONG_TEXT
from dashboard.runtime.thread_pools import SMALL_TEXT
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Browser
from tests.support.edit.recording_work_processes import NotedWorkProcesses


@pytest.fixture
def path(cluster: ControlPlane, namespace: str, collection: str) -> str:
    """Address of Mydemo ``one``, which exists."""
    cluster.create(collection, mydemo("one"))
    return f"/resources/mydemos.crddemo.k8s.io/{namespace}/one/edit/"


async def check(browser: Browser, path: str, old: str = "", new: str = "", **typed: str) -> dict[str, Any]:
    page = await browser.open(path)
    typed = {name.replace("__", "."): value for name, value in typed.items()}
    data = {**page.form.values, **typed, "yaml": page.yaml.replace(old, new) if old else page.yaml}
    response = await browser.client.post(f"{path}check/", data)
    assert response.status_code == 200
    answer: dict[str, Any] = response.json()
    return answer


async def test_what_was_typed_as_yaml_shows_in_the_form(browser: Browser, path: str) -> None:
    answer = await check(browser, path, "port: 8080", "port: 9090")
    assert answer["valid"] is True
    assert answer["yaml"] is None
    assert answer["fields"] == {"field.spec.ip": "10.0.0.1", "field.spec.port": "9090"}
    assert answer["changes"] == 1


async def test_what_was_typed_into_the_form_shows_in_the_yaml(browser: Browser, path: str) -> None:
    answer = await check(browser, path, "port: 8080", "port: 8080 # why", field__spec__port="9090")
    assert "port: 9090 # why" in answer["yaml"]


async def test_broken_yaml_is_told_and_the_form_left_alone(browser: Browser, path: str) -> None:
    answer = await check(browser, path, "port: 8080", 'port: "8080', field__spec__ip="10.0.0.9")
    assert answer["valid"] is False
    assert "line 8, column 9" in answer["problems"]
    assert "fields" not in answer


async def test_a_form_that_makes_the_text_too_long_is_told(browser: Browser, path: str) -> None:
    answer = await check(browser, path, newkey__metadata__labels="a", new__metadata__labels="x" * MAX_BYTES)
    assert answer["valid"] is False
    assert "the API server accepts objects of up to 3 MiB" in answer["problems"]


async def test_a_disagreement_is_told_and_neither_side_replaced(browser: Browser, path: str) -> None:
    answer = await check(browser, path, "port: 8080", "port: 1", field__spec__port="2")
    assert answer["valid"] is False
    assert "field.spec.port" not in answer["fields"]
    assert answer["yaml"] is None


async def test_another_name_in_the_text_is_told(browser: Browser, path: str) -> None:
    answer = await check(browser, path, "name: one", "name: two")
    assert answer["valid"] is False
    assert "metadata.name" in answer["problems"]


async def test_what_others_did_is_told_when_asked(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    page = await browser.open(path)
    data = {**page.form.values, "look": "1"}
    assert (await browser.client.post(f"{path}check/", data)).json()["theirs"] == ""
    cluster.patch(f"{collection}/one", {"spec": {"port": 7777}})
    theirs = (await browser.client.post(f"{path}check/", data)).json()["theirs"]
    assert "7777" in theirs
    assert "You have not touched it." in theirs
    mine = {**data, "yaml": page.yaml.replace("8080", "9090")}
    assert "You changed the same" in (await browser.client.post(f"{path}check/", mine)).json()["theirs"]
    cluster.delete(f"{collection}/one")
    assert "was deleted" in (await browser.client.post(f"{path}check/", data)).json()["theirs"]
    cluster.create(collection, mydemo("one"))
    assert "another one has its name" in (await browser.client.post(f"{path}check/", data)).json()["theirs"]


async def test_an_incomplete_question_gets_an_empty_answer(browser: Browser, path: str) -> None:
    assert (await browser.client.post(f"{path}check/", {"yaml": "a: 1"})).json() == {}
    assert (await browser.client.get(f"{path}check/")).status_code == 405


async def test_a_long_text_is_never_read_on_the_event_loop(
    browser: Browser, cluster: ControlPlane, collection: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = await browser.open(path)
    cluster.patch(f"{collection}/one", {"spec": {"port": 7777}})
    threads: set[threading.Thread] = set()

    def noted(text: str) -> Document:
        threads.add(threading.current_thread())
        return parse(text)

    for module in (actions, check_module):
        monkeypatch.setattr(module, "parse", noted)
    long = f"{page.yaml}# {'x' * SMALL_TEXT}\n"
    data = {**page.form.values, "yaml": long, "look": "1"}
    assert (await browser.client.post(f"{path}check/", data)).json()["changes"] == 0
    page = await browser.press(page, "review", yaml=long.replace("10.0.0.1", "nowhere"))
    assert page.status == 422
    assert "merged into the text below" in page.text
    assert threads
    assert threading.current_thread() not in threads


async def test_a_long_text_is_checked_in_a_process_and_the_same_is_found(
    browser: Browser, parts: SimpleNamespace, path: str
) -> None:
    parts.work_processes = processes = NotedWorkProcesses()
    comment = f"# {'x' * LONG_TEXT}\n"
    answer = await check(browser, path, "port: 8080", f"port: 0\n{comment}", field__spec__ip="10.0.0.9")
    assert (answer["valid"], "ip: 10.0.0.9" in answer["yaml"]) == (False, True)
    assert "spec.port" in answer["problems"]
    broken = await check(browser, path, "port: 8080", f'port: "8080\n{comment}')
    assert "line 8, column 9" in broken["problems"]
    assert [owners[-1] for owners in processes.owners] == ["address this machine"] * 2
    processes.is_ended = True
    ended = await check(browser, path, "port: 8080", f"port: 0\n{comment}")
    assert (ended["valid"], "needs too much memory" in ended["problems"]) == (False, True)
    await check(browser, path, "port: 8080", "port: 0")
    assert len(processes.owners) == 3
    processes.stop()
