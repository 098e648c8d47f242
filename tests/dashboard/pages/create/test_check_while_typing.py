"""Tests of the check of a new object's text while somebody types it."""

from __future__ import annotations

import json
from types import SimpleNamespace

from dashboard.runtime.compute_process_pool import LONG_TEXT
from tests.dashboard.pages.create.test_views import MYDEMOS
from tests.support.edit.no_script_browser import Browser
from tests.support.edit.recording_work_processes import NotedWorkProcesses


async def test_while_somebody_types_the_name_and_the_text_are_one(browser: Browser, namespace: str) -> None:
    page = await browser.open(f"{MYDEMOS}?namespace={namespace}")
    response = await browser.client.post(
        f"{MYDEMOS}check/?namespace={namespace}", {**page.form.values, "field.metadata.name": "typed"}
    )
    answer = json.loads(response.content)
    assert answer["valid"]
    assert "name: typed" in answer["yaml"]
    assert answer["fields"]["field.metadata.name"] == "typed"


async def test_a_long_text_is_checked_in_a_process(browser: Browser, parts: SimpleNamespace, namespace: str) -> None:
    parts.work_processes = processes = NotedWorkProcesses()
    page = await browser.open(f"{MYDEMOS}?namespace={namespace}")
    values = {**page.form.values, "yaml": f"{page.yaml}# {'x' * LONG_TEXT}\n", "field.metadata.name": "typed"}
    answer = json.loads((await browser.client.post(f"{MYDEMOS}check/?namespace={namespace}", values)).content)
    assert (answer["valid"], "name: typed" in answer["yaml"]) == (True, True)
    assert len(processes.owners) == 1
    processes.stop()
