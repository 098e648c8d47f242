"""The test kit for users of the library: controllers on the demo cluster, with injected time.

`DemoCluster` starts an API server, `FakeClock` owns the time, `settled` knows when nothing is left to do.
"""

from informerd.testing.clock import FakeClock, settle
from informerd.testing.demo_cluster import DemoCluster
from informerd.testing.live_cluster import LiveCluster
from informerd.testing.manifests import Manifest
from informerd.testing.running import running
from informerd.testing.settling import settled
from informerd.testing.waiting import eventually

__all__ = [
    "DemoCluster",
    "FakeClock",
    "LiveCluster",
    "Manifest",
    "eventually",
    "running",
    "settle",
    "settled",
]
