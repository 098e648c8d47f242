"""What an object used in the last day, span by span."""

from __future__ import annotations

import msgspec

ERROR = 0.0006
"""Part of an amount by which that of a sample may be wrong."""


class Sample(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The most that an object used in a span of time."""

    at: float
    """Unix seconds of the span's beginning."""
    seconds: int
    """Length of the span."""
    cpu: float
    """Cores."""
    memory: float
    """Bytes."""
    is_partial: bool = False
    """Whether it is a sum in which pods were missing, because they were not measured."""


class PastUsage(msgspec.Struct, frozen=True, array_like=True):
    """What one object used in the last day."""

    epoch: str
    """Of the worker that knows it."""
    kind: str
    """Key of the object's kind."""
    key: str
    """``namespace/name``, or the name of an object that has no namespace."""
    begun_at: float
    """Unix seconds since when the worker has kept the past."""
    samples: tuple[Sample, ...] = ()
    """Oldest first. Spans without a sample are left out."""
    problem: str = ""
    """Why what was before is not known, as a sentence; empty where nothing failed."""
