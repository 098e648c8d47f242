"""Benchmark of pages of logs: floods of lines to 50 pages, a search of 200 MB, and the first lines.

    python -m benchmarks.logs [--pages 50] [--rate 200000] [--streams 20] [--stream-rate 2000] [--seconds 30]
                              [--search-mb 200] [--rounds 5] [--settle 3] [--parts first search flood streams]

A real API server; the kubelet behind it is a program that makes lines to a schedule, each with a number
(benchmarks.support.scripted_kubelet). A worker and one web process as in production. The pages are sockets that count
lines and gaps, in another process, and Chromium, in which keys are pressed meanwhile. A search is compared with
``kubectl logs | rg`` of the same log, in turn. Everything runs on this machine.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from urllib.parse import quote

import aiohttp
from playwright.async_api import async_playwright

from benchmarks.support.chromium import ARGUMENTS, chromium, heap_and_nodes, new_window, open_live
from benchmarks.support.dashboard_processes import Running, ready_dashboard
from benchmarks.support.input_latency import measure_inputs
from benchmarks.support.latency_figures import latency_figures
from benchmarks.support.logging_cluster import NAMESPACE, LoggingCluster, logging_cluster
from benchmarks.support.process_usage import core_seconds, resident_mb
from benchmarks.support.result_table import Line, main
from benchmarks.support.websocket_follower_process import collect_followers, followers
from tests.support.kubectl import kubectl_binary

CORE_LIMIT, INPUT_LIMIT, FIRST_LIMIT, SEARCH_LIMIT, GROWTH_LIMIT = 0.6, 100.0, 300.0, 3.0, 16.0
"""Of a core; milliseconds; milliseconds; of kubectl's time; MB in the second half of a flood."""
LINE_BYTES = 125
"""About as long as a line is, with its time."""
BEGUN_LINES = 20
"""Lines of a log that is going to grow."""
SHORT_LINES = 1_000
"""Lines of a log whose first lines are awaited."""
WARM_UP_SECONDS = 5.0
SETTLE_SECONDS = 3.0
"""Seconds in which all begins to flow."""
SAMPLE_SECONDS = 0.25
COLD_LOADS = 5
"""Loads in Chromium, each of another log."""
_DRAWN = """
const look = () => requestAnimationFrame(() => {
  if (!document.querySelector("#log .log-line")) look();
  else setTimeout(() => { window.linesDrawn = performance.now(); });
});
look();
"""
_ALL_READ = "all that the kubelets keep"
_FOUND = re.compile(r"([\d,]+) lines? match")


def logs_path(pod: str, filter_text: str = "") -> str:
    return f"/resources/pods/{NAMESPACE}/{pod}/logs/{f'?q={quote(filter_text)}' if filter_text else ''}"


def verdict(**kept: bool) -> dict[str, str]:
    """The column that says whether the limits are kept."""
    missed = [name.replace("_", " ") for name, is_kept in kept.items() if not is_kept]
    return {"limits": f"not kept: {', '.join(missed)}" if missed else "kept"}


# --- first lines ---


async def first_line_time(session: aiohttp.ClientSession, url: str, path: str) -> float:
    """Milliseconds from the request of a page until its first line is there: with it, or by its socket."""
    began = time.perf_counter()
    async with session.get(url + path) as answer:
        body = await answer.read()
        if answer.status != 200:
            sys.exit(f"{path}: {answer.status}")
    if b'class="log-line' not in body:
        await message_with(session, url, path, lambda text: '"log":{' in text and '"entries":[[' in text)
    return (time.perf_counter() - began) * 1e3


async def message_with(session: aiohttp.ClientSession, url: str, path: str, is_wanted: Callable[[str], bool]) -> str:
    """The first message of a page's socket that is wanted."""
    address = f"{url.replace('http', 'ws', 1)}/live/"
    async with session.ws_connect(address, params={"path": path}, origin=url, max_msg_size=0) as socket:
        async for message in socket:
            text = gzip.decompress(message.data).decode() if isinstance(message.data, bytes) else str(message.data)
            if is_wanted(text):
                return text
    raise SystemExit(f"{path}: the socket ended")


async def cold_line_times(url: str, pods: Sequence[str]) -> list[float]:
    """Milliseconds from navigation until Chromium has drawn the first line, nothing cached."""
    drawn = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        for pod in pods:
            page = await new_window(browser)
            await page.add_init_script(_DRAWN)
            await open_live(page, url + logs_path(pod))
            await page.wait_for_selector("#log .log-line")
            drawn.append(float(await page.evaluate("window.linesDrawn")))
            await page.context.close()
        await browser.close()
    return drawn


async def measure_first_lines(running: Running, pods: Sequence[str]) -> list[Line]:
    by_request, by_browser = pods[COLD_LOADS:], pods[:COLD_LOADS]
    async with aiohttp.ClientSession() as session:
        await first_line_time(session, running.url, logs_path(by_request[0]))
        times = [await first_line_time(session, running.url, logs_path(pod)) for pod in by_request[1:]]
    drawn = await cold_line_times(running.url, by_browser)
    return [
        Line("first lines of a page", latency_figures(times), verdict(first_lines=max(times) <= FIRST_LIMIT)),
        Line("first lines drawn in Chromium, cold", latency_figures(drawn)),
    ]


# --- search ---


async def search_time(url: str, filter_text: str) -> tuple[float, int]:
    """Seconds from the request of a page until it says that all is searched, and the lines that it has found."""
    path = logs_path("big-0", filter_text)
    began = time.perf_counter()
    async with aiohttp.ClientSession() as session:
        async with session.get(url + path) as answer:
            text = await answer.text()
        if _ALL_READ not in text:
            text = await message_with(session, url, path, lambda message: _ALL_READ in message)
    seconds = time.perf_counter() - began
    found = _FOUND.search(text)
    return seconds, int(found[1].replace(",", "")) if found else 0


def searcher() -> tuple[str, ...]:
    """ripgrep, or grep where it is not installed."""
    return ("rg", "-N") if shutil.which("rg") else ("grep", "-E")


def kubectl_time(kubeconfig: Path, pattern: Sequence[str], *, timestamps: bool = False) -> tuple[float, int]:
    """Seconds that ``kubectl logs | rg`` takes, and the lines that it prints."""
    logs = [kubectl_binary() or sys.exit("this benchmark needs kubectl"), "logs", "-n", NAMESPACE, "big-0"]
    began = time.perf_counter()
    with subprocess.Popen(
        [*logs, *(("--timestamps",) if timestamps else ())],
        stdout=subprocess.PIPE,
        env={**os.environ, "KUBECONFIG": str(kubeconfig)},
    ) as kubectl:
        done = subprocess.run([*searcher(), *pattern], stdin=kubectl.stdout, capture_output=True, check=False)
    if kubectl.returncode:
        sys.exit("kubectl failed")
    return time.perf_counter() - began, done.stdout.count(b"\n")


SEARCHES: Sequence[tuple[str, Callable[[int], str], Callable[[int], tuple[str, ...]]]] = (
    ("a text", lambda each: f"needle-{each}", lambda each: ("-i", f"needle-{each}")),
    (
        "an expression",
        lambda each: f"/needle-{each} [a-z]+ time.?out [0-9]+/",
        lambda each: (f"needle-{each} [a-z]+ time.?out [0-9]+",),
    ),
    (
        "a severity",
        lambda each: f"severity>=error -needle-{each}",
        lambda _: ("ERROR",),
    ),
)
"""Name, filter of the page, and arguments of the peer, of a round: each round looks for another word, as somebody does
who searches for the first time."""


def measure_search(running: Running, cluster: LoggingCluster, arguments: argparse.Namespace) -> list[Line]:
    kubeconfig, tool = cluster.cluster.kubeconfig, searcher()[0]
    kubectl_time(kubeconfig, ("nothing",))  # the kubelet prepares the log without times
    lines = []
    for name, filter_of, pattern_of in SEARCHES:
        pages, plain, with_times = [], [], []
        before = resident_mb(web_pid(running))
        for each in range(arguments.rounds):
            pages.append(asyncio.run(search_time(running.url, filter_of(each))))
            plain.append(kubectl_time(kubeconfig, pattern_of(each)))
            with_times.append(kubectl_time(kubeconfig, pattern_of(each), timestamps=True))
        if [found for _, found in pages] != [found for _, found in plain]:
            sys.exit(f"{name}: the page found {pages}, {tool} {plain}")
        times = [median(seconds for seconds, _ in each) for each in (pages, plain, with_times)]
        size = f"{arguments.search_mb:,} MB"
        lines += [
            Line(
                f"{size}, {name}: page",
                {"median, s": times[0], "worst, s": max(pages)[0], "lines": pages[0][1],
                 "MB more": resident_mb(web_pid(running)) - before},
                {"kubectl logs": f"× {times[0] / times[1]:.2f}", "with --timestamps": f"× {times[0] / times[2]:.2f}",
                 **verdict(search=times[0] <= SEARCH_LIMIT * times[1])},
            ),
            Line(
                f"{size}, {name}: kubectl logs, {tool}",
                {"median, s": times[1], "worst, s": max(plain)[0], "lines": plain[0][1]},
            ),
            Line(
                f"{size}, {name}: kubectl logs --timestamps, {tool}",
                {"median, s": times[2], "worst, s": max(with_times)[0], "lines": with_times[0][1]},
            ),
        ]  # fmt: skip
    return lines


# --- floods ---


def web_pid(running: Running) -> int:
    process = running.programs["web"].process
    if process is None:
        raise SystemExit("the web process does not run")
    return process.pid


async def sample_web(pid: int, seconds: float) -> tuple[float, list[float]]:
    """Processor time of the web process, in cores, and its memory again and again, in MB."""
    before, began = core_seconds(pid), time.monotonic()
    memory = []
    while time.monotonic() - began < seconds:
        await asyncio.sleep(SAMPLE_SECONDS)
        memory.append(resident_mb(pid))
    return (core_seconds(pid) - before) / (time.monotonic() - began), memory


async def beside_browser(running: Running, path: str, arguments: argparse.Namespace) -> dict[str, float]:
    """Figures of the web process and of a page in Chromium, while logs grow."""
    pid, seconds = web_pid(running), arguments.seconds
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        page = await browser.new_page(viewport={"width": 1440, "height": 900})
        session = await page.context.new_cdp_session(page)
        await session.send("Performance.enable")
        await open_live(page, running.url + path)
        await page.locator("#log").focus()
        await asyncio.sleep(WARM_UP_SECONDS)
        inputs = asyncio.create_task(measure_inputs(page, seconds, ("ArrowLeft", "PageUp", "End")))
        cores, memory = await sample_web(pid, seconds)
        late = await inputs
        heap, _ = await heap_and_nodes(session)
        await browser.close()
    quarter = max(1, len(memory) // 4)
    return {
        "of a core": cores,
        "MB": max(memory),
        "MB more in the second half": median(memory[-quarter:]) - median(memory[quarter : 2 * quarter]),
        "input p50, ms": median(late),
        "input p99, ms": quantiles(late, n=100, method="inclusive")[98],
        "input worst, ms": max(late),
        "page's heap, MB": heap,
    }


def flood(
    running: Running, cluster: LoggingCluster, arguments: argparse.Namespace, pods: list[str], rate: float, path: str
) -> Line:
    with followers(running.url, arguments.pages, [path], module="log_page_follower") as process:
        time.sleep(SETTLE_SECONDS)
        began = time.monotonic()
        cluster.flow(rate, pods)
        figures = asyncio.run(beside_browser(running, path, arguments))
        counts = cluster.stop()
        took = time.monotonic() - began
        time.sleep(arguments.settle)
        pages = collect_followers(process)
    written = sum(counts[pod] for pod in pods)
    lost = [written - (page["next"] - sum(page["marks"].values())) for page in pages]
    delays = [1e3 * delay for page in pages for delay in page["delays"]]
    wrong = sum(max(0, each) for each in lost) + sum(page["jumps"] + page["repeated"] for page in pages)
    named = f"{rate:,.0f} lines a second" if len(pods) == 1 else f"{len(pods)} × {rate:,.0f} lines a second"
    return Line(
        f"{named} to {len(pages)} pages",
        {
            "lines a second": (written - BEGUN_LINES * len(pods)) / took,
            "lost without a mark": wrong,
            "shown, %": 100 * sum(page["lines"] for page in pages) / (written * len(pages)),
            "in gaps, %": 100 * sum(page["skipped"] for page in pages) / (written * len(pages)),
            "other marks": sum(sum(page["marks"].values()) for page in pages),
            "age of the newest line p50, ms": median(delays),
            "p99, ms": quantiles(delays, n=100, method="inclusive")[98],
            "sockets that ended": sum(bool(page["ended"]) for page in pages),
            "windows anew": sum(page["windows"] - 1 for page in pages),
            **figures,
        },
        verdict(
            lost=not wrong,
            of_a_core=figures["of a core"] <= CORE_LIMIT,
            input=figures["input p99, ms"] <= INPUT_LIMIT,
            memory=figures["MB more in the second half"] <= GROWTH_LIMIT,
        ),
    )


def measure(arguments: argparse.Namespace) -> list[Line]:
    short = [f"short-{number}" for number in range(COLD_LOADS + 1 + arguments.requests)]
    streams = [f"shop-{number}" for number in range(arguments.streams)]
    sizes = dict.fromkeys(short, SHORT_LINES) | dict.fromkeys(["flood-0", *streams], BEGUN_LINES)
    sizes["big-0"] = arguments.search_mb * 10**6 // LINE_BYTES if "search" in arguments.parts else BEGUN_LINES
    lines: list[Line] = []
    with logging_cluster(sizes) as cluster, ready_dashboard(cluster.cluster.kubeconfig, split=True) as running:
        cluster.create_deployment("shop")
        time.sleep(SETTLE_SECONDS)
        print(f"load: {Path('/proc/loadavg').read_text().strip()}", file=sys.stderr)
        if "first" in arguments.parts:
            lines += asyncio.run(measure_first_lines(running, short))
        if "search" in arguments.parts:
            lines += measure_search(running, cluster, arguments)
        if "flood" in arguments.parts:
            lines.append(flood(running, cluster, arguments, ["flood-0"], arguments.rate, logs_path("flood-0")))
        if "streams" in arguments.parts:
            path = f"/resources/deployments.apps/{NAMESPACE}/shop/logs/"
            lines.append(flood(running, cluster, arguments, streams, arguments.stream_rate, path))
        print(f"load: {Path('/proc/loadavg').read_text().strip()}", file=sys.stderr)
    return lines


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=50, help="pages beside the one in Chromium")
    parser.add_argument("--rate", type=float, default=200_000, help="lines a second of one log")
    parser.add_argument("--streams", type=int, default=20, help="logs of the pods of one Deployment")
    parser.add_argument("--stream-rate", type=float, default=2_000, help="lines a second of each of these")
    parser.add_argument("--seconds", type=float, default=30, help="for which a flood is measured")
    parser.add_argument(
        "--settle", type=float, default=3, help="seconds in which the last lines may come; more on a busy machine"
    )
    parser.add_argument("--search-mb", type=int, default=200, help="size of the log that is searched")
    parser.add_argument("--rounds", type=int, default=5, help="searches of each kind, 10 at most")
    parser.add_argument("--requests", type=int, default=30, help="pages whose first lines are awaited")
    parts = ("first", "search", "flood", "streams")
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts, help="what is measured")
    return parser


if __name__ == "__main__":
    main("Logs", measure, _parser())
