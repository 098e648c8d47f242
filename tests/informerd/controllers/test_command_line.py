"""Tests of the programs' flags, and of their error messages."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from informerd.controllers.command_line import (
    FAILED,
    INTERRUPTED,
    USAGE,
    cluster_from_options,
    make_parser,
    run_to_end,
)
from informerd.errors import ConfigError, InformerdError, InvalidCall, UnknownResource, Unreachable
from informerd.rest.cluster_config import ClusterConfig
from tests.support.cluster_terminal import Running
from tests.support.informerd.kubeconfigs import kubeconfig as write_kubeconfig


def chosen(*arguments: str) -> ClusterConfig:
    return cluster_from_options(make_parser("program", None).parse_args(arguments))


@pytest.fixture
def kubeconfig(tmp_path: Path) -> Path:
    return write_kubeconfig(tmp_path / "config", user="token: secret")


def test_the_kubeconfig_that_is_named_is_taken(kubeconfig: Path) -> None:
    assert chosen("--kubeconfig", str(kubeconfig)).server == "https://prod.example:6443"


def test_master_replaces_the_server_and_keeps_the_credentials(kubeconfig: Path) -> None:
    config = chosen("--kubeconfig", str(kubeconfig), "--master", "https://10.0.0.1:8443/")
    assert config.server == "https://10.0.0.1:8443"
    assert config.credentials.token == "secret"


def test_master_alone_sends_no_credentials(kubeconfig: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(kubeconfig))
    config = chosen("--master", "http://127.0.0.1:8001")
    assert (config.server, config.credentials.token) == ("http://127.0.0.1:8001", "")


def test_without_either_it_is_what_kubectl_would_take(kubeconfig: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(kubeconfig))
    assert chosen().server == "https://prod.example:6443"


def test_a_master_without_scheme_is_refused() -> None:
    with pytest.raises(ConfigError, match="--master kube:6443: expected an address such as https://"):
        chosen("--master", "kube:6443")


def test_a_flag_is_not_to_be_shortened(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        chosen("--kube", "file")
    assert ended.value.code == USAGE
    assert "unrecognized arguments: --kube" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("no such file"), USAGE),
        (InvalidCall("a negative number"), USAGE),
        (UnknownResource("podz"), USAGE),
        (Unreachable("refused"), FAILED),
        (InformerdError("two\nlines"), FAILED),
    ],
)
def test_an_error_is_one_line_and_what_the_caller_can_mend_has_a_code_of_its_own(
    error: InformerdError, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    async def fail() -> None:
        raise error

    assert run_to_end("program", fail) == code
    said = capsys.readouterr().err
    assert said.startswith("program: ")
    assert said.count("\n") == 1


def test_a_name_that_is_unknown_is_answered_with_those_that_are_near(capsys: pytest.CaptureFixture[str]) -> None:
    async def fail() -> None:
        raise UnknownResource("Deploymnt.apps", ("deployments.apps", "pods", "pods.metrics.k8s.io"))

    run_to_end("program", fail)
    assert capsys.readouterr().err.endswith("no resource 'Deploymnt.apps'; did you mean deployments.apps?\n")


def test_what_interrupts_it_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    async def interrupted() -> None:
        raise KeyboardInterrupt

    assert run_to_end("program", interrupted) == INTERRUPTED
    assert capsys.readouterr().err == ""


DRAINS = """
import asyncio, sys
from informerd.controllers.command_line import run_until_signal

async def main():
    print("working", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        print("draining", flush=True)
        if sys.argv[1] == "stuck":
            await asyncio.Event().wait()

sys.exit(run_until_signal("program", main))
"""


@pytest.mark.program
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_the_first_signal_lets_it_come_to_its_end(number: int) -> None:
    with Running("-c", DRAINS, "quick") as program:
        await program.says("working")
        assert await program.interrupt(number) == 0
        assert program.lines == ["working", "draining"]


@pytest.mark.program
async def test_the_second_signal_ends_it_at_once() -> None:
    with Running("-c", DRAINS, "stuck") as program:
        await program.says("working")
        assert program.process
        program.process.send_signal(signal.SIGTERM)
        await program.says("draining")
        assert await program.interrupt(signal.SIGINT) == 1
