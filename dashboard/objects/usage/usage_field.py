"""Fields of usage that lists show, filter and sort by: CPU, memory, and their shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dashboard.objects.usage.past_usage import ERROR
from dashboard.objects.usage.usage import Basis, Usage, cpu_text, memory_text

ResourceName = Literal["cpu", "memory"]


@dataclass(frozen=True, slots=True)
class UsageField:
    """The amount of CPU or memory that an object uses, or its share of what the object may use."""

    resource: ResourceName
    is_share: bool = False

    def value(self, usage: Usage) -> float | None:
        """Cores, bytes, or a share (1 is all); None where there is no share."""
        if self.resource == "cpu":
            return usage.cpu_share if self.is_share else usage.cpu
        return usage.memory_share if self.is_share else usage.memory

    def values(self, usage: Usage | None) -> tuple[float, ...]:
        """`value` as filters and orders read fields: empty where it is not known."""
        value = self.value(usage) if usage is not None else None
        return () if value is None else (value,)

    def capacity(self, usage: Usage) -> float:
        """Cores or bytes that it may use; 0 where that is not known."""
        return usage.cpu_capacity if self.resource == "cpu" else usage.memory_capacity

    def basis(self, usage: Usage) -> Basis:
        """What the capacity is."""
        return usage.cpu_basis if self.resource == "cpu" else usage.memory_basis

    def text(self, amount: float) -> str:
        """An amount as ``kubectl top`` has it."""
        return cpu_text(amount) if self.resource == "cpu" else memory_text(amount)

    def past_text(self, amount: float) -> str:
        """That of a sample, in which 190Mi are not written as 189Mi because of its error."""
        return self.text(amount * (1 - ERROR if self.resource == "cpu" else 1 + ERROR))

    @property
    def share(self) -> UsageField:
        """The share of this resource."""
        return UsageField(self.resource, is_share=True)


CPU, MEMORY = UsageField("cpu"), UsageField("memory")
