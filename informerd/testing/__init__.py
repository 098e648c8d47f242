"""Test kit for users of the library: controllers on the demo cluster, with injected time.

`DemoCluster` starts an API server, `FakeClock` controls the time, `wait_until_settled` waits until all work is done.
"""

from informerd.testing.apply_manifest import Manifest
from informerd.testing.clock import FakeClock, run_ready_tasks
from informerd.testing.controller_runner import run_controllers
from informerd.testing.demo_cluster import DemoCluster
from informerd.testing.live_cluster import LiveCluster
from informerd.testing.polling import eventually
from informerd.testing.wait_until_settled import wait_until_settled

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
