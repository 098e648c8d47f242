"""Attack: another account of the machine connects to the loopback address and acts with the owner's rights."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest
from playwright.sync_api import Page, expect

from tests.support.free_ports import free_ports
from tests.support.local_dashboard import LocalDaphne, LocalDashboard, ask, environ
from tests.support.program import Program, answers

pytestmark = pytest.mark.program


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalDashboard]:
    with LocalDashboard(tmp_path_factory.mktemp("home")) as program:
        yield program


def cookie_of(dashboard: LocalDashboard) -> str:
    """The cookie of a first visit, as a browser sends it."""
    return ask(dashboard.address).headers["Set-Cookie"].partition(";")[0]


@pytest.mark.parametrize("path", ["/", "/resources/pods/", "/resources/pods/export.yaml", "/metrics", "/static/x.js"])
def test_without_the_token_nothing_is_shown_and_a_sentence_says_how(dashboard: LocalDashboard, path: str) -> None:
    refused = ask(dashboard.url + path)
    assert refused.status == 403
    assert "?token=" in refused.body
    assert "Authorization: Bearer" in refused.body
    assert dashboard.token not in refused.body


def test_nothing_is_written_without_the_token(dashboard: LocalDashboard) -> None:
    assert ask(f"{dashboard.url}/theme/", "POST").body.startswith("Deltaboard does not know who asks")
    posted = ask(f"{dashboard.url}/theme/?token={dashboard.token}", "POST")
    assert posted.body.startswith("Deltaboard does not know who asks"), "an address with a token is for a first visit"


def test_probes_need_no_token(dashboard: LocalDashboard) -> None:
    assert ask(f"{dashboard.url}/healthz").status == 200


def test_a_first_visit_exchanges_the_token_for_a_cookie(dashboard: LocalDashboard) -> None:
    redirect = ask(f"{dashboard.url}/feed/?q=web&token={dashboard.token}&ns=a")
    assert (redirect.status, redirect.headers["Location"]) == (303, "./?q=web&ns=a")
    assert redirect.headers["Referrer-Policy"] == "no-referrer"
    assert redirect.headers["Cache-Control"] == "no-store"
    cookie, *attributes = redirect.headers["Set-Cookie"].split("; ")
    port = dashboard.url.rpartition(":")[2]
    assert cookie.startswith(f"deltaboard_token_{port}="), "two Deltaboards on a host do not log each other out"
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(attributes)
    assert dashboard.token not in cookie
    assert ask(f"{dashboard.url}/", Cookie=cookie).status == 200
    assert ask(f"{dashboard.url}/", Authorization=f"Bearer {dashboard.token}").status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Bearer "},
        {"Authorization": "Bearer ø".encode().decode("latin-1")},
        {"Cookie": "deltaboard_token_{port}=browser:1abc:wrong"},
        {"Cookie": "deltaboard_token_{port}={token}"},
        {"Cookie": "deltaboard_token_{port}="},
    ],
)
def test_a_made_up_token_or_cookie_is_refused(dashboard: LocalDashboard, headers: dict[str, str]) -> None:
    port, token = dashboard.url.rpartition(":")[2], dashboard.token
    filled = {name: value.format(port=port, token=token) for name, value in headers.items()}
    assert ask(f"{dashboard.url}/", **filled).status == 403
    assert ask(f"{dashboard.url}/?token=wrong", **filled).status == 403


async def test_a_websocket_without_the_cookie_is_closed_with_a_code_that_the_page_shows(
    dashboard: LocalDashboard,
) -> None:
    live, origin = f"{dashboard.url}/live/?path=/", {"Origin": dashboard.url}
    async with aiohttp.ClientSession() as session:
        for address in (live, f"{live}&token={dashboard.token}"):
            refused = await session.ws_connect(address, headers=origin)
            assert (await refused.receive(timeout=30)).type == aiohttp.WSMsgType.CLOSE
            assert refused.close_code == 4403
        admitted = await session.ws_connect(live, headers={**origin, "Cookie": cookie_of(dashboard)})
        assert (await admitted.receive(timeout=30)).type != aiohttp.WSMsgType.CLOSE
        await admitted.close()


@pytest.mark.long
def test_the_tokens_file_is_its_owners_and_a_restart_keeps_cookies_valid(tmp_path: Path) -> None:
    with LocalDashboard(tmp_path) as first:
        cookie, token = cookie_of(first), first.token
    file = tmp_path / "var" / "token"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    with LocalDashboard(tmp_path) as again:
        assert again.token == token
        assert ask(f"{again.url}/", Cookie=on_port_of(again, cookie)).status == 200
    file.unlink()
    with LocalDashboard(tmp_path) as another:
        assert another.token != token
        assert ask(f"{another.url}/", Cookie=on_port_of(another, cookie)).status == 403


def on_port_of(dashboard: LocalDashboard, cookie: str) -> str:
    """The cookie under the name that it has for this dashboard's port."""
    return f"deltaboard_token_{dashboard.url.rpartition(':')[2]}={cookie.partition('=')[2]}"


def test_a_token_that_others_can_read_is_not_used(tmp_path: Path) -> None:
    file = tmp_path / "var" / "token"
    file.parent.mkdir()
    file.write_text("known to all\n")
    file.chmod(0o644)
    with LocalDashboard(tmp_path) as program:
        assert program.process
        assert program.process.wait(60) == 1
        assert f"{file} can be read by other accounts of this machine" in program.output
        assert "Traceback" not in program.output


@pytest.mark.long
@pytest.mark.parametrize(("options", "env"), [(("--no-token",), "on"), ((), "off")])
def test_the_start_line_says_where_none_is_asked_for(tmp_path: Path, options: tuple[str, ...], env: str) -> None:
    with LocalDashboard(tmp_path, *options, DELTABOARD_TOKEN=env) as program:
        assert ask(f"{program.url}/").status == 200
        assert "/ without a token: every account of this machine can open it" in program.output


@pytest.mark.parametrize(("address", "headers"), [("/?token=old", {}), ("/", {"Authorization": "Bearer old"})])
def test_a_wrong_token_is_called_wrong(dashboard: LocalDashboard, address: str, headers: dict[str, str]) -> None:
    refused = ask(f"{dashboard.url}{address}", **headers)
    assert (refused.status, refused.body.partition(".")[0]) == (403, "This is not Deltaboard's token, or no longer")
    assert "Authorization: Bearer <token>" in refused.body


def test_no_log_has_the_token(tmp_path: Path) -> None:
    with LocalDaphne(tmp_path, DEBUG="on").open() as program:
        token = (tmp_path / "var" / "token").read_text()
        assert ask(f"{program.url}/first/?token={token}").status == 303
        assert ask(f"{program.url}/second/?to%6ben={token}").status == 303
        assert ask(f"{program.url}/third/?token={token}", "POST", Authorization=f"Bearer {token}").status in (403, 404)
        assert ask(f"{program.url}/fourth/?a=b", Authorization=f"Bearer {token}").status == 404
        program.wait_for(lambda: "/fourth/?a=b" in program.output)
        assert "GET /first/?token=…" in program.output
        assert "GET /second/?token=…" in program.output
        assert token not in program.output
        assert "a browser needs the token in" in program.output


def test_runserver_asks_for_it_too(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    with Program("manage.py", "runserver", "--noreload", str(port), env=environ(tmp_path)) as program:
        program.wait_for(lambda: answers(f"http://127.0.0.1:{port}/healthz"))
        assert "?token=" in program.output
        assert ask(f"http://127.0.0.1:{port}/").status == 403
        token = (tmp_path / "var" / "token").read_text()
        assert ask(f"http://127.0.0.1:{port}/", Authorization=f"Bearer {token}").status == 200


def test_a_browser_opens_the_printed_address_and_stays_signed_in(dashboard: LocalDashboard, page: Page) -> None:
    with page.expect_websocket() as socket:
        page.goto(f"{dashboard.url}/feed/?token={dashboard.token}")
    socket.value.wait_for_event("framereceived")
    assert page.url == f"{dashboard.url}/feed/"
    assert "deltaboard_token" not in page.evaluate("document.cookie")
    page.context.clear_cookies()
    page.reload()
    expect(page.locator("body")).to_contain_text("Deltaboard does not know who asks")
