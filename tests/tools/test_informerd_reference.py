"""Tests of informerd's API reference: it has every public name, with its docstring."""

from __future__ import annotations

import importlib

import pytest

from tools.informerd_reference import MODULES, Entry, as_markdown, entries_of

pytestmark = pytest.mark.slow


def entry(name: str) -> Entry:
    return next(each for module in MODULES for each in entries_of(module) if each.name == name)


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_has_a_docstring(module: str) -> None:
    entries = entries_of(module)
    public = {*importlib.import_module(module).__all__} - {"resources"}  # a module, which has its own list
    assert {each.name for each in entries} == public
    assert [each.name for each in entries if not each.docstring] == []


def test_each_has_a_heading_with_its_signature() -> None:
    text = as_markdown()
    assert text.count("\n### ") == sum(len(entries_of(module)) for module in MODULES)
    assert "### retry_on_conflict\n\n```python\nasync def retry_on_conflict(" in text


def test_members_come_with_what_is_inherited_from_what_is_not_public() -> None:
    members = {each.name: each for each in entry("Client").members}
    assert members["Client.logs"].docstring.startswith("The log of one container")
    assert members["Client.impersonate"].signature == "def impersonate(impersonation: Impersonation) -> Self"
    assert "Client.stream" in members
    assert not [name for name in members if "._" in name]
    assert entry("NotServed").members == ()  # those of NotFound are there


def test_docstrings_of_attributes_are_there() -> None:
    (server,) = (each for each in entry("ClusterConfig").members if each.name == "ClusterConfig.server")
    assert (server.signature, server.docstring[:24]) == ("server: str", "The API server's address")


def test_of_a_function_with_overloads_there_is_what_runs() -> None:
    assert entry("eventually").signature.startswith("async def eventually(condition: Callable[[], Any]")
    assert [each.name for each in entry("SharedInformerFactory").members].count("SharedInformerFactory.informer") == 1
