"""Lease for which the managers of tests compete."""

from __future__ import annotations

from typing import Any

from informerd.leader_election.election_config import Election
from informerd.leader_election.lease_record import LEASES, LeaseRecord
from tests.informerd.manager.conftest import Place

QUICK: dict[str, Any] = {"retry_period": 0.2}


def election(place: Place, **terms: Any) -> Election:
    return Election("lead", namespace=place.namespace, **{**QUICK, **terms})


async def lease(place: Place) -> LeaseRecord:
    return LeaseRecord.of(await place.dynamic.resource(LEASES, place.namespace).get("lead"))


async def free_lease(place: Place) -> None:
    """Create a Lease that nobody holds, so that the next manager leads at once."""
    spec = {"holderIdentity": "", "leaseDurationSeconds": 1}
    await place.dynamic.resource(LEASES, place.namespace).create({"metadata": {"name": "lead"}, "spec": spec})
