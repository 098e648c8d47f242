"""Configuration of an election: its lease, the identity of this process, and the durations."""

from __future__ import annotations

import re
import socket
import uuid
from dataclasses import KW_ONLY, dataclass, field
from math import isfinite

from informerd.errors import InvalidCall

JITTER = 1.2
"""Between two tries to acquire, a process waits up to so many retry periods longer (client-go leaderelection.go)."""

_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def own_identity() -> str:
    """This process's name in leases: its host's (a pod's is the pod's), and something that no other process has."""
    return f"{socket.gethostname()}_{uuid.uuid4()}"


@dataclass(frozen=True)
class Election:
    """A lease to be held by one process at a time. Times in seconds; the defaults are client-go's and Kubernetes' own.

    Every process must be given the same. Raises InvalidCall for times that would let two lead.
    """

    name: str
    """The Lease's name; controllers of one name compete."""
    _: KW_ONLY
    namespace: str = ""
    """Where the Lease is; by default the namespace of the cluster's configuration, which in a pod is the pod's own."""
    identity: str = field(default_factory=own_identity)
    """Identity of this process. It must be unique: a restarted process is another one."""
    lease_duration: int = 15
    """Seconds that others wait for a renewal before they take over; whole seconds, as the API server stores them."""
    renew_deadline: float = 10.0
    """Seconds after a renewal for which its holder leads; then its writes are refused and the lease is released."""
    retry_period: float = 2.0
    """Between two renewals. Between two tries to acquire it is 1 to 2.2 times as long."""
    release: bool = True
    """Whether to give the lease up at the end, so that the next one need not wait."""
    blocked_limit: float = 60.0
    """Seconds without a turn of the event loop after which the lease is left to expire, so another takes over."""

    def __post_init__(self) -> None:
        self._check_types()
        if not _NAME.fullmatch(self.name):
            raise InvalidCall(f"{self.name!r} is not a name for a Lease: use lower-case letters, digits, - and .")
        if self.namespace and not _NAMESPACE.fullmatch(self.namespace):
            raise InvalidCall(f"{self.namespace!r} is not a namespace name: use lower-case letters, digits and -")
        if not self.identity:
            raise InvalidCall("an election needs an identity that no other process has: leave it out to get one")
        if self.lease_duration != int(self.lease_duration) or self.lease_duration < 1:
            raise InvalidCall(f"a lease lasts whole seconds, at least one, not {self.lease_duration}")
        if not self.lease_duration > self.renew_deadline:
            raise InvalidCall(
                f"lease_duration ({self.lease_duration} s) must be longer than renew_deadline "
                f"({self.renew_deadline:g} s), or another takes over while this one still leads"
            )
        if not self.renew_deadline > JITTER * self.retry_period > 0:
            raise InvalidCall(
                f"renew_deadline ({self.renew_deadline:g} s) must be more than {JITTER} times retry_period "
                f"({self.retry_period:g} s), or one renewal that is late loses the lease"
            )
        if not self.blocked_limit > 0:
            raise InvalidCall(f"blocked_limit={self.blocked_limit!r}: give seconds, more than 0")

    def _check_types(self) -> None:
        for name in ("name", "namespace", "identity"):
            given: object = getattr(self, name)
            if not isinstance(given, str):
                raise InvalidCall(f"an election's {name} is a text, not {given!r}")
        for name in ("lease_duration", "renew_deadline", "retry_period", "blocked_limit"):
            given = getattr(self, name)
            if not isinstance(given, int | float) or not isfinite(given):
                raise InvalidCall(f"an election's {name} is a number of seconds, not {given!r}")
