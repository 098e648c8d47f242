"""Tests of hostile input: random requests, bombs, incomplete requests, patterns that never end."""

from __future__ import annotations

import asyncio
import http.client
import itertools
import json
import random
import socket
import ssl
from collections import Counter

import pytest

from devcluster.server.schema.formats import FORMATS
from devcluster.server.schema.pattern_with_time_limit import matches
from tests.devcluster.conftest import Demo
from tests.support.devcluster.fuzz_requests import oddities
from tests.support.devcluster.http_client import JSON_PATCH, STRATEGIC

MAPS = "/api/v1/namespaces/t/configmaps"
REQUESTS = 600


def host_of(demo: Demo) -> str:
    return demo.server.removeprefix("https://")


def send_all(demo: Demo, seed: int) -> Counter[int]:
    """The status codes of many odd requests; none may be an error of ours."""
    codes: Counter[int] = Counter()
    connection = http.client.HTTPSConnection(host_of(demo), context=demo.tls, timeout=20)
    for odd in itertools.islice(oddities(seed), REQUESTS):
        headers = {"Authorization": f"Bearer {demo.token}", "Content-Type": odd.content_type}
        connection.request(odd.method, odd.path, odd.body, headers)
        answer = connection.getresponse()
        text = answer.read()
        assert b"Internal error occurred" not in text, (odd, text)
        codes[answer.status] += 1
    connection.close()
    return codes


@pytest.mark.slow
async def test_odd_requests_get_an_answer_each(demo: Demo) -> None:
    codes = await asyncio.to_thread(send_all, demo, 1)
    assert sum(codes.values()) == REQUESTS
    assert {200, 201, 400, 404, 409, 422} <= codes.keys()


_LAUGHS = b"a0: &a0 [x, x]\n" + b"".join(b"a%d: &a%d [*a%d, *a%d]\n" % (n, n, n - 1, n - 1) for n in range(1, 60))


@pytest.mark.parametrize(
    ("body", "content_type", "code"),
    [
        (b"[" * 1_000_000, "application/json", 400),
        (b'{"a":' * 200_000, "application/json", 400),
        (b"9" * 100_000, "application/json", 400),
        (b'{"metadata":{"name":"x\\ud800"}}', "application/json", 422),
        (b'{"metadata":{"name":"a"},"data":{' + b'"a":"1",' * 100_000 + b'"a":"1"}}', "application/json", 201),
        (b"[" * 100_000, "application/yaml", 400),
        (b"a: " + b"{a: " * 50_000, "application/yaml", 400),
        (_LAUGHS, "application/yaml", 400),
        (b"k8s\x00\x12\xff\xff\xff\xff\x0f", "application/vnd.kubernetes.protobuf", 400),
        (b"x" * (3 << 20) + b"y", "application/json", 413),
        (b"x" * (3 << 20) + b"y", "application/yaml", 413),
    ],
)
async def test_bombs_are_refused(demo: Demo, body: bytes, content_type: str, code: int) -> None:
    answer = await asyncio.to_thread(demo.call, "POST", MAPS, body.decode("latin-1"), content_type)
    assert answer.code == code


async def test_a_yaml_body_may_be_large(demo: Demo) -> None:
    text = "metadata: {name: large}\ndata:\n" + "".join(f"  k{number}: {'v' * 1000}\n" for number in range(500))
    assert (await demo.ask("POST", MAPS, text, "application/yaml")).code == 201


async def test_a_json_patch_cannot_blow_an_object_up(demo: Demo) -> None:
    await demo.ask("POST", MAPS, {"metadata": {"name": "c"}, "data": {"a": "x" * 1000}})
    doubling = [{"op": "copy", "from": "/data", "path": f"/data/{number}"} for number in range(60)]
    assert (await demo.ask("PATCH", f"{MAPS}/c", doubling, JSON_PATCH)).code == 422
    many = [{"op": "test", "path": "/nope"}] * 10_001
    reply = await demo.ask("PATCH", f"{MAPS}/c", many, JSON_PATCH)
    assert (reply.code, reply.json["reason"]) == (413, "RequestEntityTooLarge")
    assert "The allowed maximum operations in a JSON patch is 10000, got 10001" in reply.json["message"]


@pytest.mark.slow
async def test_a_strategic_patch_of_many_finalizers_is_merged_soon(demo: Demo) -> None:
    await demo.ask("POST", MAPS, {"metadata": {"name": "c"}})
    for half in range(2):
        names = [f"a.b/{half}-{number}" for number in range(20_000)]
        assert (await demo.ask("PATCH", f"{MAPS}/c", {"metadata": {"finalizers": names}}, STRATEGIC)).code == 200


async def test_halves_of_requests_leave_the_server_alive(demo: Demo) -> None:
    """Connections that end in the middle of a line, of the headers, of a body, and of a TLS handshake."""
    whole = f"POST {MAPS} HTTP/1.1\r\nHost: {host_of(demo)}\r\nContent-Length: 50\r\n\r\n{{".encode()
    odd = (b"\x00" * 500, b"GET / HTTP/9.9\r\n\r\n", b"GET /\xff HTTP/1.1\r\nHost: \xff\r\n\r\n", whole * 3)
    rng = random.Random(3)
    for sent in (*odd, *(whole[: rng.randrange(len(whole))] for _ in range(20))):
        await asyncio.to_thread(send_and_go, demo, sent)
    assert (await demo.ask("GET", "/readyz")).text == "ok"


def send_and_go(demo: Demo, sent: bytes) -> None:
    """Send over TLS and as plain text, and go away without reading."""
    address, _, port = host_of(demo).rpartition(":")
    for wrap in (True, False):
        with socket.create_connection((address, int(port)), timeout=30) as raw:
            held = demo.tls.wrap_socket(raw, server_hostname=address) if wrap else raw
            with held:
                held.sendall(sent)


async def test_pipelined_requests_are_answered_in_their_order(demo: Demo) -> None:
    head = f"HTTP/1.1\r\nHost: {host_of(demo)}\r\nAuthorization: Bearer {demo.token}\r\n\r\n"
    address, _, port = host_of(demo).rpartition(":")
    tls: ssl.SSLContext = demo.tls
    reader, writer = await asyncio.open_connection(address, int(port), ssl=tls)
    writer.write("".join(f"GET {MAPS}/none-{number} {head}" for number in range(20)).encode())
    found = []
    for _ in range(20):
        headers = await reader.readuntil(b"\r\n\r\n")
        size = int(headers.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        found.append(json.loads(await reader.readexactly(size))["details"]["name"])
    writer.close()
    assert found == [f"none-{number}" for number in range(20)]


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "^(.*,){11}b"])
def test_a_pattern_that_would_never_end_is_given_up(pattern: str) -> None:
    assert not matches(pattern, "a," * 30 + "a" * 40 + "!")


def test_formats_take_linear_time() -> None:
    assert not FORMATS["duration"]("1ns" * 100_000 + "!")
    assert not FORMATS["email"]("a@" + "." * 1_000_000 + " ")
    assert FORMATS["email"]("a@b.c")
