"""Command ``manage.py doctor``: says what works."""

from __future__ import annotations

import asyncio
import json
import textwrap
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from dashboard.management.doctor import Finding, examine
from dashboard.runtime.invisible_characters import escape_to_one_line

WIDTH = 100
"""Columns of the terminal that are used."""


class Command(BaseCommand):
    requires_system_checks: list[str] = []  # it is one
    help = "Say what works: cluster, rights, metrics API, database, history and Redis. Exits with 1 where one fails."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--context", default="", help="context of the kubeconfig (default: its current context)")
        parser.add_argument("--json", action="store_true", help="print a JSON list, for programs")

    def handle(self, *_: Any, context: str, **options: Any) -> None:
        findings = asyncio.run(self._examine(context, quiet=options["json"]))
        if options["json"]:
            self.stdout.write(json.dumps([asdict(finding) for finding in findings], indent=2))
        if any(finding.verdict == "fails" for finding in findings):
            raise SystemExit(1)

    async def _examine(self, context: str, *, quiet: bool) -> list[Finding]:
        findings = []
        async for finding in examine(context):
            findings.append(finding)
            if not quiet:
                self._write(finding)
        return findings

    def _write(self, finding: Finding) -> None:
        begin = f"{finding.verdict:<8}{finding.about:<10}"
        text = textwrap.fill(
            escape_to_one_line(finding.sentence),
            WIDTH,
            initial_indent=begin,
            subsequent_indent=" " * len(begin),
            break_long_words=False,
            break_on_hyphens=False,
        )
        style = {"works": self.style.SUCCESS, "limited": self.style.WARNING, "fails": self.style.ERROR}[finding.verdict]
        self.stdout.write(text.replace(finding.verdict, style(finding.verdict), 1))
        self.stdout.flush()
