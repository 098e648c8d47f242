"""Record of the holder in a Lease (coordination.k8s.io/v1, LeaseSpec)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from informerd.resource import Resource
from informerd.unstructured import Json

LEASES = Resource(group="coordination.k8s.io", version="v1", plural="leases", kind="Lease", singular="lease")

RELEASED_DURATION = 1
"""The seconds that a lease is given when its holder gives it up (client-go leaderelection.go, release)."""


class LeaseRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Holder of a lease. The times are RFC 3339 text, for people to read: no decision depends on them."""

    holder: str = ""
    duration: int = 0
    acquired_at: str = ""
    renewed_at: str = ""
    transitions: int = 0

    @classmethod
    def of(cls, lease: Json) -> LeaseRecord:
        """Of a Lease as the API server gives it; what it lacks is empty."""
        spec: Any = lease.get("spec") or {}
        return cls(
            holder=spec.get("holderIdentity") or "",
            duration=spec.get("leaseDurationSeconds") or 0,
            acquired_at=spec.get("acquireTime") or "",
            renewed_at=spec.get("renewTime") or "",
            transitions=spec.get("leaseTransitions") or 0,
        )

    def spec(self) -> Json:
        """The spec of the Lease object."""
        return {
            "holderIdentity": self.holder,
            "leaseDurationSeconds": self.duration,
            "acquireTime": self.acquired_at,
            "renewTime": self.renewed_at,
            "leaseTransitions": self.transitions,
        }

    @property
    def since(self) -> float | None:
        """Unix seconds of `acquired_at`; None where nobody holds the lease, or the text is not a time."""
        try:
            return datetime.fromisoformat(self.acquired_at).timestamp() if self.holder else None
        except ValueError:
            return None

    @property
    def is_released(self) -> bool:
        """Whether its holder released it. An empty holder alone does not prove it: a person may have edited it."""
        return not self.holder and self.duration == RELEASED_DURATION


def micro_time(seconds: float) -> str:
    """Unix seconds as metav1.MicroTime: RFC 3339 with microseconds, UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
