"""The commands as a person starts them: what they say, what they refuse, and that nothing is left behind."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from tests.controlplane import ControlPlane, free_ports
from tests.program import ROOT, Program, answers
from tests.wait import until

UNSET = ("KUBECONFIG", "REDIS_URL", "SECRET_KEY", "PORT", "DATABASE_URL", "DEBUG", "DELTABOARD_KINDS")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Nothing configured: an empty home, hence the demo cluster."""
    kept = {name: value for name, value in os.environ.items() if name not in UNSET}
    return {**kept, "HOME": str(tmp_path), "DELTABOARD_VAR": str(tmp_path / "var"), "PYTHONUNBUFFERED": "1"}


def run(environ: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command that is expected to end by itself."""
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT, env=environ, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


@contextlib.contextmanager
def running(environ: dict[str, str], *arguments: str) -> Iterator[Program]:
    program = Program("manage.py", *arguments)
    program.env = environ
    with program:
        yield program


def address(program: Program) -> str:
    """Where it says that it answers."""
    program.wait_for(lambda: "Deltaboard is at" in program.output)
    found = re.search(r"Deltaboard is at (http://\S+)/", program.output)
    assert found
    return found[1]


def children(pid: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in listed.stdout.split()]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


# --- deltaboard -------------------------------------------------------------------------------------------------


def test_without_a_cluster_it_starts_the_demo_cluster_and_says_why(environ: dict[str, str]) -> None:
    with running(environ, "deltaboard", "--port", "0") as program:
        url = address(program)
        program.wait_for(lambda: "Cluster demo at" in program.output and answers(f"{url}/readyz"))
        assert "because: no cluster is configured" in program.output
        program.wait_for(lambda: ready(url))
        assert len(program.output.splitlines()) == 2, program.output


def ready(url: str) -> bool:
    import urllib.error
    import urllib.request

    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except urllib.error.HTTPError:
        return False


def test_with_a_kubeconfig_it_uses_that_and_context_names_another(
    environ: dict[str, str], controlplane: ControlPlane
) -> None:
    environ["KUBECONFIG"] = str(controlplane.kubeconfig)
    with running(environ, "deltaboard", "--port", "0") as program:
        url = address(program)
        program.wait_for(lambda: ready(url))
        said = f"Cluster local at {controlplane.server}, because: KUBECONFIG={controlplane.kubeconfig}, current context"
        assert said in program.output
    with running(environ, "deltaboard", "--port", "0", "--context", "elsewhere") as program:
        url = address(program)
        program.wait_for(lambda: "No cluster yet" in program.output)
        assert "'elsewhere'" in program.output
        assert "local" in program.output
        assert answers(f"{url}/")


def test_port_comes_from_the_environment(environ: dict[str, str]) -> None:
    (port,) = free_ports(1)
    with running({**environ, "PORT": str(port)}, "deltaboard") as program:
        assert address(program) == f"http://127.0.0.1:{port}"


def test_a_port_in_use_is_one_line_and_exit_code_1(environ: dict[str, str]) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run(environ, "deltaboard", "--port", str(port))
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.splitlines() == [
        f"Port {port} of 127.0.0.1 is in use: choose another with --port or PORT, or stop what listens there."
    ]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_binding_elsewhere_is_refused_with_a_sentence(environ: dict[str, str], host: str) -> None:
    ended = run(environ, "deltaboard", "--port", "0", "--bind", host)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith(f"Deltaboard does not listen on {host}: it has no sign-in yet")
    assert len(ended.stderr.splitlines()) == 1


def test_behind_a_signing_in_proxy_it_binds_elsewhere_and_wants_the_user(environ: dict[str, str]) -> None:
    environ["DELTABOARD_TRUST_PROXY_USER"] = "X-Forwarded-User"
    with running(environ, "deltaboard", "--port", "0", "--bind", "0.0.0.0") as program:
        url = address(program).replace("0.0.0.0", "127.0.0.1")
        assert status(url) == 403
        assert status(url, **{"X-Forwarded-User": "alice"}) == 200


def status(url: str, **headers: str) -> int:
    import urllib.error
    import urllib.request

    try:
        with urllib.request.urlopen(urllib.request.Request(f"{url}/", headers=headers), timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.parametrize("port", ["-1", "70000"])
def test_a_port_that_is_none_is_one_line(environ: dict[str, str], port: str) -> None:
    ended = run(environ, "deltaboard", f"--port={port}")
    assert ended.returncode == 1
    assert len(ended.stderr.splitlines()) == 1


def test_a_kind_that_means_nothing_is_one_line(environ: dict[str, str]) -> None:
    ended = run({**environ, "DELTABOARD_KINDS": "pods,nonsense"}, "deltaboard", "--port", "0")
    assert ended.returncode == 1
    assert ended.stderr.startswith("DELTABOARD_KINDS: 'nonsense' is no kind")
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_it_ends_soon_with_open_pages_and_leaves_nothing_behind(
    environ: dict[str, str], number: signal.Signals
) -> None:
    with running(environ, "deltaboard", "--port", "0") as program:
        url = address(program)
        program.wait_for(lambda: "Cluster demo at" in program.output)
        assert program.process
        demo = children(program.process.pid)
        assert len(demo) == 1
        async with aiohttp.ClientSession() as session:
            socket = await session.ws_connect(f"{url}/live/?path=/resources/pods/", headers={"Origin": url})
            await socket.receive(timeout=5)
            begun = time.monotonic()
            assert program.stop(number) == 0
            assert time.monotonic() - begun < 6  # half a second on a machine that does nothing else
        until(lambda: not any(alive(pid) for pid in demo), within=3)
        assert "Traceback" not in program.output, program.output
        assert "never retrieved" not in program.output, program.output


def test_even_killed_it_leaves_no_demo_cluster_behind(environ: dict[str, str]) -> None:
    with running(environ, "deltaboard", "--port", "0") as program:
        program.wait_for(lambda: "Cluster demo at" in program.output)
        assert program.process
        demo = children(program.process.pid)
        assert len(demo) == 1
        program.kill()
        until(lambda: not any(alive(pid) for pid in demo), within=5)


def test_a_broken_kubeconfig_opens_the_page_says_where_and_heals_when_it_is_mended(
    environ: dict[str, str], controlplane: ControlPlane, tmp_path: Path
) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text("apiVersion: v1\nclusters:\n  - name: [unclosed\n")
    with running({**environ, "KUBECONFIG": str(kubeconfig)}, "deltaboard", "--port", "0") as program:
        url = address(program)
        program.wait_for(lambda: "No cluster yet" in program.output)
        assert str(kubeconfig) in program.output
        page = body(url)
        assert str(kubeconfig) in page
        assert re.search(r"line \d", page)
        kubeconfig.write_text(controlplane.kubeconfig.read_text())
        program.wait_for(lambda: ready(url), within=15)
        assert str(kubeconfig) + ", line" not in body(url)


def body(url: str) -> str:
    import urllib.request

    with urllib.request.urlopen(f"{url}/", timeout=10) as answer:
        return str(answer.read().decode())


def test_an_unreachable_cluster_opens_the_page_and_says_what_failed(
    environ: dict[str, str], controlplane: ControlPlane, tmp_path: Path
) -> None:
    (port,) = free_ports(1)
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(controlplane.kubeconfig.read_text().replace(str(controlplane.api_port), str(port)))
    with running({**environ, "KUBECONFIG": str(kubeconfig)}, "deltaboard", "--port", "0") as program:
        url = address(program)
        program.wait_for(lambda: f"https://127.0.0.1:{port} cannot be reached" in body(url))
        assert "ried again every 5 s" in body(url)
        kubeconfig.write_text(controlplane.kubeconfig.read_text())
        program.wait_for(lambda: ready(url), within=20)


# --- informerd, daphne, runserver -------------------------------------------------------------------------------


def test_informerd_needs_redis_and_says_so(environ: dict[str, str]) -> None:
    ended = run(environ, "informerd")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("informerd publishes through Redis, so REDIS_URL must be set")
    assert len(ended.stderr.splitlines()) == 1


def test_daphne_alone_holds_everything_and_ends_cleanly(environ: dict[str, str]) -> None:
    (port,) = free_ports(1)
    program = Program("-m", "daphne", "-p", str(port), "dashboard.asgi:application")
    program.env = environ
    with program:
        program.wait_for(lambda: answers(f"http://127.0.0.1:{port}/") and ready(f"http://127.0.0.1:{port}"))
        assert program.process
        demo = children(program.process.pid)
        assert len(demo) == 1
        program.stop(signal.SIGINT)
        until(lambda: not any(alive(pid) for pid in demo), within=3)
        assert "Traceback" not in program.output, program.output


def test_runserver_reloads_and_leaves_nothing_behind(environ: dict[str, str]) -> None:
    (port,) = free_ports(1)
    url = f"http://127.0.0.1:{port}"
    with running(environ, "runserver", str(port)) as program:
        program.wait_for(lambda: answers(f"{url}/") and ready(url))
        assert program.process
        (served,) = children(program.process.pid)
        demo = children(served)
        assert len(demo) == 1
        touched = ROOT / "dashboard" / "logs.py"
        os.utime(touched)
        until(lambda: not alive(served) and not any(alive(pid) for pid in demo), within=20)
        program.wait_for(lambda: answers(f"{url}/") and ready(url), within=30)
        (again,) = children(program.process.pid)
        demo = children(again)
        assert len(demo) == 1
        program.stop(signal.SIGTERM)
        until(lambda: not alive(again) and not any(alive(pid) for pid in demo), within=5)


def test_runserver_refuses_other_addresses(environ: dict[str, str]) -> None:
    ended = run(environ, "runserver", "--noreload", "0.0.0.0:0")
    assert ended.returncode == 1
    assert "it has no sign-in yet" in ended.stderr
