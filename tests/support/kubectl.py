"""Runner of kubectl in tests: against a kubeconfig, in a namespace, with the output made comparable."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_CHANGING = (
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UID"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| \+0000|[+-]\d\d:\d\d)", "TIME"),
    (r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000", "TIME"),
    (r'("?resourceVersion"?: )"\d+"', r'\1"N"'),
    (r"(Resource Version: +)\d+", r"\1N"),
    (r"(?<=\s)\d+[smhd](\d+[smh])?(?=\s)", "AGE"),
    (r"/tmp/\S+", "FILE"),
    (r"https://127\.0\.0\.1:\d+", "SERVER"),
    (r" {2,}(?=\S)|-{2,}", "  "),
    (r"[ \t]+$", ""),
)  # fmt: skip
"""What differs between two servers or two moments, and what then stands for it."""


def kubectl_binary() -> str | None:
    """The newest kubectl at hand: of KUBEBUILDER_ASSETS, else of PATH."""
    assets = os.environ.get("KUBEBUILDER_ASSETS", "")
    return shutil.which("kubectl", path=os.pathsep.join(filter(None, (assets, os.environ.get("PATH", "")))))


def objects_in(printed: str) -> Iterator[dict[str, Any]]:
    """The objects that kubectl printed one after the other as JSON."""
    decoder = json.JSONDecoder()
    while printed := printed.strip():
        found, end = decoder.raw_decode(printed)
        yield found
        printed = printed[end:]


def collection_path(made: dict[str, Any]) -> str:
    """Where an object of a kind with a regular plural is created."""
    version, namespace = made["apiVersion"], made["metadata"].get("namespace")
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    return f"{root}/{f'namespaces/{namespace}/' if namespace else ''}{made['kind'].lower()}s"


@dataclass(frozen=True)
class KubectlSide:
    """kubectl on one server, in one namespace."""

    binary: str
    kubeconfig: Path
    cache: Path
    namespace: str

    def command(self, *arguments: str) -> list[str]:
        """The whole command line."""
        given = ["--kubeconfig", str(self.kubeconfig), "--cache-dir", str(self.cache), "-n", self.namespace]
        return [self.binary, *given, *arguments]

    def run(self, line: str, *, text: str | None = None, **env: str) -> str:
        """What a command prints on both outputs, and after it its exit status where that is not 0."""
        done = subprocess.run(
            self.command(*shlex.split(line)), input=text, text=True, capture_output=True, timeout=60,
            env={**os.environ, **env},
        )  # fmt: skip
        return done.stdout + done.stderr + (f"exit {done.returncode}\n" if done.returncode else "")

    def plain(self, output: str) -> str:
        """The output without what two servers or two moments do not share."""
        output = output.replace(self.namespace, "NAMESPACE")
        for pattern, word in _CHANGING:
            output = re.sub(pattern, word, output, flags=re.MULTILINE)
        return output
