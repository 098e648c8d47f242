"""Tests of comparing resource versions, as in apimachinery's util/resourceversion."""

from __future__ import annotations

import pytest

from informerd.errors import InformerdError, MalformedResourceVersion
from informerd.resource_version import has_reached, is_before, parse_resource_version

MALFORMED = [
    "",
    "0",
    "07",
    "-1",
    "+1",
    "1x",
    "1.0",
    " 1",
    "1 ",
    "1_000",
    "0x1",
    "\N{FULLWIDTH DIGIT ONE}",
    "\N{ARABIC-INDIC DIGIT ONE}",
]


@pytest.mark.parametrize("text", MALFORMED)
def test_only_positive_decimal_numbers_are_resource_versions(text: str) -> None:
    with pytest.raises(MalformedResourceVersion, match="is not a resource version") as raised:
        parse_resource_version(text)
    assert raised.value.text == text
    assert isinstance(raised.value, InformerdError)
    assert isinstance(raised.value, ValueError)


def test_resource_versions_compare_as_numbers_whatever_their_length() -> None:
    assert has_reached("100", "99")
    assert not has_reached("99", "100")
    assert has_reached("7", "7")
    assert has_reached("18446744073709551617", "18446744073709551616")
    assert is_before("99", "100")
    assert not is_before("100", "99")
    assert not is_before("7", "7")


def test_versions_that_are_no_numbers_are_reached_only_where_equal_and_never_before() -> None:
    assert has_reached("x", "x")
    assert not has_reached("x", "1")
    assert not has_reached("2", "x")
    assert not is_before("", "1")
    assert not is_before("1", "x")
