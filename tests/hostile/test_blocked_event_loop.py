"""Attack: something blocks the event loop of a web or worker process for good, and SIGTERM is not heard either."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest

from dashboard.runtime.process_watchdog import EXIT_CODE
from tests.support.controlplane import free_ports
from tests.support.long_tests import long_but
from tests.support.program import Program, answers
from tests.support.skip_if_missing import redis_url

pytestmark = [pytest.mark.program, pytest.mark.redis]

WITHIN = 120.0
"""Seconds for what takes ten on a machine that has nothing else to do."""
BLOCKING = ("-m", "tests.support.hostile.blocking_program")


class BlockingProgram(Program):
    """A program whose main thread can be blocked in the way `how`."""

    def __init__(self, how: str, *arguments: str, env: dict[str, str]) -> None:
        (self.port,) = free_ports(1)
        super().__init__(*BLOCKING, how, *(each.format(port=self.port) for each in arguments), env=env)

    def block(self) -> None:
        """Block it once it answers."""
        self.wait_for(lambda: answers(f"http://127.0.0.1:{self.port}/healthz"))
        assert self.process is not None
        self.process.send_signal(signal.SIGUSR1)
        self.wait_for(lambda: "blocked at SIGUSR1" in self.output)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A configuration that cannot be used: everything but a cluster."""
    return {
        "KUBECONFIG": str(tmp_path / "none"),
        "DELTABOARD_VAR": str(tmp_path),
        "SECRET_KEY": os.urandom(20).hex(),
        "DELTABOARD_CHANNEL_PREFIX": f"test-{os.urandom(8).hex()}",
        "DELTABOARD_BLOCKED_SECONDS": "600",
        "REDIS_URL": "",
    }


DELTABOARD = ("manage.py", "deltaboard", "--port", "{port}")
DAPHNE = ("-m", "daphne", "-v", "0", "-b", "127.0.0.1", "-p", "{port}", "dashboard.asgi:application")
INFORMERD = ("manage.py", "informerd", "--probes", "127.0.0.1:{port}")


@pytest.mark.parametrize(
    ("arguments", "with_redis"),
    [
        pytest.param(DELTABOARD, False, id="deltaboard"),
        pytest.param(DAPHNE, True, id="daphne", marks=pytest.mark.long),
        pytest.param(INFORMERD, True, id="informerd", marks=pytest.mark.long),
    ],
)
def test_a_blocked_event_loop_ends_the_process_which_writes_what_it_was_busy_with(
    arguments: tuple[str, ...], with_redis: bool, environ: dict[str, str]
) -> None:
    environ |= {"DELTABOARD_BLOCKED_SECONDS": "15", "REDIS_URL": redis_url() if with_redis else ""}
    with BlockingProgram("system call", *arguments, env=environ) as program:
        program.block()
        assert program.process is not None
        assert program.process.wait(WITHIN) == EXIT_CODE
        (problem,) = re.findall(r"^Deltaboard ends with exit code 70: (.*)", program.output, re.MULTILINE)
        assert re.fullmatch(r"the event loop has been blocked for 1\d s\. Its threads:", problem)
        assert "in _in_system_call" in program.output
        assert program.output.count("Thread 0x") >= 2


def test_a_loop_that_is_blocked_while_it_writes_a_log_line_ends_the_process_too(environ: dict[str, str]) -> None:
    environ |= {"DELTABOARD_BLOCKED_SECONDS": "10"}
    with BlockingProgram("log handler", *DELTABOARD, env=environ) as program:
        program.block()
        assert program.process is not None
        assert program.process.wait(WITHIN) == EXIT_CODE
        assert "in _in_log_handler" in program.output


@pytest.mark.parametrize(
    ("how", "exit_code"),
    [
        pytest.param("python", EXIT_CODE, marks=pytest.mark.long),
        pytest.param("system call", EXIT_CODE, marks=pytest.mark.long),
        ("regular expression", -signal.SIGVTALRM),
        pytest.param("c", -signal.SIGVTALRM, marks=pytest.mark.long),
    ],
)
def test_sigterm_ends_a_process_whatever_blocks_it(how: str, exit_code: int, environ: dict[str, str]) -> None:
    with BlockingProgram(how, *DELTABOARD, env=environ) as program:
        program.block()
        assert program.stop(within=WITHIN) == exit_code
        assert f"in _in_{how.replace(' ', '_')}" in program.output


@pytest.mark.long
@pytest.mark.parametrize("arguments", long_but([DAPHNE, INFORMERD], INFORMERD), ids=["daphne", "informerd"])
def test_sigterm_ends_the_other_forms_of_the_program_too(arguments: tuple[str, ...], environ: dict[str, str]) -> None:
    environ |= {"REDIS_URL": redis_url()}
    with BlockingProgram("system call", *arguments, env=environ) as program:
        program.block()
        assert program.stop(within=WITHIN) == EXIT_CODE
        assert "the process was asked to end 10 s ago and has not" in program.output


def test_sigterm_of_a_process_that_answers_is_the_end_it_always_was(environ: dict[str, str]) -> None:
    with BlockingProgram("python", *DELTABOARD, env=environ) as program:
        program.wait_for(lambda: answers(f"http://127.0.0.1:{program.port}/healthz"))
        assert program.stop() == 0
        assert "Deltaboard ends" not in program.output
