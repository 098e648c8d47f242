"""Scenes of logs: their page, and their tab in the drawer of a list."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from tools.scenes.browser_mode_scenes import WITHOUT_SCRIPTS, open_without_scripts
from tools.scenes.page_scenes import PODS, first_pod
from tools.scenes.scene import Play, Scene, chain, click, open_at
from tools.scenes.stage import NAMESPACE, Stage

DEPLOYMENTS = "/resources/deployments.apps/"
IDLE = "nightly-report"
"""A Deployment without pods."""


def _running_pod(stage: Stage) -> tuple[str, str]:
    """Namespace and name of one that writes much."""
    namespace, name = _deployment(stage)
    pods = stage.api.items(f"api/v1/namespaces/{namespace}/pods")
    found = next(each["metadata"] for each in pods if each["metadata"]["name"].startswith(f"{name}-"))
    return found["namespace"], found["name"]


def wait_for_lines(page: Page) -> None:
    page.wait_for_selector("#log .log-line[data-n]")


def wait_for_bars(page: Page) -> None:
    page.wait_for_selector(".log-histogram .bars")


def wait_for_details(page: Page) -> None:
    page.wait_for_selector(".detail .pairs")


def _then(play: Play, *steps: Play) -> Play:
    def played(page: Page, stage: Stage) -> None:
        for each in (play, *steps):
            each(page, stage)

    return played


def _deployment(stage: Stage) -> tuple[str, str]:
    """Namespace and name of one with more than one container, where there is one."""
    found = stage.api.items("apis/apps/v1/deployments")
    most = max(found, key=lambda each: (len(each["spec"]["template"]["spec"]["containers"]), each["spec"]["replicas"]))
    return most["metadata"]["namespace"], most["metadata"]["name"]


def workload_logs(page: Page, stage: Stage) -> None:
    open_at("{}{}/{}/logs/".format(DEPLOYMENTS, *_deployment(stage)), wait_for_lines, wait_for_bars)(page, stage)


def empty_logs(page: Page, stage: Stage) -> None:
    labels = {"app": IDLE}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "report:1"}]}}
    spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}
    body = {"metadata": {"name": IDLE}, "spec": spec}
    stage.api.create(f"apis/apps/v1/namespaces/{NAMESPACE}/deployments", body)
    open_at(f"{DEPLOYMENTS}{NAMESPACE}/{IDLE}/", wait_for_details)(page, stage)  # which comes once it is known
    open_at(f"{DEPLOYMENTS}{NAMESPACE}/{IDLE}/logs/")(page, stage)
    page.wait_for_selector(".log-sources .empty")


def drawer_logs(page: Page, stage: Stage) -> None:
    namespace, name = _running_pod(stage)
    open_at(f"{PODS}?namespace={namespace}&open={namespace}/{name}&tab=logs", wait_for_lines)(page, stage)


def workload_drawer_logs(page: Page, stage: Stage) -> None:
    namespace, name = _deployment(stage)
    open_at(f"{DEPLOYMENTS}?open={namespace}/{name}&tab=logs", wait_for_lines)(page, stage)


def unscripted_logs(page: Page, stage: Stage) -> None:
    open_without_scripts("{}{}/{}/logs/".format(PODS, *first_pod(stage)))(page, stage)


def refused(path: str) -> Play:
    """Logs of a pod that may not be read, at this address."""

    def play(page: Page, stage: Stage) -> None:
        namespace, name = first_pod(stage)
        open_at(path.format(namespace=namespace, name=name))(page, stage)
        page.wait_for_selector(".log-sources .note")

    return play


def filter_with_mistake(page: Page) -> None:
    page.locator("#q").fill("/(/")
    page.keyboard.press("Enter")
    page.wait_for_selector(".problem")


def scroll_up(page: Page) -> None:
    page.locator("#log").hover()
    page.mouse.wheel(0, -600)
    page.wait_for_selector("[data-log-jump]:not([hidden])")


def pod_logs(page: Page, stage: Stage) -> None:
    open_at("{}{}/{}/logs/".format(PODS, *_running_pod(stage)), wait_for_lines, wait_for_bars)(page, stage)


def previous_logs(page: Page, stage: Stage) -> None:
    """Those of a container that has been restarted."""
    pods = stage.api.items("api/v1/pods")
    pod = next(each["metadata"] for each in pods if _has_restarted(each))
    open_at(f"{PODS}{pod['namespace']}/{pod['name']}/logs/?previous=1", wait_for_lines)(page, stage)


def _has_restarted(pod: dict[str, Any]) -> bool:
    statuses = pod["status"].get("containerStatuses") or ()
    return any(each.get("lastState", {}).get("terminated") for each in statuses)


def filtered_logs(page: Page, stage: Stage) -> None:
    """Those of a program that writes severities."""
    pods = stage.api.items("api/v1/pods")
    pod = next(each["metadata"] for each in pods if each["metadata"]["name"].startswith(("cart-", "catalog-")))
    open_at(f"{PODS}{pod['namespace']}/{pod['name']}/logs/?q=severity%3E%3Dwarn", wait_for_bars)(page, stage)


POD_LOGS = Scene("logs", pod_logs)
LOGS: tuple[Scene, ...] = (
    POD_LOGS,
    Scene("logs-not-followed", chain(scroll_up), POD_LOGS),
    Scene("logs-wrapped", chain(click("[data-log-option=wrap]", "[data-wrap]")), POD_LOGS),
    Scene("logs-mistake", chain(filter_with_mistake), POD_LOGS),
    Scene("logs-containers", workload_logs),
    Scene("logs-previous", previous_logs),
    Scene("logs-filtered", filtered_logs),
    Scene("logs-empty", empty_logs),
    Scene("logs-drawer", drawer_logs),
    Scene("logs-drawer-workload", workload_drawer_logs),
    Scene("logs-unscripted", unscripted_logs, context=WITHOUT_SCRIPTS),
)
"""Played on the usual stage."""
REFUSED_LOGS: tuple[Scene, ...] = (
    Scene("logs-refused", refused(f"{PODS}{{namespace}}/{{name}}/logs/")),
    Scene("logs-drawer-refused", refused(f"{PODS}?open={{namespace}}/{{name}}&tab=logs")),
)
"""Played where no log may be read."""
