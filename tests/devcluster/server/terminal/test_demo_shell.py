"""Tests of the demo's shell: it says what it is, edits a line, and ends with an exit code."""

from __future__ import annotations

import pytest

from devcluster.server.terminal.demo_shell import COMMANDS, DemoShell

POD = {
    "metadata": {"name": "web-1"},
    "spec": {"containers": [{"name": "main", "image": "r/shop/cart:1.0.0", "env": [{"name": "PORT", "value": "80"}]}]},
}


@pytest.fixture
def shell() -> DemoShell:
    return DemoShell(POD, "main", lambda: 1_764_374_400.0)


def test_it_says_that_it_is_a_demo_and_every_command_that_it_names_works(shell: DemoShell) -> None:
    assert "demo cluster" in shell.begin()
    assert shell.begin().endswith("web-1:/# ")
    for command in set(COMMANDS) - {"cat", "exit"}:
        assert "not found" not in shell.feed(f"{command}\r"), command
    assert "PORT=80\r\n" in shell.feed("env\r")
    assert "/cart" in shell.feed("ps\r")
    assert "Sat Nov 29 00:00:00 UTC 2025" in shell.feed("date\r")
    assert "top: not found" in shell.feed("top\r")
    assert shell.feed("echo $?\r").endswith("\r\n127\r\nweb-1:/# ")


def test_a_line_is_edited_before_it_is_entered(shell: DemoShell) -> None:
    assert shell.feed("ecx\x7fho a\x15") == "ecx\b \bho a" + "\b \b" * 6
    assert shell.feed("\x7f\x1b\x00\x1b[A\x1b[17~\x1bOP\x1b[1;5C") == ""
    assert shell.feed("ls\x03").endswith("^C\r\nweb-1:/# ")
    assert "a quote does not end" in shell.feed("echo 'a\r")
    assert len(shell.feed("x" * 10_000)) == 4_096


@pytest.mark.parametrize(
    ("typed", "code"), [("exit\r", 0), ("exit 3\r", 3), ("exit x\r", 2), ("top\rexit\r", 127), ("\x04", 0)]
)
def test_it_ends_with_an_exit_code_and_takes_nothing_more(shell: DemoShell, typed: str, code: int) -> None:
    assert shell.feed(typed).endswith("exit\r\n")
    assert shell.exit_code == code
    assert shell.feed("ls\r") == ""
