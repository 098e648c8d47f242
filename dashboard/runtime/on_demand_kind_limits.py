"""Limits of what is followed on demand, beyond the kinds of the settings."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 2**20


@dataclass(frozen=True, slots=True)
class OnDemandLimits:
    """How much is followed beyond the kinds of the settings, in a worker and in a web process each."""

    kinds: int = 100
    """Watches in all."""
    mebibytes: int = 512
    """What the objects of these kinds take in all."""
    kinds_per_user: int = 50

    @property
    def bytes(self) -> int:
        return self.mebibytes * MIB

    @property
    def kinds_reached(self) -> str:
        """Why one more kind is not followed, as a clause."""
        return f"{self.kinds} kinds are followed on demand already, which is the limit (DELTABOARD_ON_DEMAND_KINDS)"

    @property
    def memory_reached(self) -> str:
        """The same where the objects take too much."""
        return (
            f"its objects would take more than is left of the {self.mebibytes} MiB for kinds on demand "
            "(DELTABOARD_ON_DEMAND_MEMORY)"
        )

    @property
    def user_reached(self) -> str:
        """The same for one person."""
        return (
            f"pages of {self.kinds_per_user} other kinds are open for you, which is the limit "
            "(DELTABOARD_ON_DEMAND_KINDS_PER_USER)"
        )
