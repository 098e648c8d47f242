"""Tests of the templates: the Content-Security-Policy blocks nothing in them, and each renders in every state."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.template.loader import get_template, render_to_string

from dashboard.live.rendering.time_texts import rfc3339
from dashboard.objects.describers.containers import ContainerLine
from dashboard.objects.describers.fact import make_fact, make_section
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.query.list_query import Query
from dashboard.pages.details.change_log import ChangeLine, FieldLine
from dashboard.pages.lists.column_picker import column_choices
from dashboard.pages.lists.drawer import Drawer, OpenObject
from dashboard.pages.lists.sort_choices import sort_choices
from dashboard.runtime.text_with_links import TextPiece
from dashboard.templatetags import deltaboard
from tests.support.controllers import report_samples as reports
from tests.support.pages import template_view_samples as samples
from tests.support.program import ROOT

TEMPLATES = ROOT / "templates"
COMMAND = samples.KUBECTL_COMMAND
NAMES = sorted(str(path.relative_to(TEMPLATES)) for path in TEMPLATES.rglob("*.html"))
BLOCKED = {
    "a style attribute": re.compile(r"\sstyle\s*=", re.IGNORECASE),
    "a style element": re.compile(r"<style", re.IGNORECASE),
    "a script in the page": re.compile(r"<script(?![^>]*\ssrc=)(?![^>]*application/json)", re.IGNORECASE),
    "an event handler attribute": re.compile(r"\son[a-z]+\s*=", re.IGNORECASE),
    "hx-on, which is evaluated": re.compile(r"hx-on[:\s=]", re.IGNORECASE),
    "an hx-trigger filter, which is evaluated": re.compile(r"hx-trigger\s*=\s*\"[^\"]*\[", re.IGNORECASE),
    "js: in an attribute, which is evaluated": re.compile(r"hx-[a-z:-]+\s*=\s*\"\s*(js|javascript):", re.IGNORECASE),
    "an address of another host": re.compile(r"(?:src|href)\s*=\s*\"(?:https?:)?//", re.IGNORECASE),
    "text let through unescaped": re.compile(r"\|\s*safe\b|\{%\s*autoescape\s+off"),
}
VOID = {"meta", "link", "input", "br", "hr", "img", "path", "rect", "circle", "use", "ellipse"}


class Structure(HTMLParser):
    """Collects ids and checks that every element is closed where it was opened."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.used: set[str] = set()
        self.nameless: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if named.get("id"):
            self.ids.append(str(named["id"]))
        if tag == "use":
            self.used.add(str(named["href"]).removeprefix("#"))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self._open, f"</{tag}> closes nothing"
        assert self._open.pop() == tag, f"</{tag}> closes another element, line {self.getpos()[0]}"

    @property
    def unclosed(self) -> list[str]:
        return list(self._open)


def structure_of(html: str) -> Structure:
    parser = Structure()
    parser.feed(html)
    parser.close()
    return parser


def pages() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every page in every state: a name, its template, its context."""
    info = samples.page_info
    mistake = [samples.problem(0, 9, "restarts> needs a number")]
    unlisted = {
        state: samples.health(state, problem="refused", listed=5, remaining=7)
        for state in ("absent", "forbidden", "unreachable", "starting", "syncing", "stale")
    }  # type: dict[Any, Any]
    lists = {
        "full": samples.list_view(100),
        "few": samples.list_view(3),
        "empty": samples.list_view(0),
        "nothing matches": samples.list_view(0, all=7),
        "looking": samples.list_view(0, all=50_000, search_progress=(12_000, 50_000)),
        "mistake": samples.list_view(3, text="restarts>", problems=mistake),
        **{state: samples.list_view(0, health=health, expected=12) for state, health in unlisted.items()},
    }
    for state, view in lists.items():
        yield (
            f"list, {state}",
            "lists/list.html",
            {"view": view, "page": info("pods"), "command": COMMAND, "follow": samples.FOLLOW},
        )
        yield (
            f"fragment, {state}",
            "lists/_fragment.html",
            {"view": view, "page": info("pods"), "command": COMMAND, "follow": samples.FOLLOW},
        )
    moment = rfc3339(samples.NOW)
    picking = {
        "view": samples.list_view(3),
        "page": info("pods"),
        "command": COMMAND,
        "follow": samples.FOLLOW,
        "columns": column_choices(Query(key="pods")),
        "sorts": sort_choices(Query(key="pods")),
    }
    yield "list, with its columns to choose from", "lists/list.html", picking
    detail: Any = samples.detail_view()
    opened = {
        "view": samples.list_view(3),
        "page": info("pods"),
        "command": COMMAND,
        "follow": samples.FOLLOW,
        "drawer": Drawer(OpenObject(KINDS["pods"], "shop", "web"), detail, "/", "/?open=", "/?tab=logs"),
    }
    yield "list, with an object open", "lists/list.html", opened
    details = {
        "": samples.detail_view(),
        "gone": samples.detail_view(gone=moment),
        "again": samples.detail_view(is_recreated=True),
        "deleting": samples.detail_view(deleting=moment),
        "missing": samples.detail_view(found=False, row=None, cells=()),
    }
    for state, detail in details.items():
        yield f"detail, {state}", "details/detail.html", {"view": detail, "page": info("pods")}
    yield "yaml", "details/yaml.html", {"view": samples.detail_view(), "page": info("pods")}
    yield "feed", "feed/feed.html", {"view": samples.feed_view(), "page": info("feed")}
    span = samples.feed_view(params=f"from={rfc3339(samples.NOW - 9)}&to={rfc3339(samples.NOW)}&folds=off")
    yield "feed, a span", "feed/feed.html", {"view": span, "page": info("feed")}
    past = samples.feed_view(params="q=pod-1&to=2020-01-01")
    yield "feed, before anything is known", "feed/feed.html", {"view": past, "page": info("feed")}
    yield "feed, inside a burst", "feed/_burst_entries.html", {"view": span}
    yield "feed, quiet", "feed/feed.html", {"view": samples.feed_view(0), "page": info("feed")}
    yield "overview", "overview/overview.html", {"view": samples.overview_view(), "page": info("overview")}
    empty = samples.overview_view(empty=True, wrong=0)
    yield (
        "overview, empty",
        "overview/overview.html",
        {"view": empty, "page": info("overview", problem="It is not there.")},
    )
    for state, controllers in reports.views().items():
        page = info("controllers")
        yield f"controllers, {state}", "controllers/page.html", {"view": controllers, "page": page}
    for name in ("400.html", "404.html", "403.html", "403_csrf.html", "500.html"):
        yield name, name, {"request_path": "/nowhere/"}


PAGES = {name: (template, context) for name, template, context in pages()}


@pytest.mark.parametrize("name", NAMES)
def test_a_template_parses_and_has_nothing_the_policy_blocks(name: str) -> None:
    get_template(name)
    source = (TEMPLATES / name).read_text()
    found = [what for what, pattern in BLOCKED.items() if pattern.search(source)]
    assert found == [], f"{name} has {', '.join(found)}"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_renders_well_formed_with_unique_ids(name: str) -> None:
    template, context = PAGES[name]
    structure = structure_of(render_to_string(template, context))
    assert structure.unclosed == []
    assert len(structure.ids) == len(set(structure.ids)), sorted(structure.ids)


@pytest.mark.slow
def test_every_icon_that_is_used_is_in_the_sprite() -> None:
    sprite = set(structure_of((TEMPLATES / "layout/_icons.html").read_text()).ids)
    for name, (template, context) in PAGES.items():
        missing = structure_of(render_to_string(template, context)).used - sprite
        assert missing == set(), name
    for kind in KINDS.values():
        assert f"i-{kind.icon}" in sprite, kind.key


def test_a_row_of_a_page_is_the_row_of_a_frame() -> None:
    view = samples.list_view(2)
    page = render_to_string(
        "lists/list.html",
        {"view": view, "page": samples.page_info("pods"), "command": COMMAND, "follow": samples.FOLLOW},
    )
    for line in view.lines:
        row = render_to_string("lists/_row.html", {"line": line}).strip()
        assert row in page
        assert row.startswith(f'<tr id="row-{line.row.uid}" data-namespace="{line.row.namespace}" data-name=')
        assert f'data-version="{line.row.version}"' in row


def test_a_row_has_no_words_for_its_age() -> None:
    row = render_to_string("lists/_row.html", {"line": samples.list_view(1).lines[0]})
    assert re.search(
        r'<time data-age="object" datetime="\d{4}-\d\d-\d\dT[\d:.]+Z">\d{4}-\d\d-\d\d [\d:]+ UTC</time>', row
    )


def test_object_text_is_escaped_everywhere() -> None:
    hostile = "<script>x</script>"
    words, setup = (TextPiece(hostile),), make_section("x", hostile, make_fact(hostile, hostile))[0].facts
    view = samples.detail_view(
        containers=(
            ContainerLine(hostile, hostile, "init", hostile, "ok", True, 1, hostile, hostile, (words,), setup),
        ),
        name=hostile,
        yaml=hostile,
        labels=((hostile, hostile),),
        annotations=((hostile, hostile),),
        summary=(TextPiece(hostile),),
        facts=make_section("x", hostile, make_fact(hostile, hostile, TextPiece(hostile, href=hostile))),
        changes=(ChangeLine(hostile, "", hostile, (FieldLine(hostile, hostile, hostile),)),),
        events=(samples.EventLine("e", "", hostile, hostile, "warn", 1),),
    )
    html = render_to_string("details/detail.html", {"view": view, "page": samples.page_info("pods")})
    assert hostile not in html
    assert deltaboard.change(f"x {hostile} → {hostile}") == (
        "x <del>&lt;script&gt;x&lt;/script&gt;</del> → <ins>&lt;script&gt;x&lt;/script&gt;</ins>"
    )
    assert hostile not in deltaboard.mark_mistake(samples.problem(0, 3, ""), hostile)


def test_the_command_that_is_copied_runs_nothing_but_kubectl() -> None:
    name = "web.17$(touch x); rm -rf ~ '\"&"
    view = samples.detail_view(name=name, namespace="a b")
    html = render_to_string("details/detail.html", {"view": view, "page": samples.page_info("pods")})
    copied = [unescape(text) for text in re.findall(r'data-copy="([^"]*)"', html)]
    assert copied[0] == name
    (command,) = re.findall(r'data-copy-kubectl="([^"]*)"', html)
    assert shlex.split(unescape(command)) == ["get", "pods", name, "-n", "a b", "-o", "yaml"]
    plain = render_to_string("details/detail.html", {"view": samples.detail_view(), "page": samples.page_info("pods")})
    assert f'"get pods {samples.detail_view().name} -n' in plain


def test_every_filter_of_ours_is_used_somewhere() -> None:
    sources = "".join(path.read_text() for path in TEMPLATES.rglob("*.html"))
    assert [name for name in deltaboard.register.filters if f"|{name}" not in sources] == []


@pytest.mark.long
@pytest.mark.program
def test_templates_are_formatted() -> None:
    djade = Path(sys.executable).parent / "djade"
    files = [str(TEMPLATES / name) for name in NAMES]
    done = subprocess.run([str(djade), "--check", "--target-version", "5.2", *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + done.stdout


def test_problems_come_first_on_the_overview_for_narrow_windows_and_keys() -> None:
    source = (TEMPLATES / "overview/overview.html").read_text()
    parts = [source.index(part) for part in ("_causes.html", "_tiles.html", "chart-card", "_latest.html")]
    assert parts == sorted(parts)
