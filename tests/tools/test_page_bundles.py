"""Tests that bundles equal what their sources give, that each script is in one, and that templates name no others."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tools.esbuild import OPTIONS, is_installed, version
from tools.page_bundles import (
    BUNDLES,
    MANIFEST,
    PACKAGES,
    ROOT,
    SCRIPT_OPTIONS,
    SCRIPTS,
    STATIC,
    STYLE_OPTIONS,
    STYLES,
    build,
    checksum,
)

AGAIN = "run `make bundles`, which makes static/bundles anew"
MADE: dict[str, Any] = json.loads(MANIFEST.read_text())
HARMLESS = re.compile(r"^(import|export function|function|async function|const|let|/[/*]|  |\}).*", re.MULTILINE)
"""Lines of a module that do nothing by themselves."""
IMPORT = re.compile(r"""^import\b[^;"']*["']([^"']+)["'];|^@import "([^"]+)";""", re.MULTILINE)


def sources_of(name: str) -> set[str]:
    """A file of static/ and all that it cannot begin without, but for what no bundle has."""
    found = {name}
    for one, other in IMPORT.findall((STATIC / name).read_text()):
        imported = str((STATIC / name).parent.joinpath(one or other).resolve().relative_to(STATIC))
        if not imported.startswith("vendor/codemirror/"):
            found |= sources_of(imported)
    return found


@pytest.mark.parametrize("bundle", MADE["bundles"])
def test_a_bundle_is_made_of_its_sources_as_they_are(bundle: str) -> None:
    made = MADE["bundles"][bundle]
    (entry,) = (name for name in (*SCRIPTS, *STYLES) if name.partition("/")[2] == bundle)
    now = {name: checksum(STATIC / name) for name in sources_of(entry)}
    assert made["sources"] == now, AGAIN
    assert made["sha256"] == checksum(BUNDLES / bundle), AGAIN


def test_bundles_are_made_by_the_locked_esbuild_with_these_options() -> None:
    assert MADE["esbuild"] == version(PACKAGES), AGAIN
    options = {"all": list(OPTIONS), "scripts": list(SCRIPT_OPTIONS), "styles": list(STYLE_OPTIONS)}
    assert MADE["options"] == options, AGAIN


def test_nothing_else_lies_among_the_bundles() -> None:
    found = {str(path.relative_to(BUNDLES)) for path in BUNDLES.rglob("*") if path.is_file()}
    assert found == {"bundles.json", *MADE["bundles"]}, AGAIN
    assert {name.partition("/")[2] for name in (*SCRIPTS, *STYLES)} == set(MADE["bundles"]), AGAIN


@pytest.mark.program
def test_esbuild_makes_the_same_bytes_again(tmp_path: Path) -> None:
    if not is_installed(PACKAGES):
        pytest.skip(
            "npm has not installed esbuild in tools/codemirror, as `make bundles` does; the checksums stand for it"
        )
    assert json.loads(json.dumps(build(tmp_path))) == MADE, AGAIN
    for bundle in MADE["bundles"]:
        assert (tmp_path / bundle).read_bytes() == (BUNDLES / bundle).read_bytes(), bundle


def test_every_script_is_in_a_bundle() -> None:
    bundled = {name for made in MADE["bundles"].values() for name in made["sources"]}
    scripts = {str(path.relative_to(STATIC)) for path in (STATIC / "js").rglob("*.js")}
    assert scripts <= bundled


def test_templates_and_scripts_name_the_bundles_and_no_others() -> None:
    named: set[str] = set()
    for path in (ROOT / "templates").rglob("*.html"):
        html = path.read_text()
        assert not re.search(r"""\{% static ['"]js/""", html), f"{path}: scripts come in bundles"
        named |= set(re.findall(r"""\{% bundle ['"]([^'"]+)['"]""", html))
    for path in (STATIC / "js").rglob("*.js"):
        for name in re.findall(r"""\bimport\("([^"]+)"\)""", path.read_text()):
            named.add(str((path.parent / name).resolve().relative_to(STATIC)))
    assert named == {*SCRIPTS, *STYLES, "vendor/codemirror/codemirror.min.js"}


def test_every_script_is_a_module() -> None:
    """Each begins by its imports or exports something, and none is called where it stands."""
    for path in sorted((STATIC / "js").rglob("*.js")):
        script = path.read_text()
        assert not re.search(r"^\(", script, re.MULTILINE), path
        assert re.search(r"^(import|export)\b", script, re.MULTILINE), path


@pytest.mark.long
def test_what_is_started_with_others_does_nothing_before() -> None:
    """One that fails leaves the others alone, see page/start_all.js: so all that it does is in its `start`."""
    started = {
        (path.parent / name).resolve()
        for path in (STATIC / "js").rglob("main.js")
        for name in re.findall(r"""^import \{ start as \w+ \} from "([^"]+)";""", path.read_text(), re.MULTILINE)
    }
    assert len(started) > 20
    for path in sorted(started):
        script = path.read_text()
        assert len(re.findall(r"^export function start\(\) \{$", script, re.MULTILINE)) == 1, path
        assert "export" not in script.replace("export function start", ""), path
        at_once = re.findall(
            r"^(?!import|export function|function|async function|const|let|/[/*]|  |\}|$).*", script, re.MULTILINE
        )
        assert at_once == [], path
