"""Tests of ``manage.py sessions``."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from tests.support.local_dashboard import LocalDashboard
from tests.support.program import run_program
from tests.support.sign_in.dashboard import PlainBrowser, issuer_options, oidc_dashboard
from tests.support.sign_in.provider import Provider
from tests.support.wait import until

pytestmark = pytest.mark.program


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider() as made:
        yield made


@pytest.fixture(scope="module")
def process(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalDashboard]:
    with oidc_dashboard(tmp_path_factory.mktemp("oidc"), issuer_options(provider.url)) as program:
        assert program.address
        yield program


def command(process: LocalDashboard, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_program("manage.py", "sessions", *arguments, env=dict(process.env))


def test_the_start_line_says_who_signs_people_in(process: LocalDashboard) -> None:
    assert "where people sign in with Login main\n" in process.output


def test_it_lists_sessions_and_ends_those_of_one_person(process: LocalDashboard, provider: Provider) -> None:
    alice, bob = PlainBrowser(process.url), PlainBrowser(process.url)
    alice.sign_in()
    provider.person["email"] = "bob@example.com"
    bob.sign_in()
    lines = command(process, "list").stdout.splitlines()
    assert sorted(line.split("  ")[:3] for line in lines) == [
        ["alice@example.com", "Firefox on Linux", "main"],
        ["bob@example.com", "Firefox on Linux", "main"],
    ]
    assert alice.session_cookie.partition(":")[0] not in "".join(lines)
    assert command(process, "end", "bob@example.com").stdout == "1 session was ended.\n"
    until(lambda: bob.get("/feed/").status_code == 303, what="bob is signed out")
    assert alice.get("/feed/").status_code == 200
    assert command(process, "end", "--all").stdout == "1 session was ended.\n"
    until(lambda: alice.get("/feed/").status_code == 303, what="alice is signed out")


@pytest.mark.parametrize("arguments", [("end",), ("end", "alice", "--all")])
def test_it_asks_for_one_person_or_all(process: LocalDashboard, arguments: tuple[str, ...]) -> None:
    refused = command(process, *arguments)
    assert (refused.returncode, refused.stderr) == (2, "Name one person, or everybody with --all.\n")


@pytest.mark.long
def test_with_oidc_it_listens_on_other_addresses(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("oidc")
    program = oidc_dashboard(folder, issuer_options(provider.url))
    program.arguments = (*program.arguments, "--bind", "0.0.0.0")
    with program:
        port = program.url.rpartition(":")[2]
        browser = PlainBrowser(f"http://127.0.0.1:{port}")
        assert browser.sign_in().status_code == 303
        assert browser.get("/feed/").status_code == 200
