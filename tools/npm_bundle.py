"""Bundler of npm packages into one file for browsers, with the exact versions of a folder's package-lock.json.

The folder holds package.json, package-lock.json (npm checks each package against its sha512 there) and bundle.js, which
lists what the file exports. esbuild, one of the locked packages, writes it; the same versions give the same bytes.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from tools.esbuild import esbuild, install


def bundle(sources: Path) -> tuple[bytes, str]:
    """The bundle of a folder, and the licence texts of all that is in it. Needs npm."""
    install(sources)
    with tempfile.TemporaryDirectory() as name:
        script = Path(name) / "out.js"
        esbuild(sources, "bundle.js", f"--outfile={script}", cwd=sources)
        return script.read_bytes(), _licences(sources / "node_modules", bundled_packages(sources))


def bundled_packages(sources: Path) -> dict[str, str]:
    """The packages in the bundle and their versions; not what only makes it, such as esbuild."""
    packages = json.loads((sources / "package-lock.json").read_text())["packages"]
    return {
        path.removeprefix("node_modules/"): package["version"]
        for path, package in packages.items()
        if path and not package.get("dev")
    }


def _licences(modules: Path, packages: dict[str, str]) -> str:
    """Each licence text once, below the names of the packages that have it."""
    texts: dict[str, list[str]] = {}
    for package, version in packages.items():
        text = (modules / package / "LICENSE").read_text().strip()
        texts.setdefault(text, []).append(f"{package} {version}")
    return "\n\n".join(f"{', '.join(names)}:\n\n{text}" for text, names in texts.items()) + "\n"
