"""Tests of sessions in two web processes over Redis and PostgreSQL: what ends in one has ended in both."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
import requests

from tests.support.e2e.postgresql_database import Database
from tests.support.e2e.redis_server import RedisServer
from tests.support.local_dashboard import LocalDaphne
from tests.support.program import run_program
from tests.support.raw_websocket import RawWebSocket
from tests.support.sign_in.dashboard import PlainBrowser, issuer_options, oidc_environ
from tests.support.sign_in.provider import Provider
from tests.support.wait import until

pytestmark = [pytest.mark.redis, pytest.mark.postgresql, pytest.mark.program]


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider() as made:
        yield made


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.run()
    yield server
    server.kill()


@pytest.fixture(scope="module")
def webs(
    provider: Provider, redis: RedisServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[LocalDaphne, LocalDaphne]]:
    """Two web processes; no worker, for nobody asks for the cluster."""
    folder, database = tmp_path_factory.mktemp("oidc"), Database()
    database.create()
    env = {
        **oidc_environ(folder, issuer_options(provider.url)),
        "REDIS_URL": redis.url,
        "DATABASE_URL": database.url,
        "SECRET_KEY": os.urandom(20).hex(),
    }
    first, second = (LocalDaphne(folder, "-v", "0", "--websocket_timeout", "-1", **env) for _ in range(2))
    migrated = run_program("manage.py", "migrate", "--verbosity", "0", env=dict(first.env))
    assert migrated.returncode == 0, migrated.stderr
    try:
        with first.open(), second.open():
            yield first, second
    finally:
        database.drop()


@pytest.fixture
def browsers(webs: tuple[LocalDaphne, LocalDaphne]) -> tuple[PlainBrowser, PlainBrowser]:
    """One browser, whose requests go to both processes: signed in through the first."""
    first, second = (PlainBrowser(web.url) for web in webs)
    assert first.sign_in().status_code == 303
    second.http.cookies.set("deltaboard_session", first.session_cookie)
    assert second.get("/feed/").status_code == 200
    return first, second


def opened(browser: PlainBrowser) -> RawWebSocket:
    """An open page's socket, once it is served."""
    cookie = {"Cookie": f"deltaboard_session={browser.session_cookie}"}
    socket = RawWebSocket(int(browser.url.rpartition(":")[2]), "/feed/", headers=cookie)
    socket.next_heartbeat()
    return socket


@pytest.mark.long
def test_a_sign_out_in_one_process_closes_the_sockets_of_both(
    browsers: tuple[PlainBrowser, PlainBrowser],
) -> None:
    first, second = browsers
    cookie = second.session_cookie
    with opened(first) as here, opened(second) as there:
        first.post("/accounts/sign-out/")
        assert (here.close_code(), there.close_code()) == (4401, 4401)
    assert second.session_cookie == cookie
    assert second.get("/feed/").status_code == 303


def test_a_logout_at_the_provider_holds_in_both(
    browsers: tuple[PlainBrowser, PlainBrowser], provider: Provider
) -> None:
    first, second = browsers
    form = {"logout_token": provider.logout_token(sub=provider.person["sub"])}
    with opened(second) as there:
        assert requests.post(f"{first.url}/accounts/logout/main/", data=form, timeout=30).status_code == 200
        assert there.close_code() == 4401
    assert second.get("/feed/").status_code == 303
    again = requests.post(f"{second.url}/accounts/logout/main/", data=form, timeout=30)
    assert again.status_code == 400, "the other process knows that it was used"


def test_the_command_ends_everybodys_sessions_in_both(
    browsers: tuple[PlainBrowser, PlainBrowser], webs: tuple[LocalDaphne, LocalDaphne]
) -> None:
    first, second = browsers
    with opened(first) as here, opened(second) as there:
        ended = run_program("manage.py", "sessions", "end", "--all", env=dict(webs[0].env))
        assert ended.returncode == 0, ended.stderr
        assert (here.close_code(), there.close_code()) == (4401, 4401)
    assert second.get("/feed/").status_code == 303


def test_while_redis_is_away_the_database_says_it(
    browsers: tuple[PlainBrowser, PlainBrowser], redis: RedisServer
) -> None:
    first, second = browsers
    with opened(second) as there:
        redis.kill()
        try:
            first.post("/accounts/sign-out/")
            assert there.close_code() == 4401
            until(lambda: second.get("/feed/").status_code == 303, what="the other process finds it ended")
        finally:
            redis.run()


@pytest.mark.long
def test_sessions_outlive_a_restart(
    browsers: tuple[PlainBrowser, PlainBrowser], webs: tuple[LocalDaphne, LocalDaphne]
) -> None:
    first, _ = browsers
    webs[0].stop()
    webs[0].open()
    assert first.get("/feed/").status_code == 200
