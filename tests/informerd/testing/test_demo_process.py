"""Tests of the demo cluster's process: one that is not there, and one that does not end."""

from __future__ import annotations

import json
import signal
import sys

import pytest

from informerd.clock import SystemClock
from informerd.errors import ConfigError
from informerd.testing.demo_process import DemoProcess

pytestmark = pytest.mark.program

KUBECONFIG = json.dumps(
    {"clusters": [{"cluster": {"server": "http://127.0.0.1:1"}}], "users": [{"user": {"token": "secret"}}]}
)
STUBBORN = f"""
import signal, threading
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print({KUBECONFIG!r}, flush=True)
threading.Event().wait()
"""


async def test_where_informerd_was_installed_alone_it_says_who_has_the_demo_cluster() -> None:
    alone = (sys.executable, "-I", "-S", "-m", "devcluster")
    demo = DemoProcess(SystemClock(), command=alone)
    with pytest.raises(ConfigError, match="informerd alone does not have it, Deltaboard's repository does"):
        await demo.start("asked for")
    assert not demo.is_running


async def test_a_process_that_does_not_end_by_itself_is_ended_by_force(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("informerd.testing.demo_process.STOP_LIMIT", 0.05)
    demo = DemoProcess(SystemClock(), command=(sys.executable, "-c", STUBBORN))
    assert (await demo.start("asked for")).server == "http://127.0.0.1:1"
    process = demo._process
    assert process is not None
    await demo.stop()
    assert process.returncode == -signal.SIGKILL
    assert not demo.is_running
