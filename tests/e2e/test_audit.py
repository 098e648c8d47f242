"""Test of the audit log with the whole program: a person named by a proxy, a real API server, stdout, the command."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Page
from tests.support.program import run_program

HEADERS = {"X-User": "anna", "X-Groups": "ops,dev", "X-Request-Id": "request-of-the-proxy"}


class Person:
    """A browser without scripts behind a proxy that names its user."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._cookies = CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._cookies))

    def open(self, path: str, form: dict[str, str] | None = None) -> Page:
        data = urllib.parse.urlencode(form).encode() if form is not None else None
        request = urllib.request.Request(f"{self._url}{path}", data, {**HEADERS, "Origin": self._url})
        try:
            with self._opener.open(request, timeout=60) as answer:
                return Page(answer.status, answer.url, answer.read().decode(), said=False)
        except urllib.error.HTTPError as error:
            return Page(error.code, "", error.read().decode(), said=False)

    def press(self, page: Page, button: str, **typed: str) -> Page:
        return self.open(page.form.action, {**page.form.values, **typed, button: ""})


@pytest.fixture
def recording(cluster: ControlPlane, tmp_path: Path) -> Iterator[Dashboard]:
    """A dashboard with its tables that records, also to stdout."""
    made = Dashboard(
        cluster.kubeconfig,
        tmp_path,
        DELTABOARD_TRUST_PROXY_USER="X-User",
        DELTABOARD_TRUST_PROXY_GROUPS="X-Groups",
        DELTABOARD_RIGHTS="account",
        DELTABOARD_AUDIT="stdout",
    )
    made.migrate()
    try:
        yield made.open()
    finally:
        made.__exit__()


def test_an_edit_is_recorded_with_its_person_shown_and_verified(recording: Dashboard, cluster: ControlPlane) -> None:
    namespace = cluster.create_namespace("audit-e2e")
    collection = f"/apis/crddemo.k8s.io/v1/namespaces/{namespace}/mydemos"
    uid = cluster.create(collection, mydemo("one"))["metadata"]["uid"]
    anna = Person(recording.url)
    path = f"/resources/mydemos.crddemo.k8s.io/{namespace}/one/"
    recording.wait_for(lambda: anna.open(path).status == 200)
    page = anna.open(f"{path}edit/")
    page = anna.press(page, "review", yaml=page.yaml.replace("port: 8080", "port: 9090"))
    anna.press(page, "save")
    assert cluster.get(f"{collection}/one")["spec"]["port"] == 9090
    lines = [json.loads(line) for line in recording.output.splitlines() if line.startswith('{"seq":')]
    intent, outcome = (line["entry"] for line in lines)
    assert intent["person"] == {"name": "anna", "groups": ["dev", "ops"], "uid": ""}
    assert intent["request"] == "request-of-the-proxy"
    assert intent["changes"] == {"fields": [{"path": "spec.port", "was": 8080, "now": 9090}]}
    assert (outcome["outcome"], outcome["uid"]) == ("done", uid)
    shown = anna.open(f"/audit/?uid={uid}").body
    assert 'data-person="anna" data-verb="update" data-resource="mydemos.crddemo.k8s.io"' in shown
    assert f'data-namespace="{namespace}" data-name="one"' in shown
    assert f"/audit/?uid={uid}" in anna.open(path).body
    export = run_program("manage.py", "audit", "export", env=recording.env)
    assert [json.loads(line) for line in export.stdout.splitlines()] == lines
    verified = run_program("manage.py", "audit", "verify", env=recording.env)
    assert (verified.returncode, verified.stderr) == (0, "")
    assert verified.stdout.strip().endswith(f"Head: 2:{lines[1]['hash']}")
