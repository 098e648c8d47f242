"""Makes one file for browsers of several npm packages: exactly the versions of a folder's package-lock.json.

The folder holds package.json, package-lock.json (npm checks each package against its sha512 there) and bundle.js, which
says what the file exports. esbuild, one of the locked packages, writes it; the same versions give the same bytes.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_OPTIONS = ("--bundle", "--minify", "--format=esm", "--target=es2022", "--legal-comments=none", "--log-level=error")
_INSTALL = ("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")


def bundle(sources: Path) -> tuple[bytes, str]:
    """The bundle of a folder, and the licence texts of all that is in it. Needs npm."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in ("package.json", "package-lock.json", "bundle.js"):
            shutil.copy(sources / file, folder)
        _run(_INSTALL, folder)
        _run(("node_modules/.bin/esbuild", "bundle.js", *_OPTIONS, "--outfile=out.js"), folder)
        return (folder / "out.js").read_bytes(), _licences(folder / "node_modules", contents(sources))


def contents(sources: Path) -> dict[str, str]:
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


def _run(command: tuple[str, ...], folder: Path) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    except FileNotFoundError:
        sys.exit("make vendor needs npm")
    except subprocess.CalledProcessError as error:
        sys.exit(f"{' '.join(command)} failed: {error.stderr.strip()}")
