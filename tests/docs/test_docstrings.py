"""Tests of the docstrings: each name between single backticks exists."""

from __future__ import annotations

import re

import pytest

from tests.support.program import ROOT

FOLDERS = ("benchmarks", "dashboard", "devcluster", "examples", "informerd", "tests", "tools")
TEXT = re.compile(r'"""(.*?)"""', re.DOTALL)
NAME = re.compile(r"(?<!`)`([A-Za-z_]\w*)(?:\(\))?`(?!`)")
DEFINITION = re.compile(r"^\s*(?:async def|def|class) (\w+)", re.MULTILINE)
OTHERS = {
    "DJANGO_SETTINGS_MODULE",  # Django's variable
    "authorization",  # a field that a ClusterConfig's credentials may have
    "change",  # an input of the form, in dashboard.pages.edit.check_while_typing
    "collectstatic",  # Django's command
    "int",  # a type
    "managedFields",  # Kubernetes' field
    "needs_leader",  # an attribute that a program's own class may have
    "requeue_after",  # a field of informerd's Result
    "view",  # what templates call a live view
    "wait_for_function",  # Playwright's method
    "whoami",  # kubectl's command
}
"""Names that docstrings have from elsewhere."""


@pytest.mark.slow
def test_names_in_docstrings_exist() -> None:
    """A parameter that is renamed is renamed in its docstring, too: a docstring names what is in its module's code, or
    a function, a class or a module of the repository.
    """
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    sources = {path: path.read_text() for path in paths}
    known = OTHERS | {name for path in paths for name in (path.stem, path.parent.name)}
    known |= {name for source in sources.values() for name in DEFINITION.findall(source)}
    assert [f"{path.relative_to(ROOT)}: {name}" for path in paths for name in unknown_names(sources[path], known)] == []


def unknown_names(source: str, known: set[str]) -> list[str]:
    texts = TEXT.findall(source)
    names = {name for text in texts for name in NAME.findall(text)} - known
    return sorted(names - set(re.findall(r"\w+", TEXT.sub("", source)))) if names else []


def test_a_name_that_the_code_does_not_have_is_found() -> None:
    source = 'def find(key):\n    """`key` and `name` by `lookup`; ``{"x": 1}`` is `text()`."""\n    text()'
    assert unknown_names(source, {"lookup"}) == ["name"]
