"""Tests of past usage from a real Prometheus, and of what is said of one that fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import pytest
from aiohttp import web

from dashboard.live.usage.older_usage import KNOWN_SECONDS, PROBLEM_SECONDS, OlderUsage
from dashboard.live.usage.prometheus import MAX_PODS, STEP, Prometheus, PrometheusProblem, selector_of
from dashboard.objects.kinds.row import Row
from dashboard.objects.usage.past_usage import Sample
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import pod
from tests.support.prometheus_server import prometheus_server

END = float(int(time.time()) // STEP * STEP)
BEGIN = END - 6 * 3600
USED = {
    ("shop", "web-1"): (0.25, 100e6),
    ("shop", "web-2"): (0.5, 200e6),
    ("shop", "db.x"): (1.0, 1e9),
    ("other", "web-1"): (4.0, 8e9),
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with prometheus_server(tmp_path_factory.mktemp("prometheus"), USED, BEGIN, END) as found:
        yield found


@pytest.mark.program
@pytest.mark.parametrize(
    ("kind", "key", "pods", "cores", "size"),
    [
        ("pods", "shop/web-1", (), 0.25, 100e6),
        ("namespaces", "shop", (), 1.75, 1.3e9),
        ("deployments.apps", "shop/web", ("web-1", "web-2"), 0.75, 300e6),
        ("statefulsets.apps", "shop/db", ("db.x",), 1.0, 1e9),
    ],
)
async def test_the_past_of_an_object_is_that_of_its_containers_alone(
    address: str, kind: str, key: str, pods: tuple[str, ...], cores: float, size: float
) -> None:
    samples = await Prometheus(address).samples(selector_of(kind, key, pods), BEGIN + 3 * STEP, END)
    assert [sample.at for sample in samples] == [BEGIN + number * STEP for number in range(3, 36)]
    assert {sample.seconds for sample in samples} == {STEP}
    assert all(sample.cpu == pytest.approx(cores, rel=0.01) for sample in samples)
    assert all(sample.memory == pytest.approx(size, rel=1e-6) for sample in samples)


@pytest.mark.program
async def test_what_it_does_not_know_is_nothing_and_a_question_it_refuses_is_told_in_its_words(address: str) -> None:
    prometheus = Prometheus(address)
    assert await prometheus.samples(selector_of("pods", "shop/none"), BEGIN, END) == []
    assert await prometheus.samples(selector_of("pods", "shop/web-1"), END - 10, END) == []
    with pytest.raises(PrometheusProblem, match=r"refuses the question: .*parse error"):
        await prometheus.samples("{", BEGIN, END)


@pytest.mark.program
async def test_the_past_is_kept_for_a_while_and_begins_with_the_object(address: str) -> None:
    clock = FakeClock()
    clock.jump(END - clock.time())
    created = END - 2 * 3600
    rows: dict[str, Row] = {"a": pod("web-1", namespace="shop", created=created)}
    older = OlderUsage(Prometheus(address), clock, lambda: {"pods": rows})
    assert (older.known("pods", "shop/web-1"), older.must_ask("pods", "shop/web-1")) == (((), ""), True)
    await older.read("pods", "shop/web-1")
    samples, problem = older.known("pods", "shop/web-1")
    assert (samples[0].at, len(samples), problem) == (created, 12, "")
    assert not older.must_ask("pods", "shop/web-1")
    clock.skip(KNOWN_SECONDS)
    assert older.must_ask("pods", "shop/web-1")


async def answered(status: int, body: str, token: str = "", headers: dict[str, str] | None = None) -> str:
    """What is said of a server that answers so."""
    asked: list[str | None] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.headers.get("Authorization"))
        return web.Response(status=status, text=body, headers=headers)

    application = web.Application()
    application.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    (bound,) = runner.addresses
    address = f"http://127.0.0.1:{bound[1]}"
    try:
        await Prometheus(address, token).samples(selector_of("pods", "shop/web"), 0.0, 86_400.0)
    except PrometheusProblem as error:
        assert set(asked) == {f"Bearer {token}" if token else None}
        return str(error).replace(address, "http://p")
    finally:
        await runner.cleanup()
    raise AssertionError("nothing was wrong with it")


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, "", "Prometheus at http://p answers 401. It wants a token: set DELTABOARD_PROMETHEUS_TOKEN."),
        (404, "no page", "Prometheus at http://p is no Prometheus: it answers 404 at /api/v1/query_range."),
        (302, "", "Prometheus at http://p is no Prometheus: it answers 302 at /api/v1/query_range."),
        (200, "<html>", "Prometheus at http://p is no Prometheus: it answers 200 at /api/v1/query_range."),
        (200, "[]", "Prometheus at http://p is no Prometheus: it answers 200 at /api/v1/query_range."),
        (
            200,
            '{"data": {"result": [{"values": 1}]}}',
            "Prometheus at http://p answers what Deltaboard does not understand.",
        ),
        (200, " " * 3_000_000, "Prometheus at http://p answers more than 2 MiB."),
        (503, '{"error": "too busy"}', "Prometheus at http://p refuses the question: too busy."),
    ],
)
async def test_what_failed_is_said_exactly(status: int, body: str, words: str) -> None:
    assert await answered(status, body, headers={"Location": "/elsewhere"}) == words


async def test_a_token_is_sent_and_told_where_it_is_refused() -> None:
    assert (await answered(403, "", "secret")).endswith(
        "answers 403. Its token (DELTABOARD_PROMETHEUS_TOKEN) is refused."
    )


async def test_one_that_is_away_is_told_and_asked_again_after_a_while() -> None:
    clock = FakeClock()
    older = OlderUsage(Prometheus("http://127.0.0.1:1"), clock, dict)
    await older.read("pods", "shop/web")
    samples, problem = older.known("pods", "shop/web")
    assert samples == ()
    assert problem.startswith("Prometheus at http://127.0.0.1:1 cannot be reached: ")
    assert not older.must_ask("pods", "shop/web")
    clock.skip(PROBLEM_SECONDS)
    assert older.must_ask("pods", "shop/web")


async def test_an_answer_in_pieces_is_read_to_its_end() -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for piece in ('{"data": {"result": [{"values"', ': [[1200, "2"], [1800, "', 'NaN"]]}]}}'):
            await response.write(piece.encode())
            await asyncio.sleep(0.02)
        return response

    application = web.Application()
    application.router.add_post("/api/v1/query_range", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    (bound,) = runner.addresses
    try:
        samples = await Prometheus(f"http://127.0.0.1:{bound[1]}").samples("{}", 0.0, 86_400.0)
    finally:
        await runner.cleanup()
    assert samples == [Sample(600.0, STEP, 2.0, 2.0)]


@pytest.mark.program
async def test_a_node_of_which_it_has_no_series_is_told(address: str) -> None:
    older = OlderUsage(Prometheus(address), FakeClock(), dict)
    await older.read("nodes", "n-1")
    assert "has no series of this node" in older.known("nodes", "n-1")[1]


def test_names_are_quoted_and_many_pods_are_not_asked_for() -> None:
    assert selector_of("pods", 'shop/a"b\\') == '{container!="",namespace="shop",pod="a\\"b\\\\"}'
    assert selector_of("nodes", "n-1") == '{id="/",node="n-1"}'
    assert selector_of("jobs.batch", "shop/job", ("b.c", "a")) == '{container!="",namespace="shop",pod=~"a|b\\\\.c"}'
    assert selector_of("jobs.batch", "shop/job") == ""
    assert selector_of("jobs.batch", "shop/job", ["x"] * (MAX_PODS + 1)) == ""
