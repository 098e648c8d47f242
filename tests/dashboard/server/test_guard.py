"""Tests of the guard: hosts, origins, addresses, the proxy's user, and the headers of every response."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

import pytest
from asgiref.sync import SyncToAsync
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.test import AsyncClient, override_settings
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import path
from django.utils.html import escape

from dashboard.access.identity import user_of
from dashboard.runtime.proxy_settings import read_peers
from dashboard.server.bad_request import MAX_TEXT_BYTES
from dashboard.server.django_handler import LoopHandler
from dashboard.server.guard import BindRefused, Guard, check_bind, is_loopback, is_same_host
from dashboard.server.trusted_proxy import TrustedProxy

PROXY = TrustedProxy("X-Forwarded-User", read_peers("10.0.0.0/8"))
HOSTS = ["localhost", "127.0.0.1", "[::1]"]
Message = dict[str, Any]


class Inner:
    """Stands for the application; remembers what was let through."""

    def __init__(self) -> None:
        self.scopes: list[Message] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scopes.append(scope)


def scope_of(
    kind: str = "http", *, server: tuple[str, int | None] | None = ("127.0.0.1", 8000), **headers: str
) -> Message:
    named = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
    path = "/live/" if kind == "websocket" else "/"
    client = ("10.0.0.1", 50000)
    return {"type": kind, "path": path, "headers": named, "server": server, "client": client}


async def answered(guard: Guard, scope: Message) -> list[Message]:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": f"{scope['type']}.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await guard(scope, receive, send)
    return sent


@pytest.fixture
def inner() -> Inner:
    return Inner()


@pytest.fixture
def guard(inner: Inner) -> Guard:
    return Guard(inner, allowed_hosts=HOSTS)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:8000", "[::1]:8000", "localhost.:8000"])
async def test_our_own_names_are_let_in(guard: Guard, inner: Inner, host: str) -> None:
    assert await answered(guard, scope_of(host=host)) == []
    assert len(inner.scopes) == 1


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "localhost:99999",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "10.0.0.1",
        "",
        "a b",
        "\xe9",
    ],
)
async def test_a_foreign_name_that_points_here_gets_nothing(guard: Guard, inner: Inner, host: str) -> None:
    """DNS rebinding: the browser believes that it speaks to its page's own host, and sends that host's name."""
    start, body = await answered(guard, scope_of(host=host))
    assert start["status"] == 400
    assert b"ALLOWED_HOSTS" in body["body"]
    socket = scope_of("websocket", host=host, origin=f"http://{host}")
    assert await answered(guard, socket) == [{"type": "websocket.close", "code": 4403}]
    assert inner.scopes == []


async def test_without_a_host_or_with_two_there_is_nothing(guard: Guard, inner: Inner) -> None:
    twice = scope_of()
    twice["headers"] = [(b"host", b"localhost"), (b"host", b"evil.example")]
    for scope in (scope_of(), twice):
        assert (await answered(guard, scope))[0]["status"] == 400
    assert inner.scopes == []


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_socket_from_our_own_page_is_let_in_whoever_ends_tls(guard: Guard, inner: Inner, scheme: str) -> None:
    await answered(guard, scope_of("websocket", host="localhost:8000", origin=f"{scheme}://localhost:8000"))
    assert len(inner.scopes) == 1


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example", "http://localhost", "http://localhost:8001", "http://127.0.0.1:8000", "null", "",
        "http://localhost:8000.evil.example", "http://localhost:8000@evil.example", "file://", "http://localhost:8000/x",
        "http://localhost:99999999", "chrome-extension://localhost:8000",
    ],
)  # fmt: skip
async def test_a_socket_from_a_foreign_page_is_refused(guard: Guard, inner: Inner, origin: str) -> None:
    scope = scope_of("websocket", host="localhost:8000", origin=origin)
    assert await answered(guard, scope) == [{"type": "websocket.close", "code": 4403}]
    assert inner.scopes == []


async def test_a_socket_without_an_origin_is_refused(guard: Guard, inner: Inner) -> None:
    assert await answered(guard, scope_of("websocket", host="localhost:8000"))
    assert inner.scopes == []


@pytest.mark.parametrize(
    ("origin", "host", "same"),
    [
        ("https://board.example", "board.example", True),
        ("https://board.example", "board.example:443", True),
        ("https://board.example:443", "board.example", True),
        ("http://board.example", "board.example:443", False),
        ("http://[::1]:8000", "[::1]:8000", True),
        ("http://[::1]:8000", "[::2]:8000", False),
        ("HTTP://Board.Example", "board.EXAMPLE", True),
        ("http://[::1", "[::1", False),
    ],
)
def test_origin_and_host_are_compared_with_the_schemes_default_port(origin: str, host: str, same: bool) -> None:
    assert is_same_host(origin, host) is same


@pytest.mark.parametrize(
    "server", [("127.0.0.1", 8000), ("::1", 8000), ("::ffff:127.0.0.1", 8000), None, ("/run/x", None)]
)
async def test_connections_to_this_machines_own_addresses_are_served(
    guard: Guard, inner: Inner, server: tuple[str, int | None] | None
) -> None:
    await answered(guard, scope_of(host="localhost", server=server))
    assert len(inner.scopes) == 1


@pytest.mark.parametrize("server", [("192.168.1.5", 8000), ("::ffff:10.0.0.1", 8000), ("fe80::1", 8000)])
async def test_a_connection_to_any_other_address_is_refused_without_sign_in(
    guard: Guard, inner: Inner, server: tuple[str, int]
) -> None:
    start, body = await answered(guard, scope_of(host="localhost", server=server))
    assert start["status"] == 403
    assert b"DELTABOARD_TRUST_PROXY_USER" in body["body"]
    assert inner.scopes == []


async def test_behind_a_signing_in_proxy_the_user_must_be_named(inner: Inner) -> None:
    guard = Guard(inner, allowed_hosts=HOSTS, proxy=PROXY)
    far = ("10.0.0.7", 8000)
    start, body = await answered(guard, scope_of(host="localhost", server=far))
    assert (start["status"], b"X-Forwarded-User" in body["body"]) == (403, True)
    assert await answered(guard, scope_of(host="localhost", server=far, x_forwarded_user="  ")) != []
    assert await answered(guard, scope_of("websocket", host="localhost", origin="http://localhost")) != []
    assert inner.scopes == []
    await answered(guard, scope_of(host="localhost", server=far, x_forwarded_user="alice"))
    assert user_of(inner.scopes[0]) == "alice"


async def test_our_own_pages_socket_is_told_that_nobody_is_signed_in(inner: Inner) -> None:
    """A browser hides a 403 before the handshake from its page, which would try for ever."""
    refused = [{"type": "websocket.accept"}, {"type": "websocket.close", "code": 4403}]
    origin = "http://localhost"
    behind_proxy = Guard(inner, allowed_hosts=HOSTS, proxy=PROXY)
    assert await answered(behind_proxy, scope_of("websocket", host="localhost", origin=origin)) == refused
    far = scope_of("websocket", server=("10.0.0.7", 8000), host="localhost", origin=origin)
    assert await answered(Guard(inner, allowed_hosts=HOSTS), far) == refused
    foreign = scope_of("websocket", host="localhost", origin="http://evil.example")
    assert await answered(behind_proxy, foreign) == refused[1:]
    assert inner.scopes == []


async def test_a_user_named_by_the_browser_counts_for_nothing_without_a_proxy(guard: Guard, inner: Inner) -> None:
    await answered(guard, scope_of(host="localhost", x_forwarded_user="mallory"))
    assert user_of(inner.scopes[0]) == ""


async def test_health_is_open_to_load_balancers(inner: Inner) -> None:
    guard = Guard(inner, allowed_hosts=HOSTS, proxy=PROXY)
    await answered(guard, {**scope_of(host="10.1.2.3:8000", server=("10.1.2.3", 8000)), "path": "/healthz"})
    assert len(inner.scopes) == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "localhost", "::1", "[::1]"])
def test_our_own_addresses_may_be_bound(host: str) -> None:
    check_bind(host, proxy_user_header="")
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.com", ""])
def test_any_other_needs_a_signing_in_proxy(host: str) -> None:
    for nothing in ("", " "):
        with pytest.raises(BindRefused, match="DELTABOARD_TRUST_PROXY_USER"):
            check_bind(host, proxy_user_header=nothing)
    check_bind(host, proxy_user_header="X-Forwarded-User")


# --- what Django adds -------------------------------------------------------------------------------------------


async def show(request: HttpRequest) -> HttpResponse:
    return HttpResponse(get_token(request) + " " * 500)


async def take(request: HttpRequest) -> HttpResponse:
    return HttpResponse("taken")


@pytest.fixture
def urls(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = ModuleType("tests_access_urls")
    module.urlpatterns = [path("show/", show), path("take/", take), path("healthz", take)]  # type: ignore[attr-defined]
    monkeypatch.setitem(__import__("sys").modules, module.__name__, module)
    with override_settings(ROOT_URLCONF=module.__name__):
        yield


@pytest.mark.usefixtures("urls")
async def test_every_response_carries_a_strict_policy() -> None:
    for address in ("/show/", "/take/", "/none/", "/static/favicon/live.svg"):
        response = await AsyncClient().get(address)
        directives = dict(each.strip().split(" ", 1) for each in response["Content-Security-Policy"].split(";"))
        assert directives == {
            "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self' data:",
            "font-src": "'self'", "connect-src": "'self'", "form-action": "'self'", "frame-ancestors": "'none'",
            "base-uri": "'none'", "manifest-src": "'self'",
            "require-trusted-types-for": "'script'", "trusted-types": "deltaboard 'allow-duplicates'",
        }  # fmt: skip
        assert response["X-Content-Type-Options"] == "nosniff"
        assert response["Referrer-Policy"] == "same-origin"
        assert response["Cross-Origin-Opener-Policy"] == "same-origin"
        assert response["Cross-Origin-Resource-Policy"] == "same-origin"
        assert response["X-Frame-Options"] == "DENY"
        assert "Access-Control-Allow-Origin" not in response


@pytest.mark.usefixtures("urls")
@pytest.mark.parametrize("address", ["/static/css/base.css", "/static/js/live/main.js"])
async def test_what_is_never_shown_as_a_page_is_taken_for_nothing_else_and_carries_no_policy(address: str) -> None:
    first = await AsyncClient().get(address)
    again = await AsyncClient().get(address, headers={"if-none-match": first["ETag"]})
    assert (first.status_code, again.status_code) == (200, 304)
    for response in (first, again):
        assert response["X-Content-Type-Options"] == "nosniff"
        assert response["Cross-Origin-Resource-Policy"] == "same-origin"
        for name in ("Content-Security-Policy", "Referrer-Policy", "Cross-Origin-Opener-Policy", "X-Frame-Options"):
            assert name not in response


@pytest.mark.usefixtures("urls")
async def test_django_refuses_foreign_hosts_too_but_for_the_health_checks() -> None:
    foreign = {"host": "10.1.2.3:8000"}
    assert (await AsyncClient().get("/show/", headers=foreign)).status_code == 400
    assert (await AsyncClient().get("/healthz", headers=foreign)).status_code == 200


@pytest.mark.usefixtures("urls")
async def test_a_post_needs_the_token_and_our_own_origin() -> None:
    client = AsyncClient(enforce_csrf_checks=True)
    assert (await client.post("/take/")).status_code == 403
    token = (await client.get("/show/")).content.decode().strip()
    cookie = client.cookies["deltaboard_csrf"]
    assert (cookie["samesite"], cookie["httponly"], cookie["secure"]) == ("Strict", True, "")
    assert (await client.post("/take/", {"csrfmiddlewaretoken": token})).status_code == 200
    foreign = {"origin": "http://evil.example"}
    assert (await client.post("/take/", {"csrfmiddlewaretoken": token}, headers=foreign)).status_code == 403


STYLES = "/static/css/base.css"


@pytest.mark.usefixtures("urls")
@pytest.mark.parametrize("accepted", ["gzip, deflate, br, zstd", "identity"])
async def test_a_browser_that_has_a_static_file_is_not_sent_it_again(accepted: str) -> None:
    client = AsyncClient(headers={"accept-encoding": accepted})
    first = await client.get(STYLES)
    assert first.status_code == 200
    for had in (first["ETag"], f"W/{first['ETag']}", f'"another", W/{first["ETag"]}', "*"):
        again = await client.get(STYLES, headers={"if-none-match": had})
        assert (again.status_code, again.content) == (304, b""), had
        assert again["ETag"] == first["ETag"]
        assert "Accept-Encoding" in again["Vary"]
        assert again["X-Content-Type-Options"] == "nosniff"
    changed = await client.get(STYLES, headers={"if-none-match": '"another"'})
    assert (changed.status_code, changed.content) == (200, first.content)


@pytest.mark.usefixtures("urls")
async def test_static_files_are_compressed_once_for_who_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []
    compress = gzip.compress

    def counted(data: bytes, *args: Any, **kwargs: Any) -> bytes:
        begun.append(len(data))
        return compress(data, *args, **kwargs)

    monkeypatch.setattr(gzip, "compress", counted)
    client = AsyncClient()
    plain = await client.get(STYLES)
    assert "Content-Encoding" not in plain
    for _ in range(3):
        packed = await client.get(STYLES, headers={"accept-encoding": "br, gzip"})
        assert packed["Content-Encoding"] == "gzip"
        assert packed["Content-Length"] == str(len(packed.content))
        assert gzip.decompress(packed.content) == plain.content
        assert packed["ETag"] != plain["ETag"]
    assert begun == [len(plain.content)]
    head = await client.head(STYLES, headers={"accept-encoding": "br, gzip"})
    assert (head.content, head["Content-Length"], head["ETag"]) == (b"", packed["Content-Length"], packed["ETag"])
    small = await client.get("/static/favicon/live.svg", headers={"accept-encoding": "gzip;q=0"})
    assert "Content-Encoding" not in small


@pytest.mark.usefixtures("urls")
async def test_a_request_stays_on_the_event_loops_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    hops: list[object] = []

    async def hop(self: SyncToAsync[..., Any], *args: Any, **kwargs: Any) -> None:
        hops.append(self.func)

    monkeypatch.setattr(SyncToAsync, "__call__", hop)
    before = threading.active_count()
    for address in ("/show/", "/static/css/base.css"):
        sent = await handled(address)
        assert sent[0]["type"] == "http.response.start"
    assert hops == []
    assert threading.active_count() == before


@pytest.mark.usefixtures("urls")
@pytest.mark.parametrize("limit", [{"DATA_UPLOAD_MAX_MEMORY_SIZE": 100}, {"DATA_UPLOAD_MAX_NUMBER_FIELDS": 1}])
async def test_a_form_that_is_too_much_gets_a_page_of_ours(limit: dict[str, int]) -> None:
    client = AsyncClient(enforce_csrf_checks=True)
    token = (await client.get("/show/")).content.decode().strip()
    with override_settings(**limit):
        response = await client.post("/take/", {"csrfmiddlewaretoken": token, "a": "x" * 200})
    assert response.status_code == 400
    assert "<h1>This request was not understood</h1>" in response.content.decode()
    assert "script-src 'self'" in response["Content-Security-Policy"]
    assert response["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("too_much", [{"DATA_UPLOAD_MAX_MEMORY_SIZE": 100}, {"DATA_UPLOAD_MAX_NUMBER_FIELDS": 1}])
async def test_a_form_that_is_too_much_brings_its_text_back(too_much: dict[str, int]) -> None:
    text = "# </textarea><script>\nkind: Mydemo # ø\n"
    sent = {"a": "x" * 200, "yaml": text.replace("\n", "\r\n"), "b": ""}
    cookie = (b"cookie", f"{settings.CSRF_COOKIE_NAME}={'x' * 32}".encode())
    for fetched, kept in ((b"document", True), (b"empty", False)):
        with override_settings(**too_much):
            start, page = await handled("/new/", form=sent, headers=[cookie, (b"sec-fetch-dest", fetched)])
        body = page["body"].decode()
        assert start["status"] == 400
        assert "or has too many inputs. It changed nothing" in body
        assert "still there" not in body
        assert (f"\n{escape(text)}</textarea>" in body) is kept, "one of our scripts has the text itself"


@pytest.mark.parametrize(("limit", "status"), [(100, 400), (1_000_000, 403)])
@pytest.mark.parametrize("headers", [[], [(b"origin", b"http://evil.example")]], ids=["no cookie", "another origin"])
async def test_a_form_that_is_refused_brings_its_text_back_be_it_too_much_or_not(
    limit: int, status: int, headers: list[tuple[bytes, bytes]]
) -> None:
    with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=limit):
        start, page = await handled("/new/", form={"a": "x" * 200, "yaml": "kind: <A>\n"}, headers=headers)
    assert start["status"] == status
    assert b"\nkind: &lt;A&gt;\n</textarea>" in page["body"]


@pytest.mark.parametrize("over", [0, 1])
async def test_a_text_that_is_too_long_to_come_back_says_so(over: int) -> None:
    sent = {"a": "x" * 200, "yaml": "<" + "x" * (MAX_TEXT_BYTES - 1 + over), "base": "x"}
    cookie = (b"cookie", f"{settings.CSRF_COOKIE_NAME}={'x' * 32}".encode())
    with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=100):
        start, *chunks = await handled("/new/", form=sent, headers=[cookie])
    page = b"".join(chunk["body"] for chunk in chunks)
    assert start["status"] == 400
    assert (b"&lt;xxx" in page and b"xxx</textarea>" in page) is not bool(over)
    assert (b"too long to show here (the limit is 6 MiB" in page) is bool(over)
    assert (len(page) < 50_000) is bool(over)


async def test_an_address_that_cannot_be_read_gets_a_sentence_that_may_run_nothing() -> None:
    start, body = await handled("/", query=b"q=\xff")
    assert start["status"] == 400
    headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-type"] == "text/plain; charset=utf-8"
    assert b"cannot be read" in body["body"]


async def handled(
    address: str,
    *,
    query: bytes = b"",
    form: dict[str, str] | None = None,
    headers: Iterable[tuple[bytes, bytes]] = (),
) -> list[Message]:
    """What our handler sends for one GET, or for the POST of a form, without a test client in between."""
    sent: list[Message] = []
    body = encode_multipart(BOUNDARY, form) if form is not None else b""

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {**scope_of(host="localhost"), "path": address, "query_string": query, "scheme": "http"}
    scope["method"] = "GET" if form is None else "POST"
    length = (b"content-length", str(len(body)).encode())  # without it Django reads no form
    scope["headers"] += [length, (b"content-type", MULTIPART_CONTENT.encode()), *headers]
    await LoopHandler()(scope, receive, send)
    return sent
