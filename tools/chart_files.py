"""Writes the files that follow from the Helm chart: the table of values in its README.md, and deploy/kustomize; and
the chart's copies of the alert rules and the dashboard, for a chart reads no file outside of its folder.

``python -m tools.chart_files`` writes them, as `make chart` does; tests/deploy compares. It needs helm: the program
that HELM names, else that of PATH.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[1]
CHART = ROOT / "deploy" / "helm" / "deltaboard"
KUSTOMIZE = ROOT / "deploy" / "kustomize"
OVERLAYS = ("production", "trial")
COPIED = (ROOT / "deploy" / "prometheus" / "alerts.yaml", ROOT / "deploy" / "grafana" / "deltaboard.json")
"""What the chart has copies of, in its folder files."""
_BEGIN, _END = "<!-- values: written by make chart -->\n", "<!-- end of values -->\n"
_OF_HELM = ("helm.sh/chart", "app.kubernetes.io/managed-by")
_KEY = re.compile(r"^(?P<indent> *)(?P<name>[\w-]+):(?P<value> .*)?$")
_WRITTEN = "# Written by `make chart` from the Helm chart and {values}: change these, or patch it in a kustomization.\n"

Json = dict[str, Any]


class Value(NamedTuple):
    """A value of the chart as values.yaml has it."""

    name: str
    default: str
    meaning: str


def helm_program() -> str | None:
    """The helm to use: HELM, else that of PATH; None where there is none."""
    return os.environ.get("HELM") or shutil.which("helm")


def documented_values(text: str) -> Iterator[Value]:
    """The values of a values.yaml that have a comment above them: its last line says what they do."""
    path: list[tuple[int, str]] = []
    comment = ""
    inside: int | None = None
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("#"):
            comment = stripped.removeprefix("#").strip()
            inside = None
            continue
        key = _KEY.match(line)
        if not stripped or key is None or (inside is not None and len(key["indent"]) > inside):
            comment = comment if stripped else ""
            continue
        indent = len(key["indent"])
        path = [*((depth, name) for depth, name in path if depth < indent), (indent, key["name"])]
        if comment:
            value = (key["value"] or "").strip()
            yield Value(".".join(name for _, name in path), value or "see values.yaml", comment)
            inside = indent
        else:
            inside = None
        comment = ""


def readme(text: str, values: str) -> str:
    """`text` with the table of `values`."""
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    rows = [f"| `{each.name}` | `{each.default}` | {each.meaning} |" for each in documented_values(values)]
    table = "\n".join(["| value | default | what it does |", "| --- | --- | --- |", *rows])
    return f"{before}{_BEGIN}{table}\n{_END}{after}"


def rendered(helm: str, *options: str) -> list[Json]:
    """The objects of ``helm template``. Raises CalledProcessError."""
    command = [helm, "template", "deltaboard", str(CHART), "--namespace", "deltaboard", *options]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [each for each in YAML(typ="safe").load_all(done.stdout) if each]


def kustomize_files(helm: str) -> dict[Path, str]:
    """Path and content of the objects of the base, which all overlays share, and of each overlay."""
    objects = {
        overlay: [
            _without_helm(each)
            for each in rendered(helm, "--values", str(KUSTOMIZE / f"{overlay}.values.yaml"))
            if each["kind"] != "Secret"  # the overlay's kustomization generates it
        ]
        for overlay in OVERLAYS
    }
    first, *others = objects.values()
    shared = [each for each in first if all(each in other for other in others)]
    files = {KUSTOMIZE / "base" / "deltaboard.yaml": _text(shared, "the values files beside this folder")}
    for overlay, made in objects.items():
        path = KUSTOMIZE / "overlays" / overlay / "deltaboard.yaml"
        files[path] = _text((each for each in made if each not in shared), f"{overlay}.values.yaml")
    return files


def copies() -> dict[Path, str]:
    """Path and content of the chart's copies."""
    return {CHART / "files" / path.name: path.read_text() for path in COPIED}


def main() -> int:
    """Write all files."""
    helm = helm_program()
    if helm is None:
        sys.stderr.write("There is no helm: set HELM to its path.\n")
        return 1
    for path, content in copies().items():
        path.write_text(content)
    path = CHART / "README.md"
    path.write_text(readme(path.read_text(), (CHART / "values.yaml").read_text()))
    for path, content in kustomize_files(helm).items():
        path.write_text(content)
    return 0


def _text(objects: Iterable[Json], values: str) -> str:
    yaml = YAML()
    yaml.default_flow_style = False
    yaml.width = 1000
    stream = io.StringIO()
    yaml.dump_all(sorted(objects, key=lambda each: (each["kind"], each["metadata"]["name"])), stream)
    return _WRITTEN.format(values=values) + stream.getvalue()


def _without_helm(part: Any) -> Any:
    """`part` without what names Helm as the one that manages it."""
    if isinstance(part, dict):
        return {key: _without_helm(value) for key, value in part.items() if key not in _OF_HELM}
    return [_without_helm(each) for each in part] if isinstance(part, list) else part


if __name__ == "__main__":
    sys.exit(main())
