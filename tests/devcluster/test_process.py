"""Tests of the demo cluster's process: its output and files, and its end."""

from __future__ import annotations

import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from devcluster.__main__ import parse
from devcluster.kubeconfig import write_kubeconfig
from devcluster.workload_size import WorkloadSize
from tests.support.devcluster.http_client import Api
from tests.support.program import ROOT
from tests.support.wait import until

pytestmark = pytest.mark.program

Process = subprocess.Popen[bytes]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """Starts demo clusters whose kubeconfig is ``kubeconfig`` in the test's folder; ends them after the test."""
    started: list[Process] = []

    def begin(*arguments: str) -> Process:
        command = [sys.executable, "-m", "devcluster", "--no-workload", "--kubeconfig", str(tmp_path / "kubeconfig")]
        process = subprocess.Popen(
            [*command, *arguments], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def ready_line(process: Process) -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode()


def test_it_says_where_it_is_and_writes_a_kubeconfig(start: Callable[..., Process], tmp_path: Path) -> None:
    line = ready_line(start("--port", "0"))
    kubeconfig = tmp_path / "kubeconfig"
    api = Api.of(kubeconfig)
    assert line == f"devcluster: ready at {api.server}\n"
    assert stat.S_IMODE(kubeconfig.stat().st_mode) == 0o600
    assert api.get("/apis/crddemo.k8s.io/v1/mydemos").json["items"] == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_cleanly(start: Callable[..., Process], number: signal.Signals) -> None:
    process = start("--port", "0")
    ready_line(process)
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (0, b"")


def test_it_ends_with_an_open_watch(start: Callable[..., Process], tmp_path: Path) -> None:
    process = start("--port", "0")
    ready_line(process)
    api = Api.of(tmp_path / "kubeconfig")
    with socket.create_connection(("127.0.0.1", int(api.server.rsplit(":", 1)[1]))) as plain:
        watch = api.tls.wrap_socket(plain, server_hostname="127.0.0.1")
        request = f"GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {api.token}\r\n\r\n"
        watch.sendall(request.encode())
        assert b"200 OK" in watch.recv(1024)
        process.terminate()
        assert process.wait(10) == 0
        watch.close()


def test_it_ends_with_its_parent_where_asked_to(start: Callable[..., Process]) -> None:
    process = start("--port", "0", "--exit-with-parent")
    ready_line(process)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(10) == 0


def test_a_port_in_use_is_one_line_and_exit_1(start: Callable[..., Process]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = start("--port", str(taken.getsockname()[1]))
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert errors.decode().splitlines() == [f"devcluster: port {taken_port(process)} on 127.0.0.1 is in use"]


def taken_port(process: Process) -> str:
    arguments: list[str] = list(process.args)  # type: ignore[arg-type]
    return arguments[-1]


def test_a_second_one_takes_the_kubeconfig_over(start: Callable[..., Process], tmp_path: Path) -> None:
    first = ready_line(start("--port", "0"))
    second = ready_line(start("--port", "0"))
    assert first != second
    assert Api.of(tmp_path / "kubeconfig").server in second
    until(lambda: Api.of(tmp_path / "kubeconfig").get("/readyz").text == "ok")


@pytest.mark.parametrize(
    ("flag", "value", "said"),
    [
        ("--pods", "many", "argument --pods: 'many' is not a whole number from 1 to 50000"),
        ("--pods", "-3", "argument --pods: '-3' is not a whole number from 1 to 50000"),
        ("--pods", "50001", "argument --pods: '50001' is not a whole number from 1 to 50000"),
        ("--rate", "fast", "argument --rate: 'fast' is not a number of changes a second from 0 to 1000"),
        ("--rate", "1001", "argument --rate: '1001' is not a number of changes a second from 0 to 1000"),
        ("--seed", "x", "argument --seed: 'x' is not a whole number"),
    ],
)
def test_a_size_that_is_none_is_a_sentence_and_exit_code_2(
    flag: str, value: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse([f"{flag}={value}"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"devcluster: error: {said}"


def test_a_size_is_handed_on_as_flags() -> None:
    for size in (WorkloadSize(), WorkloadSize(pods=7, rate=0.5, seed=-1)):
        options = parse(list(size.flags))
        assert WorkloadSize(options.pods, options.rate, options.seed) == size


@pytest.mark.parametrize("port", ["65536", "-1", "x", "1.5", "", "²"])
def test_a_port_that_is_none_is_refused(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse([f"--port={port}"])
    assert caught.value.code == 2
    assert f"argument --port: {port!r} is not a port from 0 to 65535" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("place", "why"), [("", "it is a directory"), ("file/x", "File exists"), ("file/x/y", "Not a dir")]
)
def test_a_kubeconfig_that_cannot_be_written_is_told(tmp_path: Path, place: str, why: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=f"cannot write the kubeconfig .*: {why}"):
        write_kubeconfig(tmp_path / place, server="https://x", authority=b"", token="t")
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
