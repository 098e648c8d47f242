"""Builds the documentation site: ``python -m tools.site [FOLDER]``, or `make docs`.

It is in ``FOLDER/<version>/``, beside those of other versions, which stay; ``FOLDER/versions.json`` and
``FOLDER/index.html`` name them all. Ends with 1, and leaves no site of this version, where Sphinx has a warning (a link
or an anchor that leads nowhere, a page that the navigation does not have) or a page would need another host.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.site.checks import problems
from tools.site.sources import ROOT, WrongLink, write_sources
from tools.site.versions import VERSION, write_versions


def build(folder: Path) -> list[str]:
    """Builds the site of this version, from nothing: what Sphinx keeps of an earlier run does not see that a link's
    target has gone from another page. Returns what is wrong with it.
    """
    site = folder / VERSION
    shutil.rmtree(site, ignore_errors=True)
    with tempfile.TemporaryDirectory() as scratch:
        sources = Path(scratch, "sources")
        try:
            write_sources(sources)
        except WrongLink as error:
            return [str(error)]
        options = ["--fail-on-warning", "--fresh-env", "--jobs", "2", "--quiet", "--nitpicky"]
        folders = ["--conf-dir", str(ROOT / "tools" / "site"), "--doctree-dir", str(Path(scratch, "trees"))]
        command = [sys.executable, "-m", "sphinx", "--builder", "html", *options, *folders, str(sources), str(site)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        shutil.rmtree(site, ignore_errors=True)
        return [line.removeprefix(f"{sources}/") for line in done.stderr.splitlines()] or ["Sphinx failed"]
    if found := problems(site):
        shutil.rmtree(site)
        return found
    write_versions(folder)
    return []


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "var" / "site"
    if found := build(folder):
        sys.exit("\n".join(found))
    print(f"{folder / VERSION / 'index.html'}")


if __name__ == "__main__":
    main()
