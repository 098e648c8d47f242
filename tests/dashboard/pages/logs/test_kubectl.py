"""Tests of the kubectl commands for what a page of logs shows."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.logs.kubectl import MAX_COMMANDS, logs_commands
from dashboard.pages.logs.log_subject import LogSubject
from dashboard.pages.logs.object_or_list import object_subject
from dashboard.pages.logs.query import LogsQuery


@pytest.mark.parametrize(
    ("key", "address", "command"),
    [
        ("pods", "", "logs web -n shop --all-containers --timestamps --tail=1000 -f"),
        ("pods", "container=a&previous=1", "logs web -n shop -c a --timestamps --previous"),
        ("pods", "since=15m", "logs web -n shop --all-containers --timestamps --since=15m -f"),
        (
            "pods",
            "from=2026-11-28T07:00:00Z&to=2026-11-28T08:00:00Z",
            "logs web -n shop --all-containers --timestamps --since-time=2026-11-28T07:00:00Z",
        ),
        (
            "deployments.apps",
            "",
            "logs deployment/web -n shop --all-pods --prefix --all-containers --timestamps --tail=1000 -f",
        ),
    ],
)
def test_the_command_prints_what_the_page_shows(key: str, address: str, command: str) -> None:
    subject = object_subject(KINDS[key], "shop", "web")
    assert logs_commands(subject, LogsQuery.parse(QueryDict(address)), [("shop", "web")]) == command


def test_pods_of_a_list_have_a_command_each_and_names_are_quoted() -> None:
    subject = LogSubject("Pods", "/logs/", "/resources/pods/")
    pods = [("shop", f"web-{number}") for number in range(MAX_COMMANDS + 5)]
    commands = logs_commands(subject, LogsQuery(), pods).splitlines()
    assert len(commands) == MAX_COMMANDS
    assert commands[0].startswith("logs web-0 -n shop")
    assert logs_commands(subject, LogsQuery(), [("shop", "a;b")]).startswith("logs 'a;b'")
