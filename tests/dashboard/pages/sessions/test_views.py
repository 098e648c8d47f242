"""Tests of the page of my sessions on a real API server, which says who may sign everybody out."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.support.controlplane import ControlPlane
from tests.support.local_dashboard import LocalDashboard
from tests.support.sign_in.dashboard import PlainBrowser, issuer_options, oidc_dashboard
from tests.support.sign_in.provider import Provider
from tests.support.wait import until

RBAC = "/apis/rbac.authorization.k8s.io/v1"
LINE = re.compile(r'<li data-session="(\w+)">\s*<div><b>(.*?)</b>(<small>this browser</small>)?')


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider() as made:
        yield made


@pytest.fixture(scope="module")
def process(
    provider: Provider, controlplane: ControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalDashboard]:
    """It acts as bob, who has no rights."""
    env = {"KUBECONFIG": str(controlplane.kubeconfig_of("bob"))}
    with oidc_dashboard(tmp_path_factory.mktemp("oidc"), issuer_options(provider.url), **env) as program:
        assert program.address
        yield program


def browser_of(process: LocalDashboard, provider: Provider, name: str, agent: str = "curl/8") -> PlainBrowser:
    """A browser in which somebody is signed in."""
    browser = PlainBrowser(process.url)
    browser.http.headers["User-Agent"] = agent
    provider.person["email"] = f"{name}@example.com"
    assert browser.sign_in().status_code == 303
    return browser


def devices(browser: PlainBrowser) -> dict[str, str]:
    """The id of the session of each device; this browser's under “this”."""
    lines = LINE.findall(browser.get("/sessions/").text)
    return {"this" if is_this else device: key for key, device, is_this in lines}


def is_signed_in(browser: PlainBrowser) -> bool:
    return browser.get("/feed/").status_code == 200


@pytest.mark.long
def test_the_page_lists_my_sessions_and_nobody_elses(process: LocalDashboard, provider: Provider) -> None:
    mine = browser_of(process, provider, "carol")
    browser_of(process, provider, "carol", "Mozilla/5.0 (Windows) Firefox/140")
    browser_of(process, provider, "dave", "Mozilla/5.0 (Android) Firefox/140")
    assert set(devices(mine)) == {"this", "Firefox on Windows"}
    page = mine.get("/sessions/")
    assert "carol@example.com" in page.text
    assert "dave" not in page.text
    assert page.headers["Cache-Control"] == "no-store"


def test_i_end_one_or_all_others_or_all(process: LocalDashboard, provider: Provider) -> None:
    one, two, three = (browser_of(process, provider, "erin", agent) for agent in ("curl/8", "Firefox/1", "Edg/1"))
    ended = one.post("/sessions/end/", session=devices(one)["Firefox"])
    assert (ended.status_code, ended.headers["Location"]) == (303, "/sessions/")
    assert [is_signed_in(each) for each in (one, two, three)] == [True, False, True]
    one.post("/sessions/end/", which="others")
    assert [is_signed_in(each) for each in (one, three)] == [True, False]
    again = browser_of(process, provider, "erin")
    ended = one.post("/sessions/end/", which="all")
    assert ended.headers["Location"] == "/sign-in/?signed-out=1"
    assert [is_signed_in(each) for each in (one, again)] == [False, False]


def test_nobody_ends_the_session_of_somebody_else(process: LocalDashboard, provider: Provider) -> None:
    victim, attacker = browser_of(process, provider, "frank"), browser_of(process, provider, "grace")
    attacker.post("/sessions/end/", session=devices(victim)["this"])
    assert is_signed_in(victim)


def test_another_site_ends_no_session(process: LocalDashboard, provider: Provider) -> None:
    browser = browser_of(process, provider, "heidi")
    for address in ("/sessions/end/", "/accounts/sign-out/"):
        forged = browser.http.post(f"{process.url}{address}", data={"which": "all"}, timeout=30)
        assert forged.status_code == 403, address
    assert is_signed_in(browser)


def test_only_who_may_by_the_clusters_rules_signs_everybody_out(
    process: LocalDashboard, provider: Provider, controlplane: ControlPlane
) -> None:
    admin, other = browser_of(process, provider, "ivan"), browser_of(process, provider, "judy")
    assert "Sign everybody out" not in admin.get("/sessions/").text
    refused = admin.post("/sessions/end/", which="everybody")
    assert refused.status_code == 403
    assert "sessions.deltaboard" in refused.text
    assert is_signed_in(other)
    rule = {"apiGroups": ["deltaboard"], "resources": ["sessions"], "verbs": ["deletecollection"]}
    named = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": "end-sessions"}}
    controlplane.request("POST", f"{RBAC}/clusterroles", {**named, "kind": "ClusterRole", "rules": [rule]})
    binding = {
        **named,
        "kind": "ClusterRoleBinding",
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "end-sessions"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "bob"}],
    }
    controlplane.request("POST", f"{RBAC}/clusterrolebindings", binding)
    until(lambda: "Sign everybody out" in admin.get("/sessions/").text, what="the right is there")
    assert admin.post("/sessions/end/", which="everybody").status_code == 303
    assert [is_signed_in(each) for each in (admin, other)] == [False, False]
