"""Tests of the names that `informerd` exports: all that a user needs, with nothing heavy loaded early."""

from __future__ import annotations

import subprocess
import sys

import pytest

import informerd
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
