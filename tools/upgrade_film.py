"""Film of an upgrade and of the way back, as a table: ``python -m tools.upgrade_film --from v0.1.0 --browsers 50``.

Starts a real API server, Redis, PostgreSQL, two workers and three web processes of the old version behind a proxy that
sends connections to those that are ready, opens pages in Chromium, makes 20 changes a second and an edit every two, and
replaces process by process by the files of this folder; then back again; then kills one process after the other.
Prints for each step how many pages did not say live and for how long. Ends with status 1 where a page was wrong while
it said live, one was not live for more than 5 s, or an edit was lost.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import ViewportSize, sync_playwright

from tests.support.browser.chromium import ARGUMENTS, chromium_path
from tests.support.controlplane import ControlPlane
from tests.support.e2e.random_changes import Changes
from tests.support.e2e.two_versions import Checkout, TwoVersions, last_version
from tests.support.e2e.upgrade_run import Film, open_pages, record
from tests.support.program import ROOT
from tests.support.skip_if_missing import controlplane_binaries

LONGEST = 5.0
"""Seconds for which a page may not be live."""
SIZE = ViewportSize(width=480, height=320)
"""Of pages: 50 of the usual size take two processors to draw."""
CRD = ROOT / "deploy" / "crd" / "mydemos.yaml"


def film(
    commit: str, *, browsers: int, rate: float, pods: int, pause: float, seed: int = 1
) -> Iterator[tuple[str, Film, TwoVersions]]:
    """Yield what was seen of the upgrade, of the way back, and of the processes that were killed."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="upgrade-")))
        old = Checkout(commit, folder)
        stack.callback(old.remove)
        controlplane = ControlPlane(folder / "controlplane", controlplane_binaries())
        stack.callback(controlplane.stop)
        controlplane.start()
        controlplane.apply_crd(CRD)
        changes = Changes(controlplane, controlplane.create_namespace("upgrade"), seed=seed)
        changes.fill(pods)
        versions = TwoVersions(controlplane, folder / "stack", old)
        stack.callback(versions.stop)
        versions.start()
        versions.prepare_edits(controlplane.create_namespace("edits"))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=ARGUMENTS)
        context = browser.new_context(reduced_motion="reduce", viewport=SIZE)
        pages = open_pages(versions, changes, context.new_page, browsers)
        parts = {"upgrade": versions.upgrade, "back": versions.downgrade, "again": versions.upgrade}
        for name, steps in {**parts, "killed": versions.kill_each}.items():
            yield name, record(versions, changes, pages, steps(), rate=rate, pause=pause), versions


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="commit", default=last_version(), help="the old version: a tag or commit")
    parser.add_argument("--browsers", type=int, default=50)
    parser.add_argument("--rate", type=float, default=20, help="changes a second")
    parser.add_argument("--pods", type=int, default=130)
    parser.add_argument("--pause", type=float, default=5, help="seconds after each step")
    arguments = parser.parse_args()
    good = True
    for part, seen, versions in film(
        arguments.commit, browsers=arguments.browsers, rate=arguments.rate, pods=arguments.pods, pause=arguments.pause
    ):
        print(f"{part}: {arguments.commit}, {arguments.browsers} pages, {arguments.rate:g} changes a second")
        print(f"| {'step':32} | seconds | pages stale | pages offline | longest, s |")
        print("| --- | ---: | ---: | ---: | ---: |")
        for name, seconds, stale, offline, longest in seen.rows():
            print(f"| {name:32} | {seconds:7.1f} | {stale:11} | {offline:13} | {longest:10.2f} |")
        verdict, edits = seen.verdict, versions.edits
        print(
            f"{verdict.states:,} states shown live, {len(verdict.lies)} wrong, {verdict.worst:.2f} s late at most; "
            f"edits so far: {edits.made} saved, {len(edits.refused)} refused, {len(edits.lost)} lost",
            flush=True,
        )
        for line in [*map(str, verdict.lies[:5]), *edits.lost, *edits.refused[:5]]:
            print(f"    {line}")
        longest = max((each.seconds for each in seen.silences), default=0.0)
        good = good and not verdict.lies and not edits.lost and longest <= LONGEST
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
