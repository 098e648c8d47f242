"""Tests of daphne with Deltaboard's settings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.controlplane import free_ports
from tests.support.local_dashboard import environ
from tests.support.program import Program, answers
from tests.support.wait import until

pytestmark = pytest.mark.program

BROKEN_CALLBACK = """
import sys
from dashboard.server.connection_limits import OpenConnections

def leave(*_):
    raise RuntimeError("the callback is broken")

OpenConnections.leave = leave
{start}
"""
LOST_FILE = """
import asyncio, os, socket, sys
from dashboard.server.connection_limits import OpenConnections

listening, calls, enter = socket.create_server(("127.0.0.1", 0)), [], OpenConnections.enter

async def lose_a_file():
    made, _ = await asyncio.get_running_loop().create_connection(asyncio.Protocol, *listening.getsockname())
    calls.append(made)
    number = made.get_extra_info("socket").fileno()
    os.close(number)
    while True:  # the next socket gets this number, also when earlier connections have ended
        while (opened := os.open(os.devnull, os.O_RDONLY)) < number:
            pass
        os.close(opened)
        await asyncio.sleep(0.001)

def counted(*arguments):
    calls.append(arguments)
    if len(calls) == 3:
        calls.append(asyncio.get_running_loop().create_task(lose_a_file()))
    return enter(*arguments)

OpenConnections.enter = counted
{start}
"""
"""The third connection is the last one before a connection to elsewhere loses its file behind the event loop's back."""
DAPHNE = "from daphne.cli import CommandLineInterface; CommandLineInterface.entrypoint()"
DELTABOARD = """
import os
from django.core.management import execute_from_command_line
os.environ["DJANGO_SETTINGS_MODULE"] = "dashboard.settings"
execute_from_command_line(["manage.py", *sys.argv[1:]])
"""


FORMS = pytest.mark.parametrize(
    ("start", "arguments"),
    [
        (DAPHNE, ("-v", "0", "-p", "{port}", "dashboard.asgi:application")),
        (DELTABOARD, ("deltaboard", "--port", "{port}")),
    ],
    ids=["daphne", "deltaboard"],
)


@FORMS
def test_an_error_of_a_callback_is_logged(tmp_path: Path, start: str, arguments: tuple[str, ...]) -> None:
    (port,) = free_ports(1)
    code = BROKEN_CALLBACK.format(start=start)
    options = [each.format(port=port) for each in arguments]
    env = environ(tmp_path, DELTABOARD_TOKEN="off")
    with Program(
        "-c", code, *options, env={**env, "DJANGO_SETTINGS_MODULE": os.environ["DJANGO_SETTINGS_MODULE"]}
    ) as it:
        it.wait_for(lambda: answers(f"http://127.0.0.1:{port}/healthz"))
        it.wait_for(lambda: "RuntimeError: the callback is broken" in it.output, within=30)
        assert "CRITICAL twisted: Unhandled Error" in it.output


@FORMS
def test_a_connection_that_the_event_loop_refuses_is_the_last_one(
    tmp_path: Path, start: str, arguments: tuple[str, ...]
) -> None:
    """That of asyncio, which daphne's own command has, and uvloop."""
    (port,) = free_ports(1)
    options = [each.format(port=port) for each in arguments]
    env = {**environ(tmp_path, DELTABOARD_TOKEN="off"), "DJANGO_SETTINGS_MODULE": os.environ["DJANGO_SETTINGS_MODULE"]}
    url = f"http://127.0.0.1:{port}/healthz"
    with Program("-c", LOST_FILE.format(start=start), *options, env=env) as it:
        it.wait_for(lambda: answers(url))
        it.wait_for(lambda: not answers(url), within=30)
        until(lambda: answers(url))
        assert all(answers(url) for _ in range(5))
        assert "is used by transport" in it.output
        assert "the event loop refuses sockets with the file descriptor" in it.output
