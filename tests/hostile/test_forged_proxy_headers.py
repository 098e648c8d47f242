"""Attack: whoever reaches the port sends the header in which the proxy names the user, and is anybody."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from multidict import CIMultiDict

from dashboard.access.person import MAX_GROUPS, MAX_NAME_LENGTH, Person, person_of
from dashboard.runtime.proxy_settings import read_peers
from dashboard.server.guard import Guard
from dashboard.server.trusted_proxy import SECRET_HEADER, TrustedProxy
from tests.support.local_dashboard import LocalDaphne, LocalDashboard, ask

USER = "X-Forwarded-User"
SECRET = "a secret of the proxy's"
LOOPBACK = "127.0.0.0/8,::1"


async def identified(proxy: TrustedProxy, client: Any, *headers: tuple[str, str]) -> tuple[str | None, str]:
    """The user whom the application gets, None where it gets no request; and the sentence of a refusal."""
    person, sentence = await identified_person(proxy, client, *headers)
    return person.name if person is not None else None, sentence


async def identified_person(proxy: TrustedProxy, client: Any, *headers: tuple[str, str]) -> tuple[Person | None, str]:
    """The same with the person's groups."""
    scopes: list[Any] = []
    sent: list[Any] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        scopes.append(scope)

    async def send(message: Any) -> None:
        sent.append(message)

    named = [(b"host", b"localhost"), *((name.lower().encode(), value.encode("latin-1")) for name, value in headers)]
    scope = {"type": "http", "path": "/", "headers": named, "server": ("10.0.0.7", 8000), "client": client}
    await Guard(inner, allowed_hosts=["localhost"], proxy=proxy)(scope, None, send)  # type: ignore[arg-type]
    return (person_of(scopes[0]), "") if scopes else (None, sent[1]["body"].decode())


@pytest.mark.parametrize(
    ("peers", "client", "is_proxy"),
    [
        (LOOPBACK, ("127.0.0.1", 1), True),
        (LOOPBACK, ("::1", 1), True),
        (LOOPBACK, ("::ffff:127.0.0.1", 1), True),
        (LOOPBACK, ("10.0.0.9", 1), False),
        (LOOPBACK, None, False),
        (LOOPBACK, ("localhost", 1), False),
        ("10.0.0.9", ("10.0.0.9", 1), True),
        ("10.0.0.0/24, fd00::/8", ("fd00::7", 1), True),
        ("10.0.0.0/24", ("127.0.0.1", 1), False),
        ("unix", None, True),
        ("unix", ("127.0.0.1", 1), False),
    ],
)
async def test_only_the_proxys_addresses_may_name_a_user(peers: str, client: Any, is_proxy: bool) -> None:
    user, sentence = await identified(TrustedProxy(USER, read_peers(peers)), client, (USER, "alice"))
    assert user == ("alice" if is_proxy else None)
    assert is_proxy or "DELTABOARD_TRUST_PROXY_PEERS" in sentence


@pytest.mark.parametrize(
    "headers",
    [
        (),
        ((SECRET_HEADER, ""),),
        ((SECRET_HEADER, "wrong"),),
        ((SECRET_HEADER, "ø"),),
        ((SECRET_HEADER, SECRET), (SECRET_HEADER, SECRET)),
        ((SECRET_HEADER, "wrong"), (SECRET_HEADER, SECRET)),
        ((SECRET_HEADER.replace("-", "_"), SECRET),),
    ],
)
async def test_with_a_secret_the_proxy_must_send_it(headers: tuple[tuple[str, str], ...]) -> None:
    proxy = TrustedProxy(USER, read_peers(LOOPBACK), SECRET)
    refused = await identified(proxy, ("127.0.0.1", 1), (USER, "alice"), *headers)
    assert refused[0] is None
    assert SECRET_HEADER in refused[1]
    assert SECRET not in refused[1]
    admitted = await identified(proxy, ("127.0.0.1", 1), (USER, "alice"), (SECRET_HEADER, SECRET))
    assert admitted == ("alice", "")


@pytest.mark.parametrize(
    ("headers", "sentence"),
    [
        (((USER, ""),), "Nobody is signed in"),
        (((USER, " "),), "Nobody is signed in"),
        (((USER.replace("-", "_"), "alice"),), "Nobody is signed in"),
        (((USER, "alice"), (USER, "mallory")), "names more than one user"),
        (((USER, "alice"), (USER, "")), "names more than one user"),
        (((USER, "alice,mallory"),), "names more than one user"),
        (((USER, "system:admin"),), "begins with “system:”"),
        (((USER, "SYSTEM:admin"),), "begins with “system:”"),
        (((USER, "alice\xa0"),), "is not UTF-8"),
        (((USER, "alice\xe2\x80\x8b"),), "cannot be printed"),
        (((USER, "alice\x00"),), "cannot be printed"),
        (((USER, "x" * (MAX_NAME_LENGTH + 1)),), f"Deltaboard stores {MAX_NAME_LENGTH} at most"),
    ],
)
async def test_a_header_that_may_be_a_browsers_is_refused(headers: tuple[tuple[str, str], ...], sentence: str) -> None:
    user, refusal = await identified(TrustedProxy(USER, read_peers(LOOPBACK)), ("127.0.0.1", 1), *headers)
    assert user is None
    assert sentence in refusal


GROUPS = "X-Forwarded-Groups"


@pytest.mark.parametrize(
    ("sent", "groups"),
    [
        ((), ()),
        (("",), ()),
        (("team-a",), ("team-a",)),
        ((" team-b , team-a,, team-b",), ("team-a", "team-b")),
        (("a b,ümlaut".encode().decode("latin-1"),), ("a b", "ümlaut")),
    ],
)
async def test_the_proxy_names_groups(sent: tuple[str, ...], groups: tuple[str, ...]) -> None:
    proxy = TrustedProxy(USER, read_peers(LOOPBACK), groups_header=GROUPS)
    headers = ((USER, "alice"), *((GROUPS, value) for value in sent))
    assert await identified_person(proxy, ("127.0.0.1", 1), *headers) == (Person("alice", groups), "")


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        (("team-a", "admins"), "came 2 times"),
        (("team-a,system:masters",), "begins with “system:”"),
        (("x" * 1001,), "has 1001 characters"),
        ((",".join(map(str, range(MAX_GROUPS + 1))),), f"is in {MAX_GROUPS + 1} groups"),
        (("\xff",), "is not UTF-8"),
    ],
)
async def test_groups_that_may_be_a_browsers_or_the_clusters_own_are_refused(
    sent: tuple[str, ...], sentence: str
) -> None:
    proxy = TrustedProxy(USER, read_peers(LOOPBACK), groups_header=GROUPS)
    headers = ((USER, "alice"), *((GROUPS, value) for value in sent))
    person, refusal = await identified_person(proxy, ("127.0.0.1", 1), *headers)
    assert person is None
    assert sentence in refusal


async def test_groups_that_nobody_asked_for_count_for_nothing() -> None:
    proxy = TrustedProxy(USER, read_peers(LOOPBACK))
    assert (await identified_person(proxy, ("127.0.0.1", 1), (USER, "alice"), (GROUPS, "admins")))[0] == Person("alice")


@pytest.mark.program
async def test_a_websocket_whose_groups_came_twice_is_refused_before_its_handshake(tmp_path: Path) -> None:
    """Daphne joins the values of a websocket's header with a comma, which would add the browser's groups."""
    env = {"DELTABOARD_TRUST_PROXY_USER": USER, "DELTABOARD_TRUST_PROXY_GROUPS": GROUPS, "DELTABOARD_RIGHTS": "account"}
    with LocalDaphne(tmp_path, **env).open() as program:
        once = [("Origin", program.url), (USER, "alice"), (GROUPS, "team-a")]
        asking = [("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")]
        handshake = [*asking, ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==")]
        statuses = []
        async with aiohttp.ClientSession() as session:
            for headers in (once, [*once, (GROUPS, "admins")]):
                address = f"{program.url}/live/?path=/"
                async with session.get(address, headers=CIMultiDict([*headers, *handshake])) as response:
                    statuses.append(response.status)
        assert statuses == [101, 403]


@pytest.mark.program
def test_a_connection_past_the_proxy_is_refused_by_the_whole_program(tmp_path: Path) -> None:
    with LocalDashboard(
        tmp_path, DELTABOARD_TRUST_PROXY_USER=USER, DELTABOARD_TRUST_PROXY_PEERS="127.0.0.9"
    ) as program:
        refused = ask(f"{program.url}/", **{USER: "alice"})
        assert (refused.status, "DELTABOARD_TRUST_PROXY_PEERS" in refused.body) == (403, True)
        assert ask(f"{program.url}/healthz").status == 200
        assert status_from("127.0.0.9", program.url) == 200


@pytest.mark.program
async def test_daphnes_own_headers_prove_nothing(tmp_path: Path) -> None:
    """--proxy-headers takes the client's address from what the client sends; Daphne-Root-Path sets all links."""
    env = {"DELTABOARD_TRUST_PROXY_USER": USER, "DELTABOARD_TRUST_PROXY_PEERS": "127.0.0.9"}
    with LocalDaphne(tmp_path, "--proxy-headers", **env).open() as program:
        forged = {USER: "alice", "X-Forwarded-For": "127.0.0.9", "X-Forwarded-Port": "50000"}
        assert ask(f"{program.url}/", **forged).status == 403
        async with aiohttp.ClientSession() as session:
            page = await session.ws_connect(f"{program.url}/live/?path=/", headers={**forged, "Origin": program.url})
            assert (await page.receive(timeout=30)).type == aiohttp.WSMsgType.CLOSE
            assert page.close_code == 4403
        assert status_from("127.0.0.9", program.url, "X-Forwarded-For: 10.0.0.1") == 200


@pytest.mark.program
def test_the_path_of_the_application_is_not_the_clients_to_choose(tmp_path: Path) -> None:
    with LocalDaphne(tmp_path, DELTABOARD_TOKEN="off").open() as program:
        assert ask(f"{program.url}/resources/pods/", **{"Daphne-Root-Path": "/resources"}).status == 200


def status_from(source: str, url: str, *headers: str) -> int:
    """The status of a GET of / that comes from another of this machine's addresses, and from a user."""
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=30, source_address=(source, 0)) as connection:
        lines = ["GET / HTTP/1.1", f"Host: {host}:{port}", f"{USER}: alice", "Connection: close", *headers]
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return int(connection.makefile("rb").readline().split()[1])
