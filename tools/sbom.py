"""Software bill of materials of what is installed with Deltaboard: CycloneDX, and a list of licences.

``python -m tools.sbom FOLDER`` installs the wheels of FOLDER (`make wheels`), with the versions of requirements.txt,
into an empty environment, and writes ``deltaboard.cdx.json`` and ``licences.md`` beside them, with the browser
libraries that are in the wheel. Exits with 1 where a package does not say its licence.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

ROOT = Path(__file__).parents[1]
IN_FILE_ONLY = {"channels_redis": "BSD-3-Clause", "protobuf": "BSD-3-Clause"}
"""Licences that a package has as a text, and does not name in its metadata, or in other words."""
EXTRAS = "[traces]"
"""What the image has, too."""
GENERATOR = "cyclonedx-bom==7.5.0"
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


def main(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        python = _environment(Path(scratch, "deltaboard"))
        constraints = Path(scratch, "constraints.txt")
        constraints.write_text(_pinned((ROOT / "requirements.txt").read_text()))
        wheels = [f"{wheel}{EXTRAS if wheel.name.startswith('deltaboard-') else ''}" for wheel in folder.glob("*.whl")]
        _install(python, "--constraint", str(constraints), *sorted(wheels))
        generator = _environment(Path(scratch, "generator"))
        _install(generator, GENERATOR)
        written = folder / "deltaboard.cdx.json"
        program = (generator, "-m", "cyclonedx_py", "environment", "--output-reproducible", "--of", "JSON")
        subprocess.run([*program, "-o", written, python], check=True)
    bill = completed(json.loads(written.read_text()))
    written.write_text(json.dumps(bill, indent=2) + "\n")
    licences = dict(sorted(_licences(bill)))
    rows = [f"| {name} | {licence or 'not said'} |\n" for name, licence in licences.items()]
    (folder / "licences.md").write_text("".join(["| package | licence |\n| --- | --- |\n", *rows]))
    print(f"{written}: {len(licences)} packages")
    if unknown := [name for name, licence in licences.items() if not licence]:
        sys.exit(f"These packages do not say their licence: {', '.join(unknown)}")


def completed(bill: dict[str, Any]) -> dict[str, Any]:
    """The bill with the browser libraries, and without the folder in which the wheels lay."""
    libraries = [*_browser_libraries()]
    components = [*bill["components"], *libraries]
    for component in components:
        for reference in component.get("externalReferences", ()):
            if reference["url"].startswith("file:"):
                reference["url"] = reference["url"].rpartition("/")[2]
    for each in bill["dependencies"]:
        if each["ref"].startswith("deltaboard=="):
            each["dependsOn"] = [*each.get("dependsOn", ()), *(library["bom-ref"] for library in libraries)]
    dependencies = [*bill["dependencies"], *({"ref": library["bom-ref"]} for library in libraries)]
    return {**bill, "components": components, "dependencies": dependencies}


def _browser_libraries() -> Iterator[dict[str, Any]]:
    for entry in json.loads((ROOT / "static" / "vendor" / "vendor.json").read_text())["packages"]:
        for name, version in entry.get("packages", {entry["name"]: entry["version"]}).items():
            address = f"pkg:npm/{quote(name)}@{version}"
            licences = [{"license": {"id": entry["licence"]}}]
            yield {"type": "library", "bom-ref": address, "name": name, "version": version, "purl": address,
                   "licenses": licences}  # fmt: skip


def _pinned(requirements: str) -> str:
    """The versions and markers, without extras and hashes."""
    found = re.findall(r"^([\w.-]+)(?:\[[^]]*\])?(==[^\\\n]+)", requirements, re.MULTILINE)
    return "".join(f"{name}{version}\n" for name, version in found)


def _licences(bill: dict[str, Any]) -> list[tuple[str, str]]:
    """Name and version of each package, and its licences as an SPDX expression, an identifier or words."""
    return [
        (
            f"{component['name']} {component['version']}",
            IN_FILE_ONLY.get(component["name"])
            or ", ".join(
                sorted(
                    {
                        each.get("expression") or each["license"].get("id") or each["license"].get("name", "")
                        for each in component.get("licenses", ())
                    }
                )
            ),
        )
        for component in bill["components"]
    ]


def _environment(folder: Path) -> str:
    venv.create(folder, symlinks=True)
    return str(folder / "bin" / "python")


def _install(python: str, *requirements: str) -> None:
    subprocess.run([*PIP, "--python", python, "install", "--no-compile", *requirements], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
