"""Tests of people with rights of their own: whole program, real API server; a proxy names them."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
import pytest

from tests.e2e.conftest import Dashboard
from tests.support.access.rbac_objects import RbacObjects, policy_rule
from tests.support.controlplane import ControlPlane
from tests.support.local_dashboard import Answer, ask
from tests.support.skip_if_missing import controlplane_binaries
from tests.support.wait import eventually, until

USER, GROUPS = "X-User", "X-Groups"
READ = policy_rule("get list watch")


@pytest.fixture
def rbac(controlplane: ControlPlane) -> Iterator[RbacObjects]:
    with RbacObjects(controlplane) as objects:
        yield objects


@pytest.fixture
def program(controlplane: ControlPlane, tmp_path: Path) -> Iterator[Dashboard]:
    env = {"DELTABOARD_TRUST_PROXY_USER": USER, "DELTABOARD_TRUST_PROXY_GROUPS": GROUPS}
    with Dashboard(controlplane.kubeconfig, tmp_path, **env) as program:
        program.wait_for(lambda: "Deltaboard is at" in program.output)
        until(lambda: ask(f"{program.url}/readyz").status == 200)
        yield program


@pytest.fixture
def shop(controlplane: ControlPlane) -> str:
    """A namespace with the pods web and db."""
    name = f"shop-{uuid4().hex[:8]}"
    controlplane.create("/api/v1/namespaces", {"metadata": {"name": name}})
    for pod in ("web", "db"):
        body = {"metadata": {"name": f"{pod}-{name}"}, "spec": {"containers": [{"name": "a", "image": "nginx"}]}}
        controlplane.create(f"/api/v1/namespaces/{name}/pods", body)
    return name


@pytest.fixture
def anna() -> str:
    return f"anna-{uuid4().hex[:8]}"


def get(program: Dashboard, path: str, user: str, groups: str = "") -> Answer:
    return ask(f"{program.url}{path}", **{USER: user, GROUPS: groups})


class OpenPage:
    """A websocket, and what its page has been sent since it was told which view it follows."""

    def __init__(self, connection: aiohttp.ClientWebSocketResponse) -> None:
        self._connection = connection
        self.text = ""
        self.views: list[str] = []

    async def read(self) -> None:
        """Read until cancelled."""
        async for message in self._connection:
            data = message.data if isinstance(message.data, str) else gzip.decompress(message.data).decode()
            frame: dict[str, Any] = json.loads(data)
            if "keys" in frame:
                self.views.append(frame["view"])
                self.text = ""
            self.text += data


@asynccontextmanager
async def open_page(program: Dashboard, path: str, user: str) -> AsyncIterator[OpenPage]:
    headers = {"Origin": program.url, USER: user}
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{program.url}/live/", params={"path": path}, headers=headers) as connection,
    ):
        page = OpenPage(connection)
        reading = asyncio.create_task(page.read())
        try:
            yield page
        finally:
            reading.cancel()
            await asyncio.wait([reading])


async def test_each_person_sees_what_their_roles_let_them_see(
    program: Dashboard, rbac: RbacObjects, shop: str, anna: str
) -> None:
    team = f"team-{anna}"
    rbac.grant(f"Group/{team}", READ, namespace=shop)
    rbac.grant("User/ben", policy_rule("get", names=[f"web-{shop}"]), namespace=shop)

    def listed(user: str, groups: str = "") -> list[str]:
        csv = get(program, f"/resources/pods/export.csv?namespace={shop}", user, groups).body
        return [name for name in (f"db-{shop}", f"web-{shop}") if name in csv]

    await asyncio.to_thread(until, lambda: listed(anna, team) == [f"db-{shop}", f"web-{shop}"])
    assert listed(anna) == []
    assert listed("ben") == [f"web-{shop}"]
    assert f"those of namespace {shop}" in get(program, "/resources/pods/", anna, team).body
    assert f'"{shop}"' in get(program, "/namespaces/", anna, team).body
    assert shop not in get(program, "/namespaces/", "carl").body


@pytest.mark.long
async def test_what_is_hidden_answers_as_what_is_not_there(program: Dashboard, shop: str, anna: str) -> None:
    denial = "do not let you create pods in any namespace"
    await asyncio.to_thread(until, lambda: denial in get(program, "/resources/pods/new/", anna).body)
    for path in ("", "yaml/", "edit/", "delete/", "do/evict/"):
        hidden = get(program, f"/resources/pods/{shop}/web-{shop}/{path}", anna)
        absent = get(program, f"/resources/pods/{shop}/wxb-{shop}/{path}", anna)
        assert hidden.status == absent.status in (403, 404)
        assert (
            hidden.body.replace(f"web-{shop}", "").split("csrf")[0]
            == (absent.body.replace(f"wxb-{shop}", "").split("csrf")[0])
        )


@pytest.mark.long
async def test_an_object_that_one_may_only_get_is_on_its_page_and_in_no_list(
    program: Dashboard, rbac: RbacObjects, shop: str, anna: str
) -> None:
    rbac.grant(f"User/{anna}", policy_rule("get"), namespace=shop)
    path = f"/resources/pods/{shop}/web-{shop}/"
    await asyncio.to_thread(until, lambda: get(program, path, anna).status == 200)
    assert f"web-{shop}" not in get(program, f"/resources/pods/?namespace={shop}", anna).body
    async with open_page(program, path, anna) as page:
        await eventually(lambda: f"web-{shop}" in page.text)


@pytest.mark.long
async def test_a_download_names_the_logs_that_somebody_may_not_read(
    program: Dashboard, rbac: RbacObjects, shop: str, anna: str
) -> None:
    rbac.grant(f"User/{anna}", READ, namespace=shop)
    rbac.grant(f"User/{anna}", policy_rule("get", "pods/log", names=[f"db-{shop}"]), namespace=shop)
    path = f"/logs/logs.ndjson?namespace={shop}"
    await asyncio.to_thread(until, lambda: get(program, path, anna).status == 200)
    records = [json.loads(line) for line in get(program, path, anna).body.splitlines()]
    problems = {each["pod"]: each["problem"] for each in records}
    denial = f"The cluster's access rules do not let you get pods/log in namespace {shop}."
    assert problems[f"web-{shop}"] == denial != problems[f"db-{shop}"]
    refused = get(program, f"/resources/pods/{shop}/web-{shop}/logs/logs.txt", anna)
    assert (refused.status, refused.body) == (403, f"{denial}\n")


@pytest.mark.long
@pytest.mark.parametrize("path", ["/resources/pods/", "/", "/feed/", "/whoami/"])
async def test_an_open_page_follows_the_rights(
    path: str, program: Dashboard, controlplane: ControlPlane, rbac: RbacObjects, shop: str, anna: str
) -> None:
    await asyncio.to_thread(until, lambda: get(program, "/", anna).status == 200)
    async with open_page(program, path, anna) as page:
        await eventually(lambda: page.views)
        assert shop not in page.text
        binding = await asyncio.to_thread(rbac.grant, f"User/{anna}", READ, namespace=shop)
        await eventually(lambda: shop in page.text)
        assert len(set(page.views)) == 1, "the page goes on with the same view"
        before = len(page.views)
        await asyncio.to_thread(controlplane.delete, binding)
        await eventually(lambda: len(page.views) > before)
        pods = f"/api/v1/namespaces/{shop}/pods"
        labels = {"metadata": {"labels": {"mark": uuid4().hex}}}
        await asyncio.to_thread(controlplane.patch, f"{pods}/web-{shop}", labels)
        await asyncio.sleep(0.5)
        assert shop not in page.text


@pytest.mark.long
async def test_writes_are_judged_by_the_persons_own_rights(
    program: Dashboard, controlplane: ControlPlane, rbac: RbacObjects, shop: str, anna: str
) -> None:
    rbac.grant(f"User/{anna}", READ, namespace=shop)
    path = f"/resources/pods/{shop}/web-{shop}/delete/"
    denial = "cannot delete resource"

    def refuses(is_refused: bool) -> bool:
        body = get(program, path, anna).body
        return f"web-{shop}" in body and (denial in body) == is_refused

    await asyncio.to_thread(until, lambda: refuses(True))
    assert anna in get(program, path, anna).body.partition(denial)[0][-200:]
    rbac.grant(f"User/{anna}", policy_rule("delete"), namespace=shop)
    await asyncio.to_thread(until, lambda: refuses(False))


@pytest.mark.long
async def test_an_account_that_may_not_impersonate_shows_nothing_and_says_why(
    controlplane: ControlPlane, tmp_path: Path, shop: str
) -> None:
    env = {"DELTABOARD_TRUST_PROXY_USER": USER}
    with Dashboard(controlplane.kubeconfig_of("bob"), tmp_path, **env) as program:
        program.wait_for(lambda: "Deltaboard is at" in program.output)
        page = get(program, "/", "anna")
        assert page.status == 200
        assert "needs the right to impersonate users and groups" in page.body
        assert shop not in page.body


AUDIT_POLICY = """
apiVersion: audit.k8s.io/v1
kind: Policy
rules: [{level: Metadata, verbs: [delete]}]
"""


@pytest.mark.long
@pytest.mark.controlplane
async def test_the_api_servers_audit_log_names_the_person(tmp_path: Path, anna: str) -> None:
    policy, log = tmp_path / "policy.yaml", tmp_path / "audit.log"
    policy.write_text(AUDIT_POLICY)
    flags = (f"--audit-log-path={log}", f"--audit-policy-file={policy}")
    cluster = ControlPlane(tmp_path / "cluster", controlplane_binaries(), apiserver_flags=flags)
    try:
        await asyncio.to_thread(cluster.start)
        body = {"metadata": {"name": "settings"}}
        cluster.create("/api/v1/namespaces/default/configmaps", body)
        rights = policy_rule("get list watch delete", "configmaps")
        RbacObjects(cluster).grant("Group/ops", rights, namespace="default")
        env = {"DELTABOARD_TRUST_PROXY_USER": USER, "DELTABOARD_TRUST_PROXY_GROUPS": GROUPS, "DELTABOARD_AUDIT": "off"}
        with Dashboard(cluster.kubeconfig, tmp_path / "home", **env) as program:
            program.migrate()
            program.wait_for(lambda: "Deltaboard is at" in program.output)
            await _delete(program, "/resources/configmaps/default/settings/", {USER: anna, GROUPS: "ops,staff"})

            def entries() -> list[dict[str, Any]]:
                lines = [json.loads(line) for line in log.read_text().splitlines()]
                ended = [each for each in lines if each["stage"] == "ResponseComplete"]
                return [each for each in ended if each["objectRef"].get("name") == "settings"]

            await eventually(lambda: any("dryRun" not in each["requestURI"] for each in entries()))
    finally:
        await asyncio.to_thread(cluster.stop)
    for each in entries():
        assert each["user"]["username"] == "admin"
        assert each["impersonatedUser"]["username"] == anna
        assert set(each["impersonatedUser"]["groups"]) == {"ops", "staff", "system:authenticated"}


async def _delete(program: Dashboard, path: str, headers: dict[str, str]) -> None:
    """Open the page that asks for confirmation, and confirm."""
    jar = aiohttp.CookieJar(unsafe=True)  # of an address that is an IP
    own = {**headers, "Origin": program.url, "Referer": f"{program.url}{path}"}
    async with aiohttp.ClientSession(headers=own, cookie_jar=jar) as session:

        async def form() -> dict[str, str]:
            async with session.get(f"{program.url}{path}delete/") as response:
                return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', await response.text()))

        async def is_offered() -> bool:
            return "uid" in await form()

        await eventually(is_offered)
        filled = {**await form(), "delete": "", "propagation": "Background", "grace": "default"}
        async with session.post(f"{program.url}{path}delete/", data=filled, allow_redirects=False) as response:
            assert response.status in (200, 303), await response.text()
