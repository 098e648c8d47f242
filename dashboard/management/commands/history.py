"""Command ``manage.py history``: shows what history takes, writes it anew without free space, and verifies it."""

from __future__ import annotations

from argparse import ArgumentParser
from collections import defaultdict
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand

from dashboard.live.history.part import HistoryUnavailable, Part
from dashboard.live.history.retention import DAY
from dashboard.live.history.sizes import sizes_of
from dashboard.live.history.verify import verify_part
from dashboard.management.exit_message import exit_with_message
from dashboard.server.wiring.history import build_parts

MIB = 2**20


class Command(BaseCommand):
    requires_system_checks: list[str] = []  # it has no pages
    help = "Show the size of the history, compact it, or verify it (docs/history.md)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        commands = parser.add_subparsers(dest="command", required=True, metavar="{sizes,compact,verify}")
        commands.add_parser("sizes", help="bytes and changes of each kind on each day")
        commands.add_parser("compact", help="write all parts but the newest anew, without their free space")
        commands.add_parser("verify", help="read every version; exit with 0 where all are sound, else with 1")

    def handle(self, *_: Any, command: str, **__: Any) -> None:
        self.parts = build_parts(read_seconds=0)
        try:
            sizes = self.parts.sizes()
            if not sizes:
                self.stdout.write("The history is empty.")
                return
            {"sizes": self._sizes, "compact": self._compact, "verify": self._verify}[command](sizes)
        except HistoryUnavailable as error:
            exit_with_message(self.stderr, f"The history cannot be read: {error}", code=2)
        finally:
            self.parts.close()

    def _sizes(self, sizes: dict[Part, int]) -> None:
        totals: dict[tuple[str, int, str], list[int]] = defaultdict(lambda: [0, 0, 0])
        for part, total in sorted(sizes.items()):
            for each in sizes_of(self.parts, part, total):
                row = totals[part.cluster, each.day, each.kind]
                row[0] += each.versions - each.begun_with
                row[1] += each.begun_with
                row[2] += each.bytes
        self.stdout.write(
            f"{'cluster':<40} {'day':<10} {'kind':<40} {'changes':>10} {'at begin':>9} {'MiB':>8} {'B each':>7}"
        )
        for (cluster, day, kind), (changes, begun_with, size) in sorted(totals.items()):
            date = datetime.fromtimestamp(day * DAY / 1e6, UTC).date()
            average = size / max(1, changes + begun_with)
            line = f"{cluster:<40} {date} {kind:<40} {changes:>10,} {begun_with:>9,} {size / MIB:>8.1f} {average:>7.0f}"
            self.stdout.write(line)
        self.stdout.write(f"{len(sizes)} parts take {sum(sizes.values()) / MIB:,.1f} MiB.")

    def _compact(self, sizes: dict[Part, int]) -> None:
        newest = {part.cluster: part for part in sorted(sizes)}
        problems: list[str] = []
        for part in sorted(sizes):
            if part == newest[part.cluster]:
                continue
            try:
                self.parts.compact(part)
            except HistoryUnavailable as error:
                problems.append(f"Part {part.id} of {part.cluster} stays as it is: {error}.")
        after = self.parts.sizes()
        before_mib, after_mib = sum(sizes.values()) / MIB, sum(after.values()) / MIB
        self.stdout.write(f"{len(sizes)} parts took {before_mib:,.1f} MiB and take {after_mib:,.1f} MiB now.")
        if problems:
            exit_with_message(self.stderr, "\n".join(problems))

    def _verify(self, sizes: dict[Part, int]) -> None:
        versions = objects = 0
        problems: list[str] = []
        for part in sorted(sizes):
            report = verify_part(self.parts, part)
            versions, objects = versions + report.versions, objects + report.objects
            begin = datetime.fromtimestamp(part.begin / 1e6, UTC)
            problems += [
                f"Part {part.id} of {part.cluster}, from {begin:%Y-%m-%d %H:%M:%S}: {each}" for each in report.problems
            ]
        if problems:
            exit_with_message(self.stderr, "\n".join(problems))
        self.stdout.write(
            f"{versions:,} versions of {objects:,} objects in {len(sizes)} parts are as they were written."
        )
