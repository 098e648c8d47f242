"""Metric families of Deltaboard: informerd's builder with another prefix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from informerd.metrics.family_builder import Families
from informerd.metrics.unique_labels import LabelValues

PREFIX = "deltaboard_"

T = TypeVar("T")


def families(things: Mapping[LabelValues, T], *labels: str) -> Families[T]:
    """Makes families about `things`, named with PREFIX."""
    return Families(things, *labels, prefix=PREFIX)
