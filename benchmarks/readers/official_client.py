"""Reader with `kubernetes.informer` of the official client.

``python -m benchmarks.readers.official_client URL PODS EVENTS`` runs it.
"""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

from kubernetes import client
from kubernetes.informer import ADDED, MODIFIED, SharedInformer

from benchmarks.readers.reader_output import report, resident_megabytes
from benchmarks.support.load_server_pods import LAST_VERSION


def main(server: str, pods: int, events: int) -> None:
    configuration = client.Configuration()
    configuration.host = server
    api = client.CoreV1Api(client.ApiClient(configuration))
    informer = SharedInformer(list_func=api.list_pod_for_all_namespaces)
    listed, done = threading.Event(), threading.Event()
    seen = {"added": 0, "modified": 0}
    times = {"first": 0.0}

    def on_added(_: Any) -> None:
        seen["added"] += 1
        if seen["added"] == pods:
            listed.set()

    def on_modified(pod: Any) -> None:
        if not seen["modified"]:
            times["first"] = time.perf_counter()
        seen["modified"] += 1
        if pod.metadata.resource_version == LAST_VERSION:
            done.set()

    informer.add_event_handler(ADDED, on_added)
    informer.add_event_handler(MODIFIED, on_modified)
    before = resident_megabytes()
    start = time.perf_counter()
    informer.start()
    listed.wait()
    list_seconds = time.perf_counter() - start
    done.wait()
    event_seconds = time.perf_counter() - times["first"]
    resident = resident_megabytes()
    told = (seen["added"], seen["modified"])
    assert told == (pods, events + 1), f"told of {told}, {pods} pods, {events} events and the last were sent"
    report(
        list_seconds=list_seconds,
        events=seen["modified"],
        event_seconds=event_seconds,
        resident=resident,
        grown=resident - before,
        objects=seen["added"],
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
