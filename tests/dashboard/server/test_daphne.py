"""Tests of daphne with Deltaboard's settings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.controlplane import free_ports
from tests.support.local_dashboard import environ
from tests.support.program import Program, answers

pytestmark = pytest.mark.program

BROKEN_CALLBACK = """
import sys
from dashboard.server.connection_limits import OpenConnections

def leave(*_):
    raise RuntimeError("the callback is broken")

OpenConnections.leave = leave
{start}
"""
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
