"""Runner of helm in tests: against a kubeconfig, in a namespace, with nothing kept outside of a folder."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

from tests.support.skip_if_missing import missing
from tools.chart_files import CHART, Json, helm_program, rendered

VALUE_SETS = {path.name.removesuffix("-values.yaml"): path for path in sorted((CHART / "ci").glob("*-values.yaml"))}
"""Values with which the chart is tested, by name."""


def helm_or_skip() -> str:
    """The program helm, or a skip that says what is missing."""
    return helm_program() or missing("helm", "set HELM to its path (.ci/run fetches it)")


@cache
def render(values: str, *options: str) -> list[Json]:
    """The objects of a release of the chart's name with one of VALUE_SETS, which nobody may change."""
    return rendered(helm_or_skip(), "--values", str(VALUE_SETS[values]), *options)


class Helm:
    """helm with the chart, for one namespace."""

    def __init__(self, home: Path, *, kubeconfig: Path | None = None, namespace: str = "deltaboard") -> None:
        self._program = helm_or_skip()
        self._namespace = namespace
        self._env = {**os.environ, "HOME": str(home), "KUBECONFIG": str(kubeconfig or home / "none")}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The end of a command, whatever its exit code."""
        command = [self._program, *arguments, "--namespace", self._namespace]
        return subprocess.run(command, env=self._env, capture_output=True, text=True, timeout=120, check=False)

    def __call__(self, *arguments: str) -> str:
        """What a command prints; AssertionError with what it says where it fails."""
        done = self.run(*arguments)
        assert done.returncode == 0, f"helm {' '.join(arguments)}: {done.stdout}{done.stderr}"
        return done.stdout
