"""Scenes for somebody on call: problems by cause, the incident page, and terminals."""

from __future__ import annotations

import re

from playwright.sync_api import Page

from tools.scenes.page_scenes import PODS
from tools.scenes.scene import Scene, chain, click, open_at
from tools.scenes.stage import Stage


def _running_pod(stage: Stage) -> str:
    """Address of the terminal of a pod that runs."""
    pods = stage.api.items("api/v1/pods")
    pod = next(each["metadata"] for each in pods if all(
        status["ready"] for status in each["status"].get("containerStatuses") or [{"ready": False}]
    ))  # fmt: skip
    return f"{PODS}{pod['namespace']}/{pod['name']}/terminal/"


def terminal(page: Page, stage: Stage) -> None:
    open_at(_running_pod(stage))(page, stage)
    page.wait_for_selector("[data-terminal-start]:not([disabled])")


def start(page: Page) -> None:
    page.click("[data-terminal-start]")
    page.wait_for_selector("#terminal[data-open]")
    page.keyboard.type("help\n")
    page.locator("#terminal .xterm-rows").filter(has_text=re.compile("This.demo.answers")).wait_for()


def leave(page: Page) -> None:
    page.keyboard.type("exit 3\n")
    page.locator("#terminal-status").filter(has_text="exit code 3").wait_for()


def open_causes(page: Page, stage: Stage) -> None:
    open_at("/")(page, stage)
    page.wait_for_selector(".cause summary")
    page.locator(".cause summary").first.click()


def incident(page: Page, stage: Stage) -> None:
    """Of a Deployment that is not available, where there is one."""
    found = stage.api.items("apis/apps/v1/deployments")
    metadata = max(found, key=lambda each: each["status"].get("unavailableReplicas", 0))["metadata"]
    open_at(f"/why/deployments.apps/{metadata['namespace']}/{metadata['name']}/")(page, stage)
    page.wait_for_selector(".timeline > li")


TERMINAL = Scene("terminal", terminal)
ON_CALL: tuple[Scene, ...] = (
    Scene("problems-by-cause", open_causes),
    Scene("incident", incident),
    TERMINAL,
    Scene("terminal-debug", chain(click(".terminal-debug > summary", "[name=image]")), TERMINAL),
    Scene("terminal-open", chain(start), TERMINAL),
    Scene("terminal-ended", chain(start, leave), TERMINAL),
)
"""Each makes what it needs."""
