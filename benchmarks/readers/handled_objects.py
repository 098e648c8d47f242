"""Count of the objects that a compared operator has handled, and its report."""

from __future__ import annotations

import json
import resource
import time
from http.client import HTTPConnection

from benchmarks.readers.reader_output import resident_megabytes


class HandledObjects:
    """Counts the objects that were handled: first all that were there, and then those that events are about."""

    def __init__(self, url: str, objects: int) -> None:
        self._address = url.removeprefix("http://")
        self._objects = objects
        self._began = time.perf_counter()
        self._before = resident_megabytes()
        self._first = self._listed = self._asked = self._used = 0.0
        self._over = False
        self._seen: set[tuple[str, str]] = set()

    def count_handled(self, namespace: str, name: str) -> bool:
        """Count one handled object. Returns whether none is left."""
        if not self._first:
            self._first = time.perf_counter()
        self._seen.add((namespace, name))
        if len(self._seen) < self._objects:
            return False
        if not self._asked:
            self._listed = time.perf_counter()
            self._seen.clear()
        elif not self._over:
            self._over = True
            self._report(time.perf_counter() - self._asked)
        return self._over

    @property
    def is_listed(self) -> bool:
        """Whether all initial pods have been handled."""
        return bool(self._listed)

    def ask_for_events(self) -> None:
        """Have the load server send its events, an event an object, from now on."""
        connection = HTTPConnection(self._address)
        self._asked, self._used = time.perf_counter(), time.process_time()
        connection.request("GET", "/start")
        connection.getresponse()
        connection.close()

    def _report(self, seconds: float) -> None:
        resident = resident_megabytes()
        figures = {
            "first_seconds": self._first - self._began,
            "listed_seconds": self._listed - self._began,
            "events_seconds": seconds,
            "events_core_seconds": time.process_time() - self._used,
            "rss_mb": resident,
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "bytes_per_object": (resident - self._before) * 2**20 / self._objects,
        }
        print(json.dumps(figures), flush=True)
