"""A real Prometheus that scrapes processes of Deltaboard and evaluates the alert rules, each without its wait."""

from __future__ import annotations

import json
import re
import shutil
import urllib.parse
import urllib.request
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.support.daemon import Daemon
from tests.support.free_ports import free_ports
from tests.support.program import ROOT, answers
from tests.support.skip_if_missing import missing
from tests.support.wait import until

RULES = ROOT / "deploy" / "prometheus" / "alerts.yaml"

_CONFIG = """\
global: {scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 1s}
rule_files: [alerts.yaml]
scrape_configs:
"""


class AlertingPrometheus(Daemon):
    """`run` before use, `kill` after it. `targets` are ``host:port`` by job."""

    def __init__(self, directory: Path, targets: Mapping[str, Iterable[str]]) -> None:
        program = shutil.which("prometheus") or missing("prometheus", "install Debian's prometheus")
        directory.mkdir(parents=True, exist_ok=True)
        super().__init__(Path(program), directory)
        (self.port,) = free_ports(1)
        jobs = [
            f"  - {{job_name: {job}, static_configs: [{{targets: {json.dumps([*addresses])}}}]}}\n"
            for job, addresses in targets.items()
        ]
        (directory / "prometheus.yml").write_text(_CONFIG + "".join(jobs))
        (directory / "alerts.yaml").write_text(re.sub(r"^ +for: .*\n", "", RULES.read_text(), flags=re.MULTILINE))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def run(self) -> None:
        """Start it and wait until it answers."""
        self.start([
            "--config.file=prometheus.yml", "--storage.tsdb.path=data", f"--web.listen-address=127.0.0.1:{self.port}",
            "--query.lookback-delta=10s",
        ])  # fmt: skip
        until(lambda: answers(f"{self.url}/-/ready"), what="Prometheus is ready")

    def value(self, query: str) -> float | None:
        """The value of a query's first series now; None where it has none."""
        address = f"{self.url}/api/v1/query?{urllib.parse.urlencode({'query': query})}"
        with urllib.request.urlopen(address, timeout=10) as answer:
            found = json.load(answer)["data"]["result"]
        return float(found[0]["value"][1]) if found else None

    def firing(self) -> set[str]:
        """Names of the alerts that fire now."""
        with urllib.request.urlopen(f"{self.url}/api/v1/alerts", timeout=10) as answer:
            alerts = json.load(answer)["data"]["alerts"]
        return {each["labels"]["alertname"] for each in alerts if each["state"] == "firing"}
