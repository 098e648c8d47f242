"""What people are told to type: paths exist, commands have the options that docs/settings.md asks for."""

from __future__ import annotations

import re

import pytest

from dashboard.urls import urlpatterns
from devcluster.workload.behaviour import BEHAVIOUR
from devcluster.workload.images import exists
from tests.program import ROOT

TEXTS = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "templates").rglob("*.html"),
]
OUR_PATH = re.compile(r"\b(?:deploy|docs|static|tools|benchmarks)/[\w./-]*\w/?|\.ci/\w+")


def named_paths() -> list[tuple[str, str]]:
    """Every file and folder of ours that a page or a document names, with who names it."""
    return sorted(
        {(str(text.relative_to(ROOT)), path) for text in TEXTS for path in OUR_PATH.findall(text.read_text())}
    )


@pytest.mark.parametrize(("text", "path"), named_paths())
def test_a_path_that_is_named_exists(text: str, path: str) -> None:
    assert (ROOT / path).exists(), f"{text} names {path}"


def test_the_samples_are_named_where_somebody_has_none() -> None:
    tellers = {text for text, path in named_paths() if path == "deploy/samples/"}
    assert {"README.md", "templates/live/_wrong.html", "templates/resources/_empty.html"} <= tellers


@pytest.mark.parametrize("name", ["README.md", "docs/settings.md"])
def test_daphne_is_started_with_sockets_that_stay_open(name: str) -> None:
    commands = re.findall(r"daphne -.*", (ROOT / name).read_text())
    assert commands
    assert [command for command in commands if "--websocket_timeout -1" not in command] == []


def test_what_a_pod_of_ones_own_may_be_told_to_do_in_the_demo_cluster_is_what_its_workload_reads() -> None:
    text = (ROOT / "README.md").read_text()
    assert f"--annotations={BEHAVIOUR}=crash" in text
    assert "an image with `broken` in its name or tag" in text
    assert not exists("nginx:broken")


def test_no_address_is_routed_twice() -> None:
    routes = [str(each.pattern) for each in urlpatterns]
    assert len(routes) == len(set(routes))
