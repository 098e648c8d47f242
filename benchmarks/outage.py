"""Benchmark of the time until an open page says that the API server is gone, and until it is right again.

A real API server is killed, or stopped with SIGSTOP, under a worker, Redis and web processes with a page open in
Chromium. Stale is shown so long after that. When the API server says that it is ready again, a pod that the page shows
is deleted at once and another one created; healed is so long after it was ready: the page says live and shows what
there is, without a reload. Needs what the end-to-end tests need.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import sync_playwright

from benchmarks.support.result_table import Line, main
from tests.e2e.conftest import CRD
from tests.support.browser.chromium import ARGUMENTS, chromium_path
from tests.support.controlplane import ControlPlane
from tests.support.e2e.expected_page_content import all_pods
from tests.support.e2e.page_recording import Shot
from tests.support.e2e.production_stack import ProductionStack
from tests.support.e2e.random_changes import PODS, Changes
from tests.support.e2e.recorded_open_page import RecordedPage
from tests.support.skip_if_missing import controlplane_binaries

FAULTS = {"killed": "API server killed", "stopped": "API server stopped (SIGSTOP)"}


@dataclass(frozen=True)
class Outage:
    """Effect of one outage on a page, in seconds."""

    stale_after: float
    healed_after: float
    false_live_count: int


@contextmanager
def open_page(pods: int) -> Iterator[tuple[ControlPlane, Changes, RecordedPage]]:
    """Everything there is, with one page open."""
    with tempfile.TemporaryDirectory(prefix="outage-") as folder:
        controlplane = ControlPlane(Path(folder) / "controlplane", controlplane_binaries())
        stack = ProductionStack(controlplane, Path(folder) / "stack")
        try:
            controlplane.start()
            controlplane.apply_crd(CRD)
            stack.start()
            changes = Changes(controlplane, controlplane.create_namespace("outage"))
            changes.fill(pods)
            path, subject = all_pods(changes.namespace)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium_path(), args=ARGUMENTS)
                yield controlplane, changes, RecordedPage(browser.new_page(), stack.webs[0].url + path, subject)
        finally:
            stack.stop()
            controlplane.stop()


def measure_outage(fault: str, controlplane: ControlPlane, changes: Changes, page: RecordedPage) -> Outage:
    """Bring one about, and wait until all is well again."""
    page.agree(changes.history)
    struck = time.time()
    controlplane.kill() if fault == "killed" else controlplane.pause()
    page.be("stale")
    controlplane.launch_apiserver() if fault == "killed" else controlplane.resume()
    controlplane.wait_until_ready()
    ready = time.time()
    changes.delete(PODS, min(changes.history.now(PODS)))
    changes.create(PODS, f"pod-{time.time_ns()}")
    page.agree(changes.history)
    lies = page.judge(changes.history).lies
    for lie in lies:
        print(lie, file=sys.stderr)
    now = page.subjects[0].of(changes.history.now(PODS))
    shots = [shot for shot in page.recording.shots() if shot.at > struck]
    healed = next(shot for shot in shots if shot.at > ready and is_right(shot, now))
    stale = next(shot for shot in shots if shot.state == "stale")
    return Outage(stale.at - struck, healed.at - ready, len(lies))


def is_right(shot: Shot, now: object) -> bool:
    """Whether the page said live and showed that."""
    return shot.state == "live" and bool(shot.parts["list"] == now)


def measure(arguments: argparse.Namespace) -> list[Line]:
    """A line for each fault: the median of all rounds, and the worst of them."""
    lines = []
    with open_page(arguments.pods) as parts:
        for fault in arguments.faults:
            rounds = [measure_outage(fault, *parts) for _ in range(arguments.rounds)]
            stale, healed = [each.stale_after for each in rounds], [each.healed_after for each in rounds]
            figures = {
                "stale shown after, s": statistics.median(stale),
                "at worst, s": max(stale),
                "healed after it is ready, s": statistics.median(healed),
                "at the worst, s": max(healed),
                "moments at which it was wrong and said live": rounds[-1].false_live_count,
            }
            lines.append(Line(f"{FAULTS[fault]}, {arguments.rounds} times", figures))
    return lines


def parser() -> argparse.ArgumentParser:
    parsed = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parsed.add_argument("--rounds", type=int, default=5, help="outages of each sort")
    parsed.add_argument("--pods", type=int, default=60)
    parsed.add_argument("--faults", nargs="+", choices=FAULTS, default=list(FAULTS))
    return parsed


if __name__ == "__main__":
    main("An outage of the API server, as an open page tells it", measure, parser())
