"""CPU and memory that an object used in a span of time, beside what it may use."""

from __future__ import annotations

import math
from typing import Literal

import msgspec

Basis = Literal["", "limit", "allocatable"]
"""What a share is of: the limits of its containers, or what its node has for pods. Empty: there is no share."""
MEBIBYTE = 2**20


class Usage(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What an object used. For what owns pods, and for a namespace, it is the sum of the pods that were measured."""

    key: str
    """``namespace/name``, or the name of an object that has no namespace."""
    at: float
    """Unix seconds of the end of the span: of a sum the oldest."""
    window: float
    """Seconds of the span in which CPU was measured. Memory is that of its end."""
    cpu: float
    """Cores."""
    memory: int
    """Bytes of the working set."""
    cpu_capacity: float = 0.0
    """Cores that it may use; 0 where that is not known, or not limited."""
    memory_capacity: int = 0
    """Bytes that it may use; 0 where that is not known, or not limited."""
    cpu_basis: Basis = ""
    memory_basis: Basis = ""
    pods: int = 0
    """Of a sum: the pods in it."""
    unmeasured: int = 0
    """Of a sum: pods that have a node, have not ended, and are not in it, because they were not measured."""

    @property
    def cpu_share(self) -> float | None:
        """Part of what it may use, 1 for all of it. More is possible on a node that runs other programs."""
        return self.cpu / self.cpu_capacity if self.cpu_capacity else None

    @property
    def memory_share(self) -> float | None:
        """Part of what it may use, 1 for all of it."""
        return self.memory / self.memory_capacity if self.memory_capacity else None


def measured_text(usage: Usage) -> str:
    """What is missing in a sum: ``38 of 40 pods measured``. Empty where nothing is, and for a pod or node itself."""
    return f"{pods_text(usage)} pods measured" if usage.unmeasured else ""


def pods_text(usage: Usage) -> str:
    """How many pods are in a sum, and how many should be: ``38 of 40``."""
    return f"{usage.pods} of {usage.pods + usage.unmeasured}"


def basis_text(usage: Usage, basis: Basis) -> str:
    """What a share of this usage is of: ``the limit``, ``its allocatable``. Empty where there is no share."""
    if basis == "allocatable":
        return "its node's allocatable" if "/" in usage.key else "its allocatable"
    return "the limit" if basis else ""


def cpu_text(cores: float) -> str:
    """Thousandths of a core, rounded up, as ``kubectl top`` has them: 250m."""
    return f"{math.ceil(round(cores * 1000, 6))}m"


def memory_text(size: float) -> str:
    """Whole mebibytes, as ``kubectl top`` has them: 128Mi."""
    return f"{int(size // MEBIBYTE)}Mi"


def share_text(share: float) -> str:
    """A part of something: 83%. What is not nothing and would be rounded to nothing is <1%."""
    return "<1%" if share > 0 and not round(share * 100) else f"{share * 100:.0f}%"
