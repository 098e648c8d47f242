"""Tests of the documentation site: strict, searched without a network, with pictures that `make screenshots` takes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.program import ROOT
from tools.axe import violations
from tools.screenshots import DOCUMENTATION
from tools.site import __main__ as program
from tools.site import sources
from tools.site.checks import is_well_formed, problems
from tools.site.versions import VERSION, is_released, write_versions

DRAWINGS = {"architecture.svg", "rooms.svg"}
"""Drawn by hand: they show no page."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    assert program.build(folder) == []
    return folder


@pytest.mark.long  # make check builds it
@pytest.mark.program
def test_it_is_in_the_folder_of_its_version(site: Path) -> None:
    assert json.loads((site / "versions.json").read_text()) == [{"version": VERSION, "released": is_released()}]
    assert f'href="{VERSION}/index.html"' in (site / "index.html").read_text()
    assert f">{VERSION}{'' if is_released() else ', not released'}</a>" in (site / VERSION / "index.html").read_text()


@pytest.mark.long  # make check builds it
@pytest.mark.program
def test_every_page_of_docs_and_those_of_elsewhere_are_in_it(site: Path) -> None:
    names = {path.stem for path in (ROOT / "docs").glob("*.md")} | {
        Path(name).stem for name in sources.ELSEWHERE.values()
    }
    assert names <= {path.stem for path in (site / VERSION).glob("*.html")}
    assert 'id="retry-on-conflict"' in (site / VERSION / "informerd-api.html").read_text()
    assert 'id="Client.logs"' in (site / VERSION / "informerd-api.html").read_text()


@pytest.mark.browser
@pytest.mark.long
@pytest.mark.program
def test_from_the_disk_it_is_searched_and_asks_no_host(page: Page, site: Path) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / VERSION / "index.html").as_uri())
    page.get_by_role("textbox", name="Search").first.fill("CrashLoopBackOff")
    page.keyboard.press("Enter")
    results = page.locator("#search-results .search li")
    expect(results.filter(has_text="Start")).not_to_have_count(0)
    results.get_by_role("link", name="Start").first.click()
    expect(page.locator("h1")).to_contain_text("Start")
    assert asked
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


@pytest.mark.browser
@pytest.mark.long
@pytest.mark.program
def test_axe_finds_nothing_wrong_with_it_and_it_is_no_wider_than_its_window(page: Page, site: Path) -> None:
    for name, width, scheme in (("index", 1440, "light"), ("settings", 390, "dark"), ("start", 320, "light")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        page.goto((site / VERSION / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        assert violations(page) == []


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A documentation of two pages."""
    folder = tmp_path / "docs"
    folder.mkdir()
    monkeypatch.setattr(sources, "DOCS", folder)
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    monkeypatch.setattr(sources, "ELSEWHERE", {})
    monkeypatch.setattr(sources, "as_markdown", lambda: "# API\n")
    (folder / "index.md").write_text("# A\n\n## Pages\n\n* [b](b.md)\n* [API](informerd-api.md)\n")
    (folder / "b.md").write_text("# B\n\n## There\n")
    return folder


@pytest.mark.program
def test_links_that_lead_nowhere_and_pages_without_a_line_fail_the_build(docs: Path, tmp_path: Path) -> None:
    (docs / "b.md").write_text("# B\n\n[x](none.md) [x](index.md#none) [x](#none) ![x](none.png)\n")
    (docs / "c.md").write_text("# C\n")
    found = "\n".join(program.build(tmp_path / "out"))
    for message in (
        "b.md:3: WARNING: 'myst' cross-reference target not found: 'none.md'",
        "b.md:3: WARNING: local id not found in doc 'index': 'none'",
        "b.md:3: WARNING: 'myst' cross-reference target not found: 'none'",
        "b.md:3: WARNING: image file not readable: none.png",
        "c.md: WARNING: document isn't included in any toctree",
    ):
        assert message in found
    assert not (tmp_path / "out" / VERSION).exists()


@pytest.mark.program
def test_what_another_host_has_and_addresses_without_form_fail_the_build(docs: Path, tmp_path: Path) -> None:
    (docs / "b.md").write_text('# B\n\n[x](https://host/)\n\n<img src="https://example.com/a.png">\n')
    assert program.build(tmp_path / "out") == [
        "b.html has a link to https://host/, which is no address of a site",
        "b.html loads https://example.com/a.png",
    ]
    assert not (tmp_path / "out" / VERSION).exists()


def test_a_link_to_a_file_that_is_not_there_fails_the_build(docs: Path, tmp_path: Path) -> None:
    (docs / "b.md").write_text("# B\n\n[x](../none.py)\n")
    [found] = program.build(tmp_path / "out")
    assert found.startswith("docs/b.md has a link to ../none.py")


def test_every_picture_of_a_page_is_one_that_screenshots_take() -> None:
    texts = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    shown = {Path(each).name for text in texts for each in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text.read_text())}
    assert shown - DRAWINGS == set(DOCUMENTATION.values())
    assert {path.name for path in (ROOT / "docs").glob("*.png")} == set(DOCUMENTATION.values())


def test_versions_of_before_stay_and_the_newest_comes_first(tmp_path: Path) -> None:
    for version in ("0.0.9", VERSION):
        (tmp_path / version).mkdir()
        (tmp_path / version / "index.html").touch()
    before = [{"version": version, "released": True} for version in ("0.0.9", "0.0.8")]
    (tmp_path / "versions.json").write_text(json.dumps(before))
    write_versions(tmp_path)
    assert [each["version"] for each in json.loads((tmp_path / "versions.json").read_text())] == [VERSION, "0.0.9"]


def test_styles_and_pages_of_other_hosts_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("@import '//example.com/a.css'; a { background: url(https://example.com/b.png) }")
    (tmp_path / "a.html").write_text('<script src="//example.com/a.js"></script><p style="background: url(//a.b/c)">')
    assert problems(tmp_path) == [
        "a.css loads //example.com/a.css",
        "a.css loads https://example.com/b.png",
        "a.html loads //a.b/c",
        "a.html loads //example.com/a.js",
    ]


def test_an_address_of_another_site_has_a_host_and_https() -> None:
    assert is_well_formed("https://openid.net/specs/openid-connect-core-1_0.html#rfc.section.2")
    assert is_well_formed("http://localhost:8000/")
    for wrong in ("http://example.com/", "https:///a", "https://host/", "https://a.b c/", "https://example.com:x/"):
        assert not is_well_formed(wrong), wrong
