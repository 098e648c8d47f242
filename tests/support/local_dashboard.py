"""Deltaboard as a person starts it on a machine that others use, too: without a cluster, with its access token."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Any

from tests.support.controlplane import free_ports
from tests.support.program import Program, answers

EMPTY = {"REDIS_URL": "", "SECRET_KEY": "", "DEBUG": "", "DELTABOARD_TRUST_PROXY_USER": ""}


@dataclass(frozen=True)
class Answer:
    """The answer to one request; redirects are not followed."""

    status: int
    headers: Message
    body: str


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


def ask(url: str, method: str = "GET", **headers: str) -> Answer:
    """Send one request; an underscore in a header's name stands for a dash."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        with _OPENER.open(urllib.request.Request(url, headers=named, method=method), timeout=30) as answer:
            return Answer(answer.status, answer.headers, answer.read().decode())
    except urllib.error.HTTPError as error:
        return Answer(error.code, error.headers, error.read().decode())


def environ(home: Path, **env: str) -> dict[str, str]:
    """Variables of a Deltaboard without a cluster, whose data is in `home`."""
    own = {"HOME": str(home), "DELTABOARD_VAR": str(home / "var"), "KUBECONFIG": str(home / "none")}
    database = {"DATABASE_URL": f"sqlite:///{home / 'var' / 'deltaboard.sqlite3'}"}
    return {**EMPTY, **own, **database, "DELTABOARD_TOKEN": "on", **env}


class LocalDashboard(Program):
    """`manage.py deltaboard` on a free port."""

    def __init__(self, home: Path, *options: str, **env: str) -> None:
        super().__init__("manage.py", "deltaboard", "--port", "0", *options, env=environ(home, **env))

    @property
    def address(self) -> str:
        """The address of the start line, with the token where it has one."""
        self.wait_for(lambda: "Deltaboard is at" in self.output)
        found = re.search(r"Deltaboard is at (http://\S+)", self.output)
        assert found, self.output
        return found[1]

    @property
    def url(self) -> str:
        """The address without path and token."""
        return self.address.partition("/?")[0].rstrip("/")

    @property
    def token(self) -> str:
        """The token of the start line."""
        return self.address.partition("?token=")[2]


class LocalDaphne(Program):
    """`daphne dashboard.asgi:application` with these options, on a free port; its log has a line for each request."""

    def __init__(self, home: Path, *options: str, **env: str) -> None:
        (port,) = free_ports(1)
        self.url = f"http://127.0.0.1:{port}"
        super().__init__(
            "-m", "daphne", "-p", str(port), *options, "dashboard.asgi:application", env=environ(home, **env)
        )

    def open(self) -> LocalDaphne:
        """Start it, and wait until it answers."""
        self.start()
        self.wait_for(lambda: answers(f"{self.url}/healthz"))
        return self
