"""Tests of versioned static files: cached for good, never stale, and found by pages of other versions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest
from django.conf import settings
from django.template import Context, Template
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.test import AsyncClient, override_settings

from tests.support.pages import template_view_samples as samples
from tests.support.program import ROOT

FOR_GOOD = "public, max-age=31536000, immutable"
ANOTHER = "/static/0123456789abcdef/"


@pytest.fixture(autouse=True)
def urls(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = ModuleType("tests_static_urls")
    module.urlpatterns = []  # type: ignore[attr-defined]
    monkeypatch.setitem(__import__("sys").modules, module.__name__, module)
    with override_settings(ROOT_URLCONF=module.__name__):
        yield


@contextmanager
def process_of(folder: Path, *, debug: bool = False) -> Iterator[None]:
    """As a process that begins now, with the files of `folder`."""
    changed = {"STATICFILES_DIRS": [folder], "WHITENOISE_AUTOREFRESH": debug, "STORAGES": {**settings.STORAGES}}
    with override_settings(**changed):
        yield


def files(folder: Path, **contents: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in contents.items():
        (folder / f"{name}.css").write_text(content)
    return folder


async def test_every_file_that_a_page_names_is_kept_for_good() -> None:
    html = render_to_string("feed/feed.html", {"view": samples.feed_view(), "page": samples.page_info("pods")})
    named = set(re.findall(r'(?:href|src|data-live|data-stale|data-offline)="(/static/[^"]+)"', html))
    assert {address.removeprefix(static("")) for address in named} == {
        "bundles/page_bundle.css", "css/feed.css", "bundles/page/main.js", "bundles/feed/main.js",
        "bundles/live/main.js",
        "favicon/live.svg", "favicon/offline.svg", "favicon/stale.svg",
    }  # fmt: skip
    client = AsyncClient()
    for address in sorted(named):
        answer = await client.get(address)
        assert (answer.status_code, answer["Cache-Control"]) == (200, FOR_GOOD), address
        assert answer["Vary"] == "Accept-Encoding"
        assert "ETag" not in answer  # nobody asks again


def test_what_files_ask_for_stays_within_their_version() -> None:
    """No script, style or template has an address of its own making; what they name is relative."""
    for folder in ("static/js", "static/css", "static/bundles", "templates"):
        for path in sorted((ROOT / folder).rglob("*.*")):
            assert not re.search(r"""["'(`]/static/""", path.read_text()), path
    imported = re.compile(r"""(?:^|;)import\b[^;"'()]*["']([^"']+)["'];|\bimport\(["']([^"']+)""", re.MULTILINE)
    modules = sorted((ROOT / "static/js").rglob("*.js"))
    bundles = sorted((ROOT / "static/bundles").rglob("*.js"))
    named = [(path, one or other) for path in [*modules, *bundles] for one, other in imported.findall(path.read_text())]
    assert len(named) > 70
    assert {path.name for path, _ in named if path in bundles} == {
        "edit.js", "editor.js", "review_diff.js", "conflict_highlight.js",
    }  # fmt: skip
    for path, name in named:
        assert name.startswith("."), (path, name)
        assert (path.parent / name).resolve().is_file(), (path, name)


@pytest.mark.parametrize("debug", [False, True])
async def test_a_file_asked_for_without_a_version_is_asked_for_again_each_time(debug: bool) -> None:
    with process_of(ROOT / "static", debug=debug):
        client = AsyncClient()
        first = await client.get("/static/css/base.css")
        assert (first.status_code, first["Cache-Control"]) == (200, "public, max-age=0")
        again = await client.get("/static/css/base.css", headers={"if-none-match": first["ETag"]})
        assert (again.status_code, again.content, again["Cache-Control"]) == (304, b"", "public, max-age=0")
        assert (await client.post("/static/css/base.css")).status_code == 405


@pytest.mark.parametrize("debug", [False, True])
async def test_a_file_asked_for_under_another_version_is_the_one_that_is_here_and_kept_by_nobody(debug: bool) -> None:
    with process_of(ROOT / "static", debug=debug):
        client = AsyncClient()
        answer = await client.get(f"{ANOTHER}css/base.css")
        assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")
        assert answer.content == (ROOT / "static/css/base.css").read_bytes()
        head = await client.head(f"{ANOTHER}css/base.css")
        assert (head["Cache-Control"], head["Content-Length"]) == ("no-store", answer["Content-Length"])


@pytest.mark.parametrize("debug", [False, True])
async def test_what_there_is_none_of_is_said_to_nobody_for_later(debug: bool) -> None:
    with process_of(ROOT / "static", debug=debug):
        for name in (
            "css/gone.css",
            "../settings.py",
            "css/../../manage.py",
            "",
            "css/",
            "0123456789abcdef/css/components.css",
        ):
            for begin in (static(""), ANOTHER, "/static/"):
                if begin == "/static/" and name.startswith("0"):
                    continue  # that is the version itself
                answer = await AsyncClient().get(begin + name)
                assert (answer.status_code, answer["Cache-Control"]) == (404, "no-store"), begin + name


def test_the_version_is_that_of_names_and_contents_alone(tmp_path: Path) -> None:
    def version_of(folder: str, **contents: str) -> str:
        with process_of(files(tmp_path / folder, **contents)):
            return static("")

    first = version_of("first", one="a", two="b")
    assert re.fullmatch(r"/static/[0-9a-f]{16}/", first)
    assert version_of("same", two="b", one="a") == first
    others = {
        version_of("changed", one="a", two="c"), version_of("swapped", one="b", two="a"),
        version_of("more", one="a", two="b", three=""), version_of("fewer", one="a"),
        version_of("moved", one="ab", two=""),
    }  # fmt: skip
    assert len(others) == 5
    assert first not in others


async def test_two_processes_of_different_versions_keep_nothing_of_each_other(tmp_path: Path) -> None:
    """An old page that asks a new process gets the new file, a new page that asks an old one the old: for now only."""
    old, new = files(tmp_path / "old", a="old"), files(tmp_path / "new", a="new")
    with process_of(old):
        old_address = static("a.css")
    with process_of(new):
        new_address = static("a.css")
    kept: dict[str, set[bytes]] = {old_address: set(), new_address: set()}
    for folder in (old, new):
        with process_of(folder):
            client = AsyncClient()
            for address, bodies in kept.items():
                answer = await client.get(address)
                assert answer.content == folder.name.encode()
                if answer["Cache-Control"] == FOR_GOOD:
                    bodies.add(answer.content)
                else:
                    assert answer["Cache-Control"] == "no-store"
    assert kept == {old_address: {b"old"}, new_address: {b"new"}}


async def test_files_that_change_under_a_running_process_are_sent_as_its_version_has_them(tmp_path: Path) -> None:
    """An upgrade puts new files where an old process still runs: under the old address they would be kept for good."""
    folder = files(tmp_path, asked="first", later="first")
    with process_of(folder):
        client, address = AsyncClient(), static("asked.css")
        assert (await client.get(address)).content == b"first"
        files(folder, asked="second, longer", later="second", new="second")
        assert static("asked.css") == address
        for name in ("asked.css", "later.css"):
            answer = await client.get(static(name))
            assert (answer.content, answer["Cache-Control"]) == (b"first", FOR_GOOD)
        assert (await client.get(static("new.css"))).status_code == 404


async def test_with_debug_a_changed_file_shows_on_the_next_request(tmp_path: Path) -> None:
    folder = files(tmp_path, edited="a { color: red }")
    with process_of(folder, debug=True):
        client = AsyncClient()
        assert static("edited.css") == "/static/edited.css"
        first = await client.get("/static/edited.css")
        files(folder, edited="a { color: red; background: black }", new="b {}")
        again = await client.get("/static/edited.css", headers={"if-none-match": first["ETag"]})
        assert (again.status_code, again.content) == (200, b"a { color: red; background: black }")
        assert again["Content-Length"] == str(len(again.content))
        assert again["ETag"] != first["ETag"]
        assert (await client.get("/static/new.css")).content == b"b {}"


async def test_a_bundle_is_sent_as_it_was_made_and_kept_for_good() -> None:
    bundles = sorted((ROOT / "static/bundles").rglob("*.*s"))
    assert len(bundles) > 10
    for path in bundles:
        answer = await AsyncClient().get(static(str(path.relative_to(ROOT / "static"))))
        assert (answer.status_code, answer["Cache-Control"]) == (200, FOR_GOOD), path
        assert answer.content == path.read_bytes()


def test_pages_name_bundles_and_with_debug_their_sources() -> None:
    tags = Template('{% load static_tags %}{% bundle "css/page_bundle.css" %} {% bundle "js/page/main.js" %}')
    assert tags.render(Context()).split() == [static("bundles/page_bundle.css"), static("bundles/page/main.js")]
    with process_of(ROOT / "static", debug=True):
        assert tags.render(Context()).split() == ["/static/css/page_bundle.css", "/static/js/page/main.js"]
