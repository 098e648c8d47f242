"""Tests of the names that `informerd` exports: all that a user needs, with nothing heavy loaded early."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import informerd.metrics
import informerd.testing
from informerd import errors


def test_every_name_that_is_listed_is_there_once() -> None:
    assert len(informerd.__all__) == len({*informerd.__all__})
    assert [name for name in informerd.__all__ if getattr(informerd, name, None) is None] == []


def test_every_error_can_be_imported() -> None:
    named = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and not name.startswith("_")}
    ours = {name: kind for name, kind in named.items() if issubclass(kind, Exception) or name.startswith("Status")}
    assert len(ours) > 30
    assert {name: getattr(informerd, name, None) for name in ours} == ours
    assert ours.keys() <= {*informerd.__all__}


@pytest.mark.program
def test_the_official_models_and_prometheus_are_loaded_for_nobody_who_does_not_ask() -> None:
    program = (
        "import sys, informerd; print([name for name in ('kubernetes', 'prometheus_client') if name in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_no_public_name_goes_without_a_decision() -> None:
    """docs/informerd-stability.md says when one may go. A new one is written down, and then stays."""
    modules = (informerd, informerd.metrics, informerd.resources, informerd.testing)
    public = {f"{module.__name__}.{name}" for module in modules for name in module.__all__}
    written = Path(__file__).with_name("public_names.txt").read_text().splitlines()
    assert written == sorted(written)
    assert {*written} - public == set(), "these were public: deprecate them first"
    assert public - {*written} == set(), "these are new: add them to public_names.txt"
