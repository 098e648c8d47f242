"""Test of five people who edit ten objects while kubectl patches them: no update is lost, and none is made unseen.

A watch records all states. Every state of an object in it is one that kubectl wrote or that a person saved; what a
person saved replaced exactly the state that the review compared it with, and everything that it removed was in that
review.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import random
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import pytest
import yaml

from dashboard.pages.drafts.store import Unavailable
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Browser, Page
from tests.support.kubectl import kubectl_binary
from tests.support.skip_if_missing import missing
from tests.support.wait import eventually

Json = dict[str, Any]

EDITORS, OBJECTS = 5, 10
PATCH_EVERY = 4
NAMES = [f"raced-{number}" for number in range(OBJECTS)]
AWAY = Unavailable("the race does not need it")
"""Keeping a draft with each button takes as long as all the rest, and says nothing of updates."""


@dataclass(frozen=True)
class Accepted:
    """A save that the dashboard said was stored."""

    name: str
    base: str
    """resourceVersion that the review compared with."""
    content: Json
    shown: str
    """The review, as a person reads it."""


class History:
    """Each object's states in order, as a watch tells them."""

    def __init__(self, begin: Json) -> None:
        self.states: dict[str, list[Json]] = {each["metadata"]["name"]: [each] for each in begin["items"]}

    def add(self, line: bytes) -> None:
        event = json.loads(line)
        assert event["type"] == "MODIFIED", event
        self.states[event["object"]["metadata"]["name"]].append(event["object"])

    def ends_with(self, live: Json) -> bool:
        return version(self.states[live["metadata"]["name"]][-1]) == version(live)


class Editor:
    """Opens, changes, reviews, answers what is asked, saves; `values` are never the same twice."""

    def __init__(self, browser: Browser, namespace: str, values: Iterator[int], seed: int, pace: Pace) -> None:
        self._browser = browser
        self._pace = pace
        self._namespace = namespace
        self._values = values
        self._rng = random.Random(seed)
        self.accepted: list[Accepted] = []
        self.questions = self.merges = self.withdrawn = 0

    async def edit(self) -> None:
        name = self._rng.choice(NAMES)
        page = await self._browser.open(f"/resources/mydemos.crddemo.k8s.io/{self._namespace}/{name}/edit/")
        value = yaml.safe_load(page.yaml)
        number = next(self._values)
        if self._rng.random() < 0.7:
            value["spec"]["port"] = 1024 + number
        else:
            value["metadata"]["labels"][self._rng.choice("abc")] = f"e{number}"
        page = await self._browser.press(page, "review", yaml=yaml.safe_dump(value))
        while page.status != 302:
            self._pace.step()
            if page.form.radios:
                self.questions += 1
                page = await self._answered(page)
            elif "save" in page.form.buttons:
                self.merges += page.status == 409
                page = await self._saved(name, page)
            elif "Nothing would change" in page.text:  # theirs was chosen
                self.withdrawn += 1
                return
            else:  # it changed again while its merge was tried: a page without questions
                assert page.status == 409, page.text
                page = await self._browser.press(page, "review")

    async def _answered(self, page: Page) -> Page:
        answers = {name: self._rng.choice(sides) for name, sides in page.form.radios.items()}
        return await self._browser.send(page.form.action, {**page.form.values, **answers, "review": ""})

    async def _saved(self, name: str, page: Page) -> Page:
        after = await self._browser.press(page, "save")
        if after.status == 302:
            base, text = page.form.values["base_version"], yaml.safe_load(page.yaml)
            self.accepted.append(Accepted(name, base, content(text), page.text))
        return after


class Pace:
    """Lets the other program write once in PATCH_EVERY steps of the editors, however fast the machine is."""

    def __init__(self) -> None:
        self._steps = 0
        self._due = asyncio.Semaphore(0)

    def step(self) -> None:
        self._steps += 1
        if self._steps % PATCH_EVERY == 0:
            self._due.release()

    async def turn(self) -> None:
        await self._due.acquire()

    def over(self) -> None:
        self._due.release()


class OtherProgram:
    """Patches objects with kubectl, without a look at what is there, until it is told to stop."""

    def __init__(self, cluster: ControlPlane, namespace: str, values: Iterator[int], pace: Pace) -> None:
        self._cluster, self._namespace, self._values, self._pace = cluster, namespace, values, pace
        self.written: set[str] = set()
        """The resourceVersions that it made."""
        self._stopped = False

    def stop(self) -> None:
        self._stopped = True
        self._pace.over()

    async def run(self) -> None:
        rng = random.Random(0)
        while True:
            await self._pace.turn()
            if self._stopped:
                return
            number = next(self._values)
            patch: Json = {"spec": {"port": 1024 + number}}
            if rng.random() < 0.6:
                patch = {"metadata": {"labels": {rng.choice("abc"): f"p{number}"}}}
            self.written.add(await self._patched(rng.choice(NAMES), patch))

    async def _patched(self, name: str, patch: Json) -> str:
        """The resourceVersion that it made."""
        words = [
            "patch",
            "mydemos.crddemo.k8s.io",
            name,
            "-n",
            self._namespace,
            "--type=merge",
            "-p",
            json.dumps(patch),
        ]
        kubectl = await asyncio.create_subprocess_exec(
            kubectl_binary() or missing("kubectl", "none in KUBEBUILDER_ASSETS nor in PATH"),
            f"--kubeconfig={self._cluster.kubeconfig}",
            *words,
            "-o",
            "jsonpath={.metadata.resourceVersion}",
            stdout=asyncio.subprocess.PIPE,
        )
        said, _ = await kubectl.communicate()
        assert kubectl.returncode == 0
        return said.decode()


def version(value: Json) -> str:
    return str(value["metadata"]["resourceVersion"])


def content(value: Json) -> Json:
    """What people and programs change here."""
    return {**value["spec"], **value["metadata"]["labels"]}


@contextlib.asynccontextmanager
async def witnessed(parts: SimpleNamespace, collection: str, begin: Json) -> AsyncIterator[History]:
    """Everything that happens to the objects from `begin`, a list of them, on."""
    history = History(begin)

    async def watch() -> None:
        left = b""
        params = {"watch": "true", "resourceVersion": version(begin), "timeoutSeconds": "3600"}
        async with parts.client.stream(collection, params, headers={"Accept": "application/json"}) as stream:
            while data := await stream.read():
                *lines, left = (left + data).split(b"\n")
                for line in lines:
                    history.add(line)

    watching = asyncio.create_task(watch())
    try:
        yield history
        assert not watching.done(), "the watch ended early"
    finally:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching


@pytest.mark.timeout(400)
@pytest.mark.parametrize("edits", [14, pytest.param(100, marks=pytest.mark.soak)])
async def test_edits_by_five_people_and_kubectl_lose_no_update(
    parts: SimpleNamespace, cluster: ControlPlane, namespace: str, collection: str, edits: int
) -> None:
    """`edits` by each of the five."""
    parts.drafts = AsyncMock(**dict.fromkeys(("keep.side_effect", "about.side_effect", "end.side_effect"), AWAY))
    for name in NAMES:
        cluster.create(collection, mydemo(name, labels={"team": "x"}))
    values, begin = itertools.count(1), cluster.get(collection)
    pace = Pace()
    editors = [Editor(Browser(parts), namespace, values, seed, pace) for seed in range(EDITORS)]
    other = OtherProgram(cluster, namespace, values, pace)
    async with witnessed(parts, collection, begin) as history:
        patching = asyncio.create_task(other.run())
        await asyncio.gather(*(edit_often(editor, edits) for editor in editors))
        other.stop()
        await patching
        end = cluster.get(collection)["items"]
        await eventually(lambda: all(map(history.ends_with, end)), within=60, what="the watch has told everything")
    accepted = [save for editor in editors for save in editor.accepted]
    assert len(accepted) + sum(editor.withdrawn for editor in editors) == EDITORS * edits
    assert sum(editor.questions for editor in editors) > 0
    assert sum(editor.merges for editor in editors) > 0
    for name, states in history.states.items():
        judge(states, [save for save in accepted if save.name == name], other.written)


async def edit_often(editor: Editor, edits: int) -> None:
    for _ in range(edits):
        await editor.edit()


def judge(states: list[Json], saves: list[Accepted], patched: set[str]) -> None:
    """Every step from one state to the next is a patch, or a save on top of exactly what its review showed."""
    by_base = {save.base: save for save in saves}
    assert len(by_base) == len(saves), "two saves replaced one state"
    for before, after in itertools.pairwise(states):
        if version(after) in patched:
            continue
        save = by_base.pop(version(before), None)
        assert save is not None, f"{version(before)} was replaced unseen"
        assert content(after) == save.content
        for field, value in content(before).items():
            if content(after).get(field) != value:
                assert re.search(rf"\b{value}\b", save.shown), f"{field} was {value}, and the review did not say so"
    assert not by_base, "a save that was accepted is not in the history"
