"""Tests of the commands in the documents: paths exist, and commands have the options of docs/settings.md."""

from __future__ import annotations

import re

import pytest

from dashboard.urls import urlpatterns
from devcluster.workload.images import exists
from devcluster.workload.pod_behaviour import BEHAVIOUR_ANNOTATION
from tests.support.program import ROOT

TEXTS = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "templates").rglob("*.html"),
]
ARCHITECTURE = ROOT / "docs" / "architecture.md"
SOURCE_PATH = re.compile(
    r"`((?:dashboard|devcluster|informerd|examples|templates|tests|pages|objects|live|server)/[\w./-]*(?:/|\.\w+))`"
)
LINK = re.compile(r"\]\(([^)\s]+)\)")
OUR_PATH = re.compile(r"(?<!tests/)\b(?:deploy|docs|static|tools|benchmarks)/[\w./-]*\w/?|\.ci/\w+")


def named_paths() -> list[tuple[str, str]]:
    """Every file and folder of ours that a page or a document names, with who names it."""
    return sorted(
        {(str(text.relative_to(ROOT)), path) for text in TEXTS for path in OUR_PATH.findall(text.read_text())}
    )


@pytest.mark.parametrize(("text", "path"), named_paths())
def test_a_path_that_is_named_exists(text: str, path: str) -> None:
    assert (ROOT / path).exists(), f"{text} names {path}"


@pytest.mark.parametrize("path", sorted(set(SOURCE_PATH.findall(ARCHITECTURE.read_text()))))
def test_a_path_of_the_architecture_exists(path: str) -> None:
    """A path that begins with a room's name is one of dashboard/."""
    assert (ROOT / path).exists() or (ROOT / "dashboard" / path).exists()


@pytest.mark.parametrize("link", sorted(set(LINK.findall(ARCHITECTURE.read_text()))))
def test_a_link_of_the_architecture_leads_somewhere(link: str) -> None:
    name, _, anchor = link.partition("#")
    document = ARCHITECTURE.parent / name if name else ARCHITECTURE
    assert document.exists()
    assert not anchor or anchor in anchors(document.read_text())


def anchors(text: str) -> set[str]:
    """The anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_samples_are_named_where_somebody_has_none() -> None:
    tellers = {text for text, path in named_paths() if path == "deploy/samples/"}
    assert {"README.md", "templates/overview/_causes.html", "templates/lists/_empty.html"} <= tellers


@pytest.mark.parametrize("name", ["README.md", "docs/settings.md"])
def test_daphne_is_started_with_sockets_that_stay_open(name: str) -> None:
    commands = re.findall(r"daphne -.*", (ROOT / name).read_text())
    assert commands
    assert [command for command in commands if "--websocket_timeout -1" not in command] == []


def test_what_a_pod_of_ones_own_may_be_told_to_do_in_the_demo_cluster_is_what_its_workload_reads() -> None:
    text = (ROOT / "README.md").read_text()
    assert f"--annotations={BEHAVIOUR_ANNOTATION}=crash" in text
    assert "an image with `broken` in its name or tag" in text
    assert not exists("nginx:broken")


def test_no_address_is_routed_twice() -> None:
    routes = [str(each.pattern) for each in urlpatterns]
    assert len(routes) == len(set(routes))
