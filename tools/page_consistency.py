"""Check of open pages against the API server while it changes: ``python -m tools.page_consistency --seconds 120``.

Starts a real API server, Redis, a worker and two web processes, opens five pages in Chromium, makes 20 changes a second
and compares each state that a page showed while it was live with the states that the API server has had. Prints a line
a page; ends with status 1 where one was wrong. Needs the same programs as the end-to-end tests.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.e2e.conftest import CRD
from tests.support.browser.chromium import ARGUMENTS, chromium_path
from tests.support.controlplane import ControlPlane
from tests.support.e2e.consistency_run import change_and_watch, open_pages, verdicts
from tests.support.e2e.page_recording_check import LATE, Verdict
from tests.support.e2e.production_stack import ProductionStack
from tests.support.e2e.random_changes import Changes
from tests.support.skip_if_missing import controlplane_binaries


def compare_pages(seconds: float, rate: float, pods: int, seed: int) -> tuple[Changes, list[tuple[str, Verdict]]]:
    """Run the check for that many seconds; returns the number of changes and each page's verdict."""
    with tempfile.TemporaryDirectory(prefix="page-consistency-") as folder:
        controlplane = ControlPlane(Path(folder) / "controlplane", controlplane_binaries())
        stack = ProductionStack(controlplane, Path(folder) / "stack")
        try:
            controlplane.start()
            controlplane.apply_crd(CRD)
            stack.start()
            changes = Changes(controlplane, controlplane.create_namespace("page-consistency"), seed=seed)
            changes.fill(pods)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium_path(), args=ARGUMENTS)
                pages = open_pages(stack, changes, browser.new_context().new_page)
                change_and_watch(pages, changes, seconds=seconds, rate=rate)
                return changes, list(verdicts(pages, changes))
        finally:
            stack.stop()
            controlplane.stop()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--rate", type=float, default=20, help="changes a second")
    parser.add_argument("--pods", type=int, default=130)
    parser.add_argument("--seed", type=int, default=1, help="of the changes")
    arguments = parser.parse_args()
    changes, found = compare_pages(arguments.seconds, arguments.rate, arguments.pods, arguments.seed)
    made = sum(map(len, changes.history.steps.values()))
    print(f"{made:,} changes; a page may be {LATE} s late")
    for name, verdict in found:
        print(
            f"{name}: {verdict.states:,} states in {verdict.live:.0f} s live, {verdict.worst:.2f} s late at most, "
            f"{len(verdict.lies)} times wrong"
        )
        for lie in verdict.lies[:5]:
            print(f"    {lie}")
    return 1 if any(verdict.lies for _, verdict in found) else 0


if __name__ == "__main__":
    sys.exit(main())
