"""Tests of custom kinds that are followed on demand or always: sixty that five people open at once, a restart, and the
moment from which changes are known.
"""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from html import unescape
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest

from informerd.clock import SystemClock
from informerd.errors import InformerdError
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.edit.form_inputs import Inputs
from tests.support.local_dashboard import LocalDashboard, environ
from tests.support.program import Program, run_program
from tests.support.wait import until

pytestmark = pytest.mark.program

KINDS = 60
GROUP = "many.example.com"
PEOPLE = ("ann", "ben", "cyd", "dan", "eve")
FOLLOWED = "12"
"""Kinds that this Deltaboard follows on demand: it lists the others once."""


def key_of(number: int) -> str:
    return f"gears{number}.{GROUP}"


def definition(number: int) -> dict[str, Any]:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    column = {"name": "Size", "type": "integer", "jsonPath": ".spec.size"}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema, "additionalPrinterColumns": [column]}
    names = {
        "plural": f"gears{number}",
        "singular": f"gear{number}",
        "kind": f"Gear{number}",
        "listKind": f"Gear{number}List",
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": key_of(number)},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
    }


def gear(number: int, name: str, size: int) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": f"{GROUP}/v1", "kind": f"Gear{number}", "metadata": metadata, "spec": {"size": size}}


def collection(number: int) -> str:
    return f"/apis/{GROUP}/v1/namespaces/default/gears{number}"


class DemoApi:
    """The API of a demo cluster without workload."""

    def __init__(self, kubeconfig: Path) -> None:
        self.kubeconfig = kubeconfig

    def send(self, *requests: tuple[str, str, dict[str, Any]]) -> None:
        """Send requests, each until it succeeds: a definition is served a moment after it was created."""
        asyncio.run(self._send(requests))

    async def _send(self, requests: tuple[tuple[str, str, dict[str, Any]], ...]) -> None:
        async with Client(load_kubeconfig(self.kubeconfig), clock=SystemClock()) as client:
            for method, path, body in requests:
                for _ in range(100):
                    try:
                        await client.request(method, path, body=body, content_type=CONTENT_TYPES[method])
                        break
                    except InformerdError as error:
                        failure = error
                        await asyncio.sleep(0.1)
                else:
                    raise failure


CONTENT_TYPES = {"POST": "application/json", "PATCH": "application/merge-patch+json"}


class Person:
    """One signed-in person's browser."""

    def __init__(self, url: str, name: str) -> None:
        self.url, self.name = url, name
        cookies = urllib.request.HTTPCookieProcessor(CookieJar())
        self._opener = urllib.request.build_opener(cookies)

    def page(self, path: str, form: dict[str, str] | None = None) -> str:
        data = urllib.parse.urlencode(form).encode() if form is not None else None
        headers = {"X-Forwarded-User": self.name, "Accept": "text/html", "Origin": self.url}
        request = urllib.request.Request(f"{self.url}{path}", data, headers)
        with self._opener.open(request, timeout=60) as answer:
            return str(answer.read().decode())

    def press(self, path: str, action: str, **inputs: str) -> str:
        """Send the form of the page at `path` that posts to `action`."""
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.page(path))
        assert token, path
        return self.page(action, {"csrfmiddlewaretoken": token[1], **inputs})

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a part of an object's YAML in its editor, and save it."""
        form = _form(self.page(path))
        assert old in form.values["yaml"]
        changed = form.values["yaml"].replace(old, new)
        review = _form(self.page(form.action or path, {**form.values, "yaml": changed, "review": ""}))
        self.page(review.action or path, {**review.values, "save": ""})


def _form(html: str) -> Inputs:
    inputs = Inputs()
    inputs.feed(html[html.index("<main") : html.index("</main>")])
    return inputs


def words(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoApi]:
    kubeconfig = tmp_path_factory.mktemp("cluster") / "demo.kubeconfig"
    with Program("-m", "devcluster", "--no-workload", "--port", "0", "--kubeconfig", str(kubeconfig)) as server:
        server.wait_for(kubeconfig.exists)
        api = DemoApi(kubeconfig)
        definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        api.send(*(("POST", definitions, definition(number)) for number in range(KINDS)))
        api.send(*(("POST", collection(number), gear(number, f"gear-of-{number}", number)) for number in range(KINDS)))
        yield api


def dashboard(api: DemoApi, home: Path, **env: str) -> LocalDashboard:
    named = {"KUBECONFIG": str(api.kubeconfig), "DELTABOARD_TRUST_PROXY_USER": "X-Forwarded-User", **env}
    # the demo cluster has no roles, and nobody has made the tables of the record
    shared = {"DELTABOARD_RIGHTS": "account", "DELTABOARD_AUDIT": "off", "DELTABOARD_KINDS": "namespaces,events"}
    return LocalDashboard(home, **shared, **named)


@pytest.mark.long
def test_sixty_kinds_that_five_people_open_at_once_all_have_rows(api: DemoApi, tmp_path: Path) -> None:
    with ExitStack() as stack:
        program = stack.enter_context(dashboard(api, tmp_path, DELTABOARD_ON_DEMAND_KINDS=FOLLOWED))
        people = [Person(program.url, name) for name in PEOPLE]
        until(lambda: "Namespaces" in words(people[0].page("/resources/namespaces/")), within=60)

        def open_kinds(place: int) -> None:
            for number in range(place, KINDS, len(PEOPLE)):
                path = f"/resources/{key_of(number)}/"
                until(lambda path=path, number=number: f">gear-of-{number}<" in people[place].page(path), within=90)  # type: ignore[misc]

        list(stack.enter_context(ThreadPoolExecutor(len(PEOPLE))).map(open_kinds, range(len(PEOPLE))))

        listed = next(number for number in range(KINDS) if "listed once, at" in words(_list(people[0], number)))
        html = words(_list(people[0], listed))
        assert "not live: 12 kinds are followed on demand already" in html
        for number in range(KINDS):  # some have given way since; no kind lacks its rows
            until(lambda number=number: f">gear-of-{number}<" in _list(people[1], number), within=60)  # type: ignore[misc]

        path = f"/resources/{key_of(listed)}/default/gear-of-{listed}/"
        for page in (path, f"{path}yaml/", f"{path}edit/", f"{path}delete/", f"/resources/{key_of(listed)}/new/"):
            assert f"gear{listed}" in words(people[2].page(page)).lower(), page
        api.send(("PATCH", f"{collection(listed)}/gear-of-{listed}", {"spec": {"size": 4321}}))
        assert "4321" in words(people[2].page(path))  # an object is read when its page is opened


def every_change_is_known(feed: str, title: str) -> bool:
    """Whether the feed has the kind, and has its changes since it began.

    A process that has just started has not read yet which kinds are followed always.
    """
    has_kind = title in feed.partition('aria-label="Kinds in the feed"')[2].partition("</nav>")[0]
    known = words(feed)
    return has_kind and "Every change is known from" in known and f"of {title} not yet" not in known


def _list(person: Person, number: int) -> str:
    return person.page(f"/resources/{key_of(number)}/")


@pytest.mark.long
def test_a_kind_that_is_followed_always_is_so_after_a_restart_and_its_changes_are_known(
    api: DemoApi, tmp_path: Path
) -> None:
    path = f"/resources/{key_of(0)}/"
    migrated = run_program("manage.py", "migrate", "--verbosity", "0", env={**os.environ, **environ(tmp_path)})
    assert migrated.returncode == 0, migrated.stderr
    with dashboard(api, tmp_path) as program:
        person = Person(program.url, "ann")
        until(lambda: ">gear-of-0<" in person.page(path), within=60)
        assert "Followed always" in words(person.press(path, f"{path}follow-always/", always="on"))
    with dashboard(api, tmp_path) as program:
        person = Person(program.url, "ann")
        until(lambda: every_change_is_known(person.page("/feed/"), "Gears0"))
        size = secrets.randbelow(10**6) + 10**4  # others have changed it, or an earlier try of this test has
        change = re.compile(rf"size \d+ → {size}\b")
        api.send(("PATCH", f"{collection(0)}/gear-of-0", {"spec": {"size": size}}))  # nobody has opened the kind
        until(lambda: change.search(words(person.page("/feed/"))), within=30)
        shown = words(person.page(f"{path}default/gear-of-0/"))
        assert change.search(shown.partition("Latest changes")[2])
        assert "Follow always" in words(person.press(path, f"{path}follow-always/", always="off"))


def test_a_page_says_since_when_changes_are_known_and_has_own_writes(api: DemoApi, tmp_path: Path) -> None:
    path = f"/resources/{key_of(1)}/default/gear-of-1/"
    with dashboard(api, tmp_path) as program:
        person = Person(program.url, "ben")
        until(lambda: "None since" in words(person.page(path)), within=60)
        begun = time.strftime("%Y-%m-%dT%H", time.gmtime())
        assert re.search(rf'None since <time data-clock="seconds" datetime="{begun[:11]}', person.page(path))
        person.edit(f"{path}edit/", "size: 1\n", "size: 99\n")
        until(lambda: "spec.size 1 → 99" in words(person.page(path)), within=30)
