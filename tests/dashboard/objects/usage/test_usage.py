"""Tests of what an object uses in words, and of its share of what it may use."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.live.usage.usage_history import decode, encode
from dashboard.objects.usage.usage import cpu_text, memory_text, share_text
from dashboard.objects.usage.usage_field import CPU, MEMORY
from tests.support.live.fake_usage import usage


@pytest.mark.parametrize(
    ("cores", "text"), [(0, "0m"), (0.0001, "1m"), (0.25, "250m"), (0.2501, "251m"), (1.5, "1500m")]
)
def test_cpu_is_written_as_kubectl_top_does(cores: float, text: str) -> None:
    assert cpu_text(cores) == text


def test_memory_is_written_as_kubectl_top_does() -> None:
    assert [memory_text(size) for size in (0, 2**20 - 1, 128 * 2**20, 3 * 2**30)] == ["0Mi", "0Mi", "128Mi", "3072Mi"]


def test_little_is_not_written_as_nothing() -> None:
    assert [share_text(share) for share in (0, 0.001, 0.005, 0.834, 1.2)] == ["0%", "<1%", "<1%", "83%", "120%"]


def test_there_is_a_share_where_it_is_known_what_may_be_used() -> None:
    limited = usage("shop/web", 0.25, 96, of_cpu=0.5, of_mebibytes=128)
    assert (CPU.share.value(limited), MEMORY.share.value(limited)) == (0.5, 0.75)
    unlimited = usage("shop/web", 0.25, 96)
    assert (CPU.share.value(unlimited), MEMORY.share.value(unlimited)) == (None, None)
    assert (CPU.value(unlimited), MEMORY.value(unlimited)) == (0.25, 96 * 2**20)


@given(st.integers(1, 800))
def test_what_is_kept_of_a_whole_amount_is_written_as_that_amount(units: int) -> None:
    cpu, memory = decode(encode(units * 1e6)) / 1e9, decode(encode(units * 2**20))
    assert (CPU.past_text(cpu), MEMORY.past_text(memory)) == (f"{units}m", f"{units}Mi")
