"""A real Prometheus with a past of its own: what containers used, as the kubelets' cAdvisor tells it."""

from __future__ import annotations

import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.daemon import Daemon
from tests.support.free_ports import free_ports
from tests.support.skip_if_missing import missing
from tests.support.wait import until

Used = tuple[float, float]
"""Cores and bytes."""


@contextmanager
def prometheus_server(folder: Path, used: Mapping[tuple[str, str], Used], begin: float, end: float) -> Iterator[str]:
    """Its address. The containers of each pod (namespace and name) used as much all the time between two moments."""
    programs = [shutil.which(name) for name in ("prometheus", "promtool")]
    if not all(programs):
        missing("past usage", "no prometheus")
    (port,) = free_ports(1)
    folder.mkdir(parents=True, exist_ok=True)
    lines = folder / "metrics.txt"
    lines.write_text(_open_metrics(used, begin, end))
    command = [
        str(programs[1]),
        "tsdb",
        "create-blocks-from",
        "openmetrics",
        "--quiet",
        str(lines),
        str(folder / "data"),
    ]
    subprocess.run(command, check=True, capture_output=True)
    (folder / "prometheus.yml").write_text("scrape_configs: []\n")
    daemon = Daemon(Path(str(programs[0])), folder)
    daemon.start([
        "--config.file=prometheus.yml", "--storage.tsdb.path=data", f"--web.listen-address=127.0.0.1:{port}",
        "--storage.tsdb.retention.time=30d",
    ])  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        until(lambda: _is_ready(daemon, address), within=30, what="Prometheus is ready")
        yield address
    finally:
        daemon.kill()


def _is_ready(daemon: Daemon, address: str) -> bool:
    daemon.check()
    try:
        with urllib.request.urlopen(f"{address}/-/ready", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _open_metrics(used: Mapping[tuple[str, str], Used], begin: float, end: float) -> str:
    moments = range(int(begin), int(end) + 1, 60)
    lines = ["# TYPE container_cpu_usage_seconds counter"]
    for (namespace, pod), (cores, _) in used.items():
        for container in ("main", ""):  # without a name: the sum of the pod, which must not be counted again
            labels = f'namespace="{namespace}",pod="{pod}",container="{container}"'
            lines += [f"container_cpu_usage_seconds_total{{{labels}}} {cores * (at - begin)} {at}" for at in moments]
    lines += ["# TYPE container_memory_working_set_bytes gauge"]
    for (namespace, pod), (_, size) in used.items():
        labels = f'namespace="{namespace}",pod="{pod}",container="main"'
        lines += [f"container_memory_working_set_bytes{{{labels}}} {size} {at}" for at in moments]
    return "\n".join([*lines, "# EOF\n"])
