"""Tests of element ids that selectors can name."""

from __future__ import annotations

import re

import pytest

from dashboard.live.rendering.hx_partials import dom_id


def test_an_ordinary_uid_is_its_own_id() -> None:
    assert dom_id("7f3c0d2e-5b1a-4c7e-9d4f-0a1b2c3d4e5f") == "7f3c0d2e-5b1a-4c7e-9d4f-0a1b2c3d4e5f"


@pytest.mark.parametrize("uid", ["a.b", "a b", "a>b", 'a"b', "é", "", "a\n"])
def test_any_other_uid_becomes_an_id_that_means_itself_in_a_selector(uid: str) -> None:
    assert re.fullmatch(r"[\w-]+", dom_id(uid), re.ASCII)
    assert dom_id(uid) != dom_id(uid + ".")
