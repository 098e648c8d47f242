"""Attack: whoever has no session sends large bodies, or what only people who signed in may ask for."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator

import pytest

from tests.support.local_dashboard import LocalDashboard, ask
from tests.support.raw_websocket import RawWebSocket
from tests.support.sign_in.dashboard import PlainBrowser, issuer_options, oidc_dashboard
from tests.support.sign_in.provider import Provider

pytestmark = pytest.mark.program


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalDashboard]:
    with (
        Provider() as provider,
        oidc_dashboard(tmp_path_factory.mktemp("oidc"), issuer_options(provider.url)) as program,
    ):
        assert program.address
        yield program


def port_of(process: LocalDashboard) -> int:
    return int(process.url.rpartition(":")[2])


def begun(process: LocalDashboard, path: str, cookie: str = "") -> bytes:
    """The first bytes of the answer to a body that is announced and never sent."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port_of(process)}\r\nContent-Length: 10000000\r\n"
    with socket.create_connection(("127.0.0.1", port_of(process)), timeout=30) as connection:
        connection.sendall(f"{head}Cookie: deltaboard_session={cookie}\r\n\r\n".encode())
        return connection.recv(1000)


@pytest.mark.long
@pytest.mark.parametrize("cookie", ["", "made up", "a:b"])
def test_a_body_without_a_session_is_refused_before_it_arrives(process: LocalDashboard, cookie: str) -> None:
    assert begun(process, "/new/", cookie).startswith(b"HTTP/1.1 401 Unauthorized\r\n")


def test_open_addresses_take_small_bodies_only(process: LocalDashboard) -> None:
    for path in ("/accounts/logout/main/", "/accounts/sign-out/", "/sign-in/"):
        assert begun(process, path).startswith(b"HTTP/1.1 413 "), path


def test_no_socket_is_served_without_a_session(process: LocalDashboard) -> None:
    with RawWebSocket(port_of(process)) as socket_without:
        assert socket_without.close_code() == 4401
    browser = PlainBrowser(process.url)
    browser.sign_in()
    cookie = {"Cookie": f"deltaboard_session={browser.session_cookie}"}
    with RawWebSocket(port_of(process), "/feed/", headers=cookie) as with_session:
        assert with_session.next_heartbeat()


def test_every_address_asks_for_a_session(process: LocalDashboard) -> None:
    from dashboard.urls import urlpatterns

    routes = [re.sub(r"<[^>]+>", "x", str(each.pattern)) for each in urlpatterns]
    plain = [route for route in routes if not route.startswith("^")]
    is_open = ("sign-in/", "accounts/", "healthz", "readyz")
    asked = [route for route in plain if not route.startswith(is_open)]
    assert len(asked) > 30
    for route in [
        *asked,
        "nowhere/",
        "accounts",
        "accounts/",
        "accounts/nowhere/",
        "accounts/main/",
        "sign-in",
        "static",
        "//accounts/x/",
        "x/../accounts/",
    ]:
        assert ask(f"{process.url}/{route}").status == 401, route
    for open_address in ("sign-in/", "accounts/none/sign-in/", "accounts/main/callback/", "accounts/logout/none/"):
        said = ask(f"{process.url}/{open_address}")
        assert said.status in (200, 400, 404, 405), open_address
        assert "KUBECONFIG" not in said.body, "not even why there is no cluster"
    page = ask(f"{process.url}/sign-in/")
    assert page.status == 200
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]


def test_without_a_token_in_the_form_nobody_is_signed_out(process: LocalDashboard) -> None:
    assert ask(f"{process.url}/accounts/sign-out/", method="POST").status == 403
