"""Deltaboard whose people sign in by OIDC, and a browser without scripts that signs in to it."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import requests
from ruamel.yaml import YAML

from dashboard.access.sessions.session import COOKIE
from tests.support.local_dashboard import LocalDashboard
from tests.support.program import run_program
from tests.support.sign_in.provider import CLIENT_ID, CLIENT_SECRET

PROBLEM = re.compile(r'data-sign-in="problem">(.*?)</p>', re.DOTALL)
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


def issuer_options(url: str, name: str = "main", **options: Any) -> dict[str, Any]:
    """An entry of the issuers' file."""
    known = {"name": name, "title": f"Login {name}", "issuer": url, "client_id": CLIENT_ID}
    return {**known, "client_secret": CLIENT_SECRET, "username_claim": "email", **options}


def write_issuers(folder: Path, *issuers: dict[str, Any]) -> Path:
    path = folder / "issuers.yaml"
    with path.open("w") as file:
        YAML(typ="safe").dump({"issuers": list(issuers)}, file)
    return path


def oidc_environ(folder: Path, *issuers: dict[str, Any]) -> dict[str, str]:
    """Variables of a Deltaboard with these issuers, where everybody has the rights of its account."""
    return {"DELTABOARD_OIDC": str(write_issuers(folder, *issuers)), "DELTABOARD_RIGHTS": "account"}


def oidc_dashboard(folder: Path, *issuers: dict[str, Any], **env: str) -> LocalDashboard:
    """A dashboard without a cluster, whose database is migrated."""
    program = LocalDashboard(folder, **oidc_environ(folder, *issuers), **env)
    (folder / "var").mkdir(exist_ok=True)
    assert program.env is not None
    migrated = run_program("manage.py", "migrate", "--verbosity", "0", env=dict(program.env))
    assert migrated.returncode == 0, migrated.stderr
    return program


class PlainBrowser:
    """Keeps cookies, and follows redirects only where it is told to."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.http = requests.Session()
        self.http.trust_env = False
        self.http.headers.update({"Accept": "text/html", "User-Agent": "Mozilla/5.0 (X11; Linux) Firefox/140.0"})

    def get(self, address: str, **headers: str) -> requests.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        address = address if address.startswith("http") else f"{self.url}{address}"
        return self.http.get(address, allow_redirects=False, timeout=60, headers=named)

    def callback_address(self, issuer: str = "main", back: str = "/feed/") -> str:
        """Begin a sign-in: the address to which the provider sends the browser back."""
        begun = self.get(f"/accounts/{issuer}/sign-in/?next={back}")
        assert begun.status_code == 302, begun.text
        return self.get(begun.headers["Location"]).headers["Location"]

    def sign_in(self, issuer: str = "main", back: str = "/feed/") -> requests.Response:
        """The answer to the end of a sign-in."""
        return self.get(self.callback_address(issuer, back))

    def post(self, address: str, page: str = "/sessions/", **fields: str) -> requests.Response:
        """Send a form as one of `page`, with its token."""
        token = TOKEN.search(self.get(page).text)
        assert token, self.get(page).text
        form = {"csrfmiddlewaretoken": token[1], **fields}
        return self.http.post(
            f"{self.url}{address}", data=form, allow_redirects=False, timeout=60, headers={"Origin": self.url}
        )

    @property
    def session_cookie(self) -> str:
        return self.http.cookies.get(COOKIE) or ""


def problem_of(response: requests.Response) -> str:
    """The sentence of a sign-in that failed."""
    found = PROBLEM.search(response.text)
    assert found, f"{response.status_code} {response.text}"
    return html.unescape(found[1])
