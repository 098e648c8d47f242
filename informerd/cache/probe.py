"""The probe: one small request every few seconds that tells whether the API server answers at all.

An HTTP/1.1 watch has no keep-alive of its own: when the API server freezes or a middlebox forgets the connection, the
stream just stays silent, as an idle one does. So one probe for each API server asks on a connection of its own.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Literal, Protocol, get_args

from informerd.clock import Clock, sleep_or
from informerd.errors import ApiError, CredentialsError, InformerdError
from informerd.repeats import Repeats, nth

log = logging.getLogger(__name__)

INTERVAL = 5.0
"""Seconds between probes."""
IN_DOUBT = 1.0
"""Seconds between them while the API server is not well, or somebody could not reach it: they wait for a good one."""


ProbeOutcome = Literal["answered", "refused", "silent", "no_credentials"]
"""refused: it answered that it is not well, which is a sign of life too · silent: no answer within 5 s ·
no_credentials: the probe could not be sent."""


class Probed(Protocol):
    """What can be probed: a Client."""

    async def probe(self) -> object:
        """Return or raise ApiError where the API server answered; raise Unreachable where it did not, within 5 s."""
        ...


class ProbeListener(Protocol):
    """Told of every probe; what it raises is logged."""

    def probe_answered(self, *, well: bool) -> None:
        """The API server answered: that it is `well`, or that something is wrong with it (429 or 5xx).

        One that is not well is alive, but its word is not to be taken for news: it may be cut off from etcd.
        """

    def probe_failed(self, problem: str) -> None:
        """It did not; `problem` is a sentence."""


class Probe:
    """Probes one API server for all the informers of a factory. Any answer is a sign of life, a refusal too."""

    def __init__(self, client: Probed, *, clock: Clock, interval: float = INTERVAL) -> None:
        self._client = client
        self._clock = clock
        self._interval = interval
        self._listeners: dict[ProbeListener, None] = {}
        self._repeats = Repeats(clock)
        self._silent_probes = 0
        self._in_doubt = False
        self._doubted = asyncio.Event()
        self.outcomes: Counter[str] = Counter(dict.fromkeys(get_args(ProbeOutcome), 0))
        """How often each ProbeOutcome was seen."""
        self.problem = ""
        """What is wrong since the last probe, as a sentence; empty while the API server answers."""

    def subscribe(self, listener: ProbeListener) -> None:
        """Tell `listener` of every probe from now on."""
        self._listeners[listener] = None

    def unsubscribe(self, listener: ProbeListener) -> None:
        """Tell it nothing more; nothing happens if it was not told."""
        self._listeners.pop(listener, None)

    def doubt(self) -> None:
        """Probe each IN_DOUBT seconds, because the API server could not be reached, until it is well."""
        self._in_doubt = True
        self._doubted.set()

    async def run(self) -> None:
        """Probe until cancelled."""
        while True:
            if not self._in_doubt:
                self._doubted.clear()
                await sleep_or(self._doubted, self._interval, self._clock)
            if self._in_doubt:
                await self._clock.sleep(min(IN_DOUBT, self._interval))
            await self.once()

    async def once(self) -> None:
        """Probe now."""
        try:
            await self._client.probe()
        except ApiError:
            self._heard("refused")
        except CredentialsError as error:
            self.outcomes["no_credentials"] += 1  # says nothing about the API server
            if number := self._repeats.count("no credentials"):
                log.warning("no probe: %s%s", error, nth(number), extra={"problem": str(error), "failures": number})
        except Exception as error:
            if not isinstance(error, InformerdError) and (number := self._repeats.count(type(error).__name__)):
                log.exception("the probe failed%s", nth(number), extra={"failures": number})
            self._missed(f"the API server does not answer: {error}")
        else:
            self._heard("answered")

    def _heard(self, outcome: ProbeOutcome) -> None:
        self.outcomes[outcome] += 1
        self._in_doubt = outcome == "refused"
        if self.problem:
            fields = {"problem": "", "failures": self._silent_probes}
            probes = "1 silent probe" if self._silent_probes == 1 else f"{self._silent_probes} silent probes"
            log.info("the API server answers again after %s", probes, extra=fields)
        self.problem, self._silent_probes = "", 0
        for listener in [*self._listeners]:
            self._tell(partial(listener.probe_answered, well=outcome == "answered"))

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
                log.exception("a listener of the probe failed%s", nth(number), extra={"failures": number})
