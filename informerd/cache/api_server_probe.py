"""Liveness probe: one small request every few seconds that checks that the API server answers at all.

An HTTP/1.1 watch has no keep-alive of its own: when the API server freezes or a middlebox forgets the connection, the
stream just stays silent, as an idle one does. So one probe for each API server sends requests on a connection of its
own.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Literal, Protocol, get_args

from informerd.clock import Clock, sleep_or
from informerd.errors import ApiError, CredentialsError, InformerdError, NotConnected
from informerd.log_throttle import LogThrottle, repeat_suffix

log = logging.getLogger(__name__)

INTERVAL = 5.0
"""Seconds between probes."""
SUSPECT_INTERVAL = 1.0
"""Seconds between probes while the API server is not well, or a client could not reach it."""
CONNECT_INTERVAL = 0.5
"""Seconds between tries while not even a connection can be made, which costs the API server nothing."""


ProbeOutcome = Literal["answered", "refused", "silent", "no_credentials"]
"""refused: it answered that it is not well, which is a sign of life too · silent: no answer within 5 s ·
no_credentials: the probe could not be sent."""


class Probeable(Protocol):
    """Target of a probe: a Client."""

    async def probe(self) -> object:
        """Return or raise ApiError where the API server answered; raise Unreachable where it did not, within 5 s."""
        ...


class ProbeListener(Protocol):
    """Listener to probes; its exceptions are logged."""

    def probe_answered(self, *, is_healthy: bool) -> None:
        """The API server answered: it `is_healthy`, or reported a problem (429 or 5xx).

        A server that is not healthy is alive, but its answer does not prove that its data is fresh: it may be cut off
        from etcd.
        """

    def probe_failed(self, problem: str) -> None:
        """The API server did not answer; `problem` is a sentence."""


class Probe:
    """Probes one API server for all the informers of a factory. Any answer is a sign of life, a refusal too."""

    def __init__(self, client: Probeable, *, clock: Clock, interval: float = INTERVAL) -> None:
        self._client = client
        self._clock = clock
        self._interval = interval
        self._listeners: dict[ProbeListener, None] = {}
        self._repeats = LogThrottle(clock)
        self._silent_probes = 0
        self._in_doubt = False
        self._is_connected = True
        self._doubted = asyncio.Event()
        self.outcomes: Counter[str] = Counter(dict.fromkeys(get_args(ProbeOutcome), 0))
        """Number of times that each ProbeOutcome was seen."""
        self.problem = ""
        """The problem of the last probe, as a sentence; empty while the API server answers."""

    def subscribe(self, listener: ProbeListener) -> None:
        """Notify `listener` of every probe from now on."""
        self._listeners[listener] = None

    def unsubscribe(self, listener: ProbeListener) -> None:
        """Stop notifying it; unknown listeners are ignored."""
        self._listeners.pop(listener, None)

    def suspect(self) -> None:
        """Probe each SUSPECT_INTERVAL or CONNECT_INTERVAL until the API server is well: a client could not reach it."""
        self._in_doubt = True
        self._doubted.set()

    async def run(self) -> None:
        """Probe until cancelled."""
        while True:
            if not self._in_doubt:
                self._doubted.clear()
                await sleep_or(self._doubted, self._interval, self._clock)
            if self._in_doubt:
                pause = SUSPECT_INTERVAL if self._is_connected else CONNECT_INTERVAL
                await self._clock.sleep(min(pause, self._interval))
            await self.probe_once()

    async def probe_once(self) -> None:
        """Probe now."""
        try:
            await self._client.probe()
        except ApiError:
            self._heard("refused")
        except CredentialsError as error:
            self.outcomes["no_credentials"] += 1  # says nothing about the API server
            if number := self._repeats.count("no credentials"):
                log.warning(
                    "no probe: %s%s", error, repeat_suffix(number), extra={"problem": str(error), "failures": number}
                )
        except Exception as error:
            if not isinstance(error, InformerdError) and (number := self._repeats.count(type(error).__name__)):
                log.exception("the probe failed%s", repeat_suffix(number), extra={"failures": number})
            self._is_connected = not isinstance(error, NotConnected)
            self._missed(f"the API server does not answer: {error}")
        else:
            self._heard("answered")

    def _heard(self, outcome: ProbeOutcome) -> None:
        self.outcomes[outcome] += 1
        self._in_doubt = outcome == "refused"
        self._is_connected = True
        if self.problem:
            fields = {"problem": "", "failures": self._silent_probes}
            probes = "1 silent probe" if self._silent_probes == 1 else f"{self._silent_probes} silent probes"
            log.info("the API server answers again after %s", probes, extra=fields)
        self.problem, self._silent_probes = "", 0
        for listener in [*self._listeners]:
            self._tell(partial(listener.probe_answered, is_healthy=outcome == "answered"))

    def _missed(self, problem: str) -> None:
        self.outcomes["silent"] += 1
        self._in_doubt = True
        self._silent_probes += 1
        level = logging.DEBUG if self.problem else logging.WARNING  # one line, however long it lasts
        log.log(level, "%s", problem, extra={"problem": problem, "failures": self._silent_probes})
        self.problem = problem
        for listener in [*self._listeners]:
            self._tell(partial(listener.probe_failed, problem))

    def _tell(self, listen: Callable[[], None]) -> None:
        try:
            listen()
        except Exception as error:
            if number := self._repeats.count(f"listener {type(error).__name__}"):
                log.exception("a listener of the probe failed%s", repeat_suffix(number), extra={"failures": number})
