"""Builder of static/bundles from static/js and static/css: one file for all that a page requests together.

`make bundles` runs it after a script or style sheet was changed. The bundles are in the repository, so that running the
dashboard needs no npm. bundles.json has the checksum of each bundle and of its sources;
tests/tools/test_page_bundles.py compares them with the files. With DEBUG pages load the sources, so that a reload shows
changes.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from tools.esbuild import OPTIONS, esbuild, install, is_installed, version

ROOT = Path(__file__).resolve().parent.parent
STATIC = ROOT / "static"
BUNDLES = STATIC / "bundles"
MANIFEST = BUNDLES / "bundles.json"
PACKAGES = ROOT / "tools" / "codemirror"

SCRIPTS = (
    "js/edit/drafts.js",
    "js/edit/edit.js",
    "js/editor/review_diff.js",
    "js/editor/conflict_highlight.js",
    "js/editor/editor.js",
    "js/feed/main.js",
    "js/list/main.js",
    "js/live/main.js",
    "js/logs/main.js",
    "js/page/rates_chart.js",
    "js/page/main.js",
    "js/page/too_many_requests.js",
    "js/quick_actions/main.js",
    "js/terminal/main.js",
)
STYLES = ("css/writes_bundle.css", "css/page_bundle.css")
"""Entry points: those that templates name with `{% bundle %}`, and those that scripts import while they run."""

SCRIPT_OPTIONS = (
    "--outbase=js",
    "--external:../editor/*.js",  # imported while a page runs
    "--external:../../vendor/codemirror/*",  # shared by the scripts of the editor, and bundled already
)
STYLE_OPTIONS = ("--outbase=css", "--minify-syntax=false")  # keeps each rule as it is written


def build(folder: Path) -> dict[str, Any]:
    """Writes the bundles into a folder, and returns the content of bundles.json. esbuild must be installed."""
    scripts = _run(folder, SCRIPTS, SCRIPT_OPTIONS)
    styles = _run(folder, STYLES, STYLE_OPTIONS)
    return {
        "esbuild": version(PACKAGES),
        "options": {"all": OPTIONS, "scripts": SCRIPT_OPTIONS, "styles": STYLE_OPTIONS},
        "bundles": dict(sorted({**scripts, **styles}.items())),
    }


def checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _run(folder: Path, entries: tuple[str, ...], options: tuple[str, ...]) -> dict[str, Any]:
    """Checksums of each bundle and of its sources, by the name of the bundle."""
    meta = folder / "meta.json"
    esbuild(PACKAGES, *entries, *options, f"--outdir={folder}", f"--metafile={meta}", cwd=STATIC)
    outputs = json.loads(meta.read_text())["outputs"]
    meta.unlink()
    made: dict[str, Any] = {}
    for path, output in outputs.items():
        bundle = (STATIC / path).resolve()
        sources = {name: checksum(STATIC / name) for name in sorted(output["inputs"])}
        made[str(bundle.relative_to(folder.resolve()))] = {"sha256": checksum(bundle), "sources": sources}
    return made


def main() -> None:
    if not is_installed(PACKAGES):
        install(PACKAGES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        manifest = build(folder)
        shutil.rmtree(BUNDLES, ignore_errors=True)
        shutil.copytree(folder, BUNDLES)
    MANIFEST.write_text(json.dumps(manifest, indent=2) + "\n")
    for bundle, made in manifest["bundles"].items():
        print(f"{bundle}: {(BUNDLES / bundle).stat().st_size:,} bytes, {len(made['sources'])} files")


if __name__ == "__main__":
    main()
