"""Scenes of sign-in, sessions, rights and the audit log, where people sign in at a provider of our own."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator

from playwright.sync_api import Page

from tests.support.sign_in.provider import CLIENT_ID, CLIENT_SECRET, Provider
from tools.scenes.scene import Play, Scene, wait_until_live
from tools.scenes.stage import Stage, StageFactory

PERSON = {
    "sub": "248289", "email": "alice@example.com", "email_verified": True, "groups": ["payments", "on-call"]
}  # fmt: skip
UNREACHABLE = "http://127.0.0.1:9"


@contextlib.contextmanager
def sign_in_stage() -> Iterator[Stage]:
    """Two issuers: at the first Alice signs in, the second does not answer."""
    with Stage() as stage, Provider() as provider:
        provider.person = PERSON
        stage.run_cluster("--pods", "60", "--rate", "2", "--seed", "7")
        stage.create_objects()
        stage.env = {"DELTABOARD_OIDC": str(stage.home / "issuers.yaml")}
        (stage.home / "issuers.yaml").write_text(json.dumps({"issuers": _issuers(provider.url)}))
        stage.migrate()
        stage.run_dashboard()
        yield stage


def _issuers(url: str) -> list[dict[str, str]]:
    client = {"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET, "username_claim": "email"}
    own = {"name": "main", "title": "Example Inc.", "issuer": url, "username_prefix": "example:",
           "groups_claim": "groups", "groups_prefix": "example:"}  # fmt: skip
    other = {
        "name": "partner",
        "title": "Partner Ltd.",
        "issuer": UNREACHABLE,
        "username_prefix": "partner:",
        "groups_prefix": "partner:",
    }
    return [{**own, **client}, {**other, **client}]


def _signed_in(path: str, *, is_live: bool = True) -> Play:
    def play(page: Page, stage: Stage) -> None:
        page.goto(f"{stage.url}/accounts/main/sign-in/?next={path}")
        page.wait_for_url(f"{stage.url}{path}")
        if is_live:
            wait_until_live(page)

    return play


def _refused(page: Page, stage: Stage) -> None:
    page.goto(f"{stage.url}/accounts/partner/sign-in/")
    page.wait_for_selector("[data-sign-in=problem]")


def _sign_in(page: Page, stage: Stage) -> None:
    page.goto(f"{stage.url}/sign-in/")
    page.wait_for_selector(".button.primary")


def _audit(page: Page, stage: Stage) -> None:
    """With an entry of a Deployment that Alice scales, unfolded."""
    metadata = stage.api.items("apis/apps/v1/deployments")[0]["metadata"]
    _signed_in(f"/resources/deployments.apps/{metadata['namespace']}/{metadata['name']}/do/scale/")(page, stage)
    page.locator("input[name=wanted]").fill("4" if page.locator("input[name=wanted]").input_value() != "4" else "3")
    page.locator("button[name=do]").click()
    page.wait_for_selector("button[name=undo], a[data-quick-close][autofocus]")
    page.goto(f"{stage.url}/audit/")
    wait_until_live(page)
    page.locator("[data-verb] summary").first.click()


ACCESS: tuple[StageFactory, tuple[Scene, ...]] = (sign_in_stage, (
    Scene("sign-in", _sign_in),
    Scene("sign-in-refused", _refused),
    Scene("whoami", _signed_in("/whoami/")),
    Scene("whoami-namespaces", _signed_in("/whoami/?namespace=payments,shop")),
    Scene("sessions", _signed_in("/sessions/")),
    Scene("audit", _audit),
))  # fmt: skip
"""The stage and what plays on it."""
