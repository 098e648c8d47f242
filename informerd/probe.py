"""The probe: one small request every few seconds that tells whether the API server answers at all.

An HTTP/1.1 watch has no keep-alive of its own: when the API server freezes or a middlebox forgets the connection, the
stream just stays silent, as an idle one does. So one probe for each API server asks on a connection of its own.
"""

from __future__ import annotations

import logging
from typing import Protocol

from informerd.clock import Clock
from informerd.errors import ApiError, CredentialsError, InformerdError

log = logging.getLogger(__name__)

INTERVAL = 5.0
"""Seconds between probes."""


class Probed(Protocol):
    """What can be probed: a Client."""

    async def probe(self) -> object:
        """Return or raise ApiError where the API server answered; raise Unreachable where it did not, within 5 s."""
        ...


class ProbeListener(Protocol):
    """Told of every probe; what it raises is logged."""

    def probe_answered(self) -> None:
        """The API server answered."""

    def probe_failed(self, problem: str) -> None:
        """It did not; `problem` is a sentence."""


class Probe:
    """Probes one API server for all the informers of a factory. Any answer counts as life, a refusal too."""

    def __init__(self, client: Probed, *, clock: Clock, interval: float = INTERVAL) -> None:
        self._client = client
        self._clock = clock
        self._interval = interval
        self._listeners: dict[ProbeListener, None] = {}
        self.problem = ""
        """What is wrong since the last probe, as a sentence; empty while the API server answers."""

    def subscribe(self, listener: ProbeListener) -> None:
        """Tell `listener` of every probe from now on."""
        self._listeners[listener] = None

    def unsubscribe(self, listener: ProbeListener) -> None:
        """Tell it nothing more; nothing happens if it was not told."""
        self._listeners.pop(listener, None)

    async def run(self) -> None:
        """Probe until cancelled."""
        while True:
            await self._clock.sleep(self._interval)
            await self.once()

    async def once(self) -> None:
        """Probe now."""
        try:
            await self._client.probe()
        except ApiError:
            problem = ""
        except CredentialsError as error:
            log.warning("no probe: %s", error)  # says nothing about the API server
            return
        except Exception as error:
            if not isinstance(error, InformerdError):
                log.exception("the probe failed")
            problem = f"the API server does not answer: {error}"
        else:
            problem = ""
        if problem != self.problem:
            log.warning("%s", problem or "the API server answers again")
        self.problem = problem
        for listener in [*self._listeners]:
            try:
                if problem:
                    listener.probe_failed(problem)
                else:
                    listener.probe_answered()
            except Exception:
                log.exception("the probe's listener %r failed", listener)
