"""Printers of Leases and LeaseCandidates."""

from __future__ import annotations

from datetime import datetime

import msgspec

from dashboard.objects.printers.printer import Printer
from dashboard.objects.printers.table_printer import (
    AGE_CELL,
    table_column,
    table_printer,
)
from informerd.objects import Object


class LeaseSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    holder_identity: str = ""
    renew_time: datetime | None = None


class Lease(Object, frozen=True, kw_only=True):
    spec: LeaseSpec = LeaseSpec()


class CandidateSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    lease_name: str = ""
    binary_version: str = ""
    emulation_version: str = ""


class Candidate(Object, frozen=True, kw_only=True):
    spec: CandidateSpec = CandidateSpec()


LEASES = table_printer(
    Lease,
    table_column("holder", "Holder", "spec.holder_identity", "mono"),
    table_column("renewed", "Renewed", "spec.renew_time", "age", priority=2),
    AGE_CELL,
)
CANDIDATES = table_printer(
    Candidate,
    table_column("lease", "Lease name", "spec.lease_name", "mono"),
    table_column("binary-version", "Binary version", "spec.binary_version", "mono"),
    table_column("emulation-version", "Emulation version", "spec.emulation_version", "mono"),
    AGE_CELL,
)
PRINTERS: dict[str, Printer] = {
    "leases.coordination.k8s.io": LEASES,
    "leasecandidates.coordination.k8s.io": CANDIDATES,
}
