"""Test kit for users of the library: controllers on the demo cluster, with injected time.

`DemoCluster` starts an API server, `FakeClock` controls the time, `wait_until_settled` waits until all work is done.
"""

from informerd.testing.clock import FakeClock, run_ready_tasks
from informerd.testing.demo_cluster import DemoCluster
from informerd.testing.live_cluster import LiveCluster
from informerd.testing.manifests import Manifest
from informerd.testing.running import run_controllers
from informerd.testing.settled import wait_until_settled
from informerd.testing.waiting import eventually

__all__ = [
    "DemoCluster",
    "FakeClock",
    "LiveCluster",
    "Manifest",
    "eventually",
    "run_controllers",
    "run_ready_tasks",
    "wait_until_settled",
]
