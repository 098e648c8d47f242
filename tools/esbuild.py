"""esbuild, which bundles several files into one for browsers, at the version in a folder's package-lock.json.

npm installs it there with the other locked packages, and checks each against its sha512 in the lock file. The same
version and files give the same bytes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

OPTIONS = ("--bundle", "--minify", "--format=esm", "--target=es2022", "--legal-comments=none", "--log-level=error")
_INSTALL = ("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")


def version(packages: Path) -> str:
    """The version in the folder's package-lock.json."""
    locked = json.loads((packages / "package-lock.json").read_text())["packages"]
    found: str = locked["node_modules/esbuild"]["version"]
    return found


def is_installed(packages: Path) -> bool:
    """Whether npm has installed that version in the folder."""
    try:
        found = json.loads((packages / "node_modules" / "esbuild" / "package.json").read_text())["version"]
    except FileNotFoundError:
        return False
    return bool(found == version(packages))


def install(packages: Path) -> None:
    """Installs all packages of the folder again. Ends the program if npm is missing or fails."""
    _run(_INSTALL, packages)


def esbuild(packages: Path, *arguments: str, cwd: Path) -> None:
    """Runs the folder's esbuild in `cwd`. Ends the program if it fails."""
    _run((str(packages / "node_modules" / ".bin" / "esbuild"), *OPTIONS, *arguments), cwd)


def _run(command: tuple[str, ...], folder: Path) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    except FileNotFoundError:
        sys.exit("make vendor and make bundles need npm")
    except subprocess.CalledProcessError as error:
        sys.exit(f"{' '.join(command)} failed: {error.stderr.strip()}")
