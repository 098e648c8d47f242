"""Runs of the benchmarks, for their smoke tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.support.program import run_program


def run_benchmark(name: str, *options: str, env: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Run ``python -m benchmarks.NAME --json OPTIONS``. Returns its lines by their names, in their order.

    Raises AssertionError with what it wrote where it fails.
    """
    done = run_program("-m", f"benchmarks.{name}", "--json", *options, env=env)
    assert done.returncode == 0, done.stderr
    return {line["name"]: line for line in json.loads(done.stdout)["lines"]}


def figures_of(name: str, *options: str, env: Mapping[str, str] | None = None) -> dict[str, dict[str, float]]:
    """The same without ratios: the figures of each line by their names."""
    return {line: found["figures"] for line, found in run_benchmark(name, *options, env=env).items()}
