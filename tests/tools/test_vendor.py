"""Tests that the vendored browser libraries equal those that vendor.json names, byte for byte."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tools.npm_bundle import bundled_packages
from tools.vendor import MANIFEST, ROOT, VENDOR, sha256

PACKAGES: list[dict[str, Any]] = json.loads(MANIFEST.read_text())["packages"]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package["name"])
def test_vendored_files_match_their_recorded_checksums(package: dict[str, Any]) -> None:
    folder = VENDOR / package["name"]
    found = {path.name: sha256(path.read_bytes()) for path in folder.iterdir()}
    assert found == package["sha256"]
    assert set(package["files"]) == set(package["sha256"])


def test_nothing_lies_in_the_vendor_folder_that_the_manifest_does_not_name() -> None:
    folders = {str(path.parent.relative_to(VENDOR)) for path in VENDOR.rglob("*") if path.is_file()}
    assert folders == {".", *(package["name"] for package in PACKAGES)}
    assert [path.name for path in VENDOR.iterdir() if path.is_file()] == ["vendor.json"]


def test_every_package_has_a_version_a_licence_and_its_licence_text() -> None:
    for package in PACKAGES:
        assert package["version"]
        assert package["licence"]
        assert "LICENSE" in package["files"]


def test_htmx_is_the_version_that_the_scripts_were_written_for() -> None:
    versions = {package["name"]: package["version"] for package in PACKAGES}
    assert versions["htmx.org"] == "4.0.1"
    assert 'version="4.0.1"' in (VENDOR / "htmx.org" / "htmx.esm.min.js").read_text()


@pytest.mark.long
def test_the_editor_is_made_of_exactly_the_locked_versions() -> None:
    (editor,) = (package for package in PACKAGES if package["name"] == "codemirror")
    sources = ROOT / editor["bundle"]
    assert editor["version"] == "6.0.2", "unpinned, npm gives the code of version 5"
    assert editor["packages"] == bundled_packages(sources)
    asked = json.loads((sources / "package.json").read_text())["dependencies"]
    assert {name: editor["packages"][name] for name in asked} == asked, "no range, exact versions"
    locked = json.loads((sources / "package-lock.json").read_text())["packages"]
    assert [path for path, package in locked.items() if path and "integrity" not in package] == []
