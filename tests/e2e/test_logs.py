"""Tests of pages of logs in a real browser, with a kubelet that serves log files and a real API server."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import re
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from dashboard.pages.logs.log_source_reader import MAX_SOURCES
from tests.e2e.conftest import Dashboard
from tests.support.browser.live_page import has_copied
from tests.support.controlplane import ControlPlane
from tests.support.daemon import Daemon
from tests.support.kubectl import kubectl_binary
from tests.support.kubelet_logs import NODE, LoggingPod, log_line
from tests.support.local_dashboard import ask
from tests.support.long_tests import long_but
from tests.support.wait import until
from tools.axe import violations

pytestmark = pytest.mark.browser

numbers = itertools.count()
TERMINAL_TRICKS = (
    "\x1b[2J\x1b[H0 seen", "\x1b]0;another title\x071 seen", "\x1b]2;another title\x1b\\2 seen", "\x1b[3A\x1b[2K3 seen",
    "\x1b[?1049h4 seen\x1b[?25l", "\x1bP+q544e\x1b\\5 seen", "\x1b]8;;javascript:alert(1)\x1b\\6 seen\x1b]8;;\x1b\\",
)  # fmt: skip
"""Erase the screen, rename the window (two ways), go up and erase, other screen, ask the terminal, a link."""
JSON_LINE = '{"level":"error","msg":"cannot connect","host":"db-1","err":{"code":111}}'


@pytest.fixture(scope="module")
def site(
    modules_controlplane: ControlPlane, kubelet: Daemon, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Dashboard]:
    program = Dashboard(modules_controlplane.kubeconfig, tmp_path_factory.mktemp("home"))
    try:
        program.open()
        yield program
    finally:
        program.__exit__()


@pytest.fixture
def namespace(modules_controlplane: ControlPlane) -> str:
    return modules_controlplane.create_namespace(f"logs-{next(numbers)}")


@pytest.fixture
def pod(
    modules_controlplane: ControlPlane, kubelet: Daemon, site: Dashboard, namespace: str, tmp_path: Path
) -> LoggingPod:
    """A pod that the dashboard knows."""
    made = LoggingPod(modules_controlplane, namespace, "web", tmp_path)
    until(lambda: f">{made.name}<" in ask(f"{site.url}/resources/pods/?namespace={namespace}").body)  # 404 at first
    return made


@pytest.fixture(scope="module")
def alice(modules_controlplane: ControlPlane) -> Path:
    """The kubeconfig of somebody who sees pods, and may not read their logs."""
    rules = [{"apiGroups": ["*"], "resources": ["pods", "namespaces"], "verbs": ["get", "list", "watch"]}]
    roles = "/apis/rbac.authorization.k8s.io/v1/clusterrole"
    modules_controlplane.create(f"{roles}s", {"metadata": {"name": "pods-only"}, "rules": rules})
    modules_controlplane.create(f"{roles}bindings", {
        "metadata": {"name": "pods-only"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "pods-only"},
        "subjects": [{"kind": "User", "name": "alice", "apiGroup": "rbac.authorization.k8s.io"}],
    })  # fmt: skip
    return modules_controlplane.kubeconfig_of("alice")


FIND_MARK = """async (log, mark) => {
  for (let top = 0; top <= log.scrollHeight; top += log.clientHeight) {
    log.scrollTop = top;
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    if (log.querySelector(`[data-mark=${mark}]`)) return true;
  }
  return false;
}"""
"""Scrolls from the beginning until such a mark is drawn; whether there is one."""


def address(site: Dashboard, pod: LoggingPod, rest: str = "") -> str:
    return f"{site.url}/resources/pods/{pod.namespace}/{pod.name}/logs/{rest}"


def text_of(url: str) -> str:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return str(answer.read().decode())


def line_with(page: Page, text: str) -> Locator:
    return page.locator("#log .log-line").filter(has_text=text)


def load_lines(page: Page, button: Locator) -> None:
    """Press the button, and wait until the lines that it loads are drawn."""
    with page.expect_response(re.compile("/logs/lines/")):
        button.click()
    expect(page.locator(".log-head")).not_to_contain_text("Reading")


def test_lines_are_followed_until_somebody_scrolls_up_and_only_then(
    page: Page, site: Dashboard, pod: LoggingPod
) -> None:
    pod.write(*(f"line {number}" for number in range(200)))
    page.goto(address(site, pod))
    expect(line_with(page, "line 199")).to_be_visible()
    expect(page.locator(".log-status")).to_contain_text("200 lines of 1 container")
    pod.write("INFO the next one")
    expect(line_with(page, "the next one")).to_be_in_viewport()
    assert page.locator("#log .log-line").count() < 100  # those that fit the window, not one for each line
    page.locator("#log").hover()
    page.mouse.wheel(0, -1500)
    jump = page.locator("[data-log-jump]")
    expect(jump).to_be_visible()
    expect(line_with(page, "the next one")).to_have_count(0)
    pod.write(*(f"later {number}" for number in range(20)))
    expect(jump).to_have_text("↓ 20 new")
    expect(line_with(page, "later 19")).to_have_count(0)
    jump.click()
    expect(line_with(page, "later 19")).to_be_in_viewport()
    expect(jump).to_be_hidden()
    assert violations(page, part="main") == []


def test_the_filter_searches_all_that_the_kubelet_has(page: Page, site: Dashboard, pod: LoggingPod) -> None:
    pod.write("an old needle", *(f"hay {number}" for number in range(3000)), "ERROR a new needle")
    page.goto(address(site, pod))
    expect(line_with(page, "a new needle")).to_be_visible()
    expect(page.locator(".log-status")).to_contain_text("1,000 lines")
    page.get_by_label("Search all lines").fill("needle")
    page.keyboard.press("Enter")
    expect(line_with(page, "needle")).to_have_count(2)
    expect(page).to_have_url(re.compile(r"\?q=needle$"))
    expect(page.locator(".log-status")).to_contain_text(re.compile("2 lines match .* read: all that"))
    expect(page.locator(".log-head")).to_have_text("All was read: no earlier line matches.")
    pod.write("more hay", "one more needle")
    expect(line_with(page, "needle")).to_have_count(3)
    page.get_by_label("Search all lines").fill("nowhere")
    page.keyboard.press("Enter")
    empty = page.locator(".log-empty")
    expect(empty).to_contain_text("No line matches. All that the kubelets keep was read: 3,004 lines, ")
    expect(page.get_by_role("button", name="Load earlier lines")).to_have_count(0)
    empty.get_by_role("link", name="Clear the filter").click()
    expect(line_with(page, "one more needle")).to_be_visible()
    expect(empty).to_be_empty()
    page.goto(address(site, pod, "?q=/needle$/+severity>%3Derror"))
    expect(line_with(page, "needle")).to_have_count(1)
    page.goto(address(site, pod, "?q=/(/"))
    expect(page.get_by_role("alert")).to_contain_text("missing )")


def test_older_lines_are_loaded_and_the_beginning_is_said(page: Page, site: Dashboard, pod: LoggingPod) -> None:
    pod.write("long " + "x" * 50_000, *(f"line {number}" for number in range(2500)))
    page.goto(address(site, pod))
    expect(line_with(page, "line 2499")).to_be_visible()
    older = page.get_by_role("button", name="Load earlier lines")
    while older.count():
        page.locator("#log").evaluate("(log) => { log.scrollTop = 0; }")
        load_lines(page, older)
    page.locator("#log").evaluate("(log) => { log.scrollTop = 0; }")
    expect(line_with(page, "line 0").first).to_be_visible()
    expect(page.locator(".log-head [data-mark=begin]")).to_contain_text("begins here")
    line_with(page, "long").get_by_role("button", name="bytes more").click()
    expect(line_with(page, "long " + "x" * 50_000)).to_have_count(1)


@pytest.mark.parametrize("is_first", long_but([True, False], True))
def test_no_line_of_a_busy_container_is_missing_without_a_mark_beside_those_of_a_quiet_one(
    page: Page,
    site: Dashboard,
    modules_controlplane: ControlPlane,
    kubelet: Daemon,
    namespace: str,
    tmp_path: Path,
    is_first: bool,
) -> None:
    quiet, busy = (LoggingPod(modules_controlplane, namespace, name, tmp_path) for name in ("quiet", "busy"))
    now = datetime.now(UTC)
    old = [log_line(f"quiet {number}.", now - timedelta(minutes=60 - number)) for number in range(50)]
    quiet.file.write_bytes(b"".join(old))
    moments = [now - timedelta(milliseconds=500 * (1300 - number)) for number in range(1300)]
    busy.file.write_bytes(b"".join(log_line(f"busy {number}.", moment) for number, moment in enumerate(moments)))

    def label(each: LoggingPod) -> None:
        path = f"/api/v1/namespaces/{namespace}/pods/{each.name}"
        modules_controlplane.patch(path, {"metadata": {"labels": {"pair": namespace}}})

    first, second = (quiet, busy) if is_first else (busy, quiet)
    label(first)
    page.goto(f"{site.url}/logs/?q=label:pair%3D{namespace}")
    expect(line_with(page, f"{first.name} ").last).to_be_visible()
    label(second)
    expect(page.locator(".log-status")).to_contain_text("1,050 lines read so far of 2 containers")
    expect(page.locator(".log-histogram svg.unread")).to_be_visible()
    expect(page.locator(".log-histogram .hint")).to_contain_text("earlier lines of 1 of 2 containers were not read")
    seam, log = page.locator("#log [data-mark=older]"), page.locator("#log")
    assert log.evaluate(FIND_MARK, "older")
    expect(seam).to_contain_text("Earlier lines may be missing above")
    assert violations(page, part="main") == []
    while log.evaluate(FIND_MARK, "older"):
        load_lines(page, seam.get_by_role("button", name="load"))
    expect(page.locator(".log-head")).to_contain_text("begins here")
    while log.evaluate(FIND_MARK, "skipped"):
        page.locator("#log [data-mark=skipped]").first.get_by_role("button", name="load").click()
        expect(page.get_by_role("button", name="load", disabled=True)).to_have_count(0)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.url)
    log.press("Control+a")
    page.keyboard.press("Control+c")
    copied = page.evaluate("navigator.clipboard.readText()")
    for each, count in ((quiet, 50), (busy, 1300)):
        numbers = re.findall(rf"\b{each.name} (\d+)\.$", copied, re.MULTILINE)
        assert numbers == [str(number) for number in range(count)], each.name


def test_pods_of_one_name_in_two_namespaces_are_told_apart(
    page: Page, site: Dashboard, modules_controlplane: ControlPlane, kubelet: Daemon, namespace: str, tmp_path: Path
) -> None:
    other = modules_controlplane.create_namespace(f"{namespace}-too")
    pods = []
    for each in (namespace, other):
        (tmp_path / each).mkdir()
        pods.append(pod := LoggingPod(modules_controlplane, each, "web", tmp_path / each))
        labels = {"metadata": {"labels": {"twins": namespace}}}
        modules_controlplane.patch(f"/api/v1/namespaces/{each}/pods/web", labels)
        pod.write(f"long {each}. " + "x" * 50_000)
    for number in range(1100):
        for pod in pods:
            pod.write(f"{pod.namespace} {number}")
    page.goto(f"{site.url}/logs/?q=label:twins%3D{namespace}")
    expect(page.locator(".log-status")).to_contain_text("2,000 lines read so far of 2 containers")
    assert sorted(page.locator(".log-chip").all_inner_texts()) == [f"{other}/web/main", f"{namespace}/web/main"]
    older = page.get_by_role("button", name="Load earlier lines")
    while older.count():
        page.locator("#log").evaluate("(log) => { log.scrollTop = 0; }")
        load_lines(page, older)
    page.locator("#log").evaluate("(log) => { log.scrollTop = 0; }")
    for each in (namespace, other):
        long = line_with(page, f"long {each}.")
        expect(long.locator(".log-source")).to_have_text(f"{each}/web/main")
        long.get_by_role("button", name="bytes more").click()
        expect(long.locator(".log-text")).to_have_text(f"long {each}. " + "x" * 50_000)
        page.locator("#log").evaluate("(log) => { log.scrollTop = 0; }")
    page.locator(".log-chip a").filter(has_text=other).click()
    expect(page.locator(".log-status")).to_contain_text("1,000 lines read so far of 1 container")
    expect(line_with(page, f"{other} 1099")).to_be_visible()


def test_selected_lines_are_copied_as_they_are_shown_one_a_line(page: Page, site: Dashboard, pod: LoggingPod) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.url)
    pod.write(*(f"line {number}" for number in range(200)), '{"msg":"hello","host":"db-1"}')
    page.goto(address(site, pod, "?times=none"))
    expect(line_with(page, "hello")).to_be_in_viewport()
    page.locator("#log").focus()
    page.keyboard.press("Control+a")
    pod.write("a new one")
    expect(line_with(page, "a new one")).to_be_in_viewport()
    page.keyboard.press("Control+c")
    lines = [f"line {number}" for number in range(200)]
    has_copied(page, "\n".join([*lines, "hello host=db-1", "a new one"]))
    start, end = (line_with(page, f"line {number}").locator(".log-text") for number in (190, 199))
    start.evaluate(
        "(start, end) => getSelection().setBaseAndExtent(start.firstChild, 2, end.firstChild, 4)", end.element_handle()
    )
    page.locator("#log").evaluate("(log) => { log.scrollTop = 0; }")
    expect(line_with(page, "line 0").first).to_be_in_viewport()
    page.keyboard.press("Control+c")
    has_copied(page, "\n".join(["ne 190", *lines[191:199], "line"]))


def test_a_restart_is_marked_and_the_run_before_it_has_a_page(page: Page, site: Dashboard, pod: LoggingPod) -> None:
    pod.write("before the crash")
    page.goto(address(site, pod))
    expect(line_with(page, "before the crash")).to_be_visible()
    pod.restart(exit_code=3, leaves=("Traceback (most recent call last):",))
    pod.write("up again")
    expect(line_with(page, "up again")).to_be_visible()
    expect(line_with(page, "Traceback")).to_have_count(1)
    marks = page.locator("#log .log-mark")
    expect(marks.filter(has_text="ended with exit code 3")).to_have_count(1)
    expect(marks.filter(has_text="runs again. Restarts: 1")).to_have_count(1)
    order = page.locator("#log .log-rows > *").all_text_contents()
    places = [
        next(place for place, text in enumerate(order) if word in text)
        for word in ("Traceback", "exit code", "up again")
    ]
    assert places == sorted(places)
    page.get_by_role("link", name="Previous run").click()
    expect(line_with(page, "Traceback")).to_be_visible()
    expect(line_with(page, "up again")).to_have_count(0)


def test_lines_that_a_page_did_not_get_are_counted_and_can_be_loaded(
    page: Page, site: Dashboard, pod: LoggingPod
) -> None:
    pod.write("first")
    page.goto(address(site, pod))
    expect(line_with(page, "first")).to_be_visible()
    with pod.file.open("ab") as file:
        file.write(b"".join(log_line(f"flood {number}.") for number in range(20_000)))
    expect(page.locator(".log-status")).to_contain_text("20,001 lines")
    expect(line_with(page, "flood 19999.")).to_be_visible()
    gap = page.locator("#log [data-mark=skipped]").first
    page.locator("#log").evaluate(FIND_MARK, "skipped")
    before = int(gap.get_attribute("data-lines") or 0)
    assert before > 0
    gap.get_by_role("button", name="load").click()
    if before > 1000:
        expect(gap).to_have_attribute("data-lines", str(before - 1000))
    else:
        expect(page.locator(f"#log [data-mark=skipped][data-lines='{before}']")).to_have_count(0)


def test_the_pods_of_a_workload_come_and_go_on_one_page(
    page: Page, site: Dashboard, modules_controlplane: ControlPlane, kubelet: Daemon, namespace: str, tmp_path: Path
) -> None:
    labels = {"app": "shop"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "main:1"}]}}
    spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}
    deployments = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    modules_controlplane.create(deployments, {"metadata": {"name": "shop"}, "spec": spec})
    one, two = (LoggingPod(modules_controlplane, namespace, name, tmp_path) for name in ("shop-1", "shop-2"))

    def label(each: LoggingPod) -> None:
        pod = f"/api/v1/namespaces/{namespace}/pods/{each.name}"
        modules_controlplane.patch(pod, {"metadata": {"labels": labels}})

    label(one)
    one.write("from the first")
    page.goto(f"{site.url}/resources/deployments.apps/{namespace}/shop/logs/")
    expect(line_with(page, "from the first")).to_be_visible()
    label(two)
    two.write("from the second", "\x1b[31mred\x1b[0m")
    expect(line_with(page, "from the second")).to_be_visible()
    expect(line_with(page, "from the second")).to_have_attribute("data-pod", "shop-2")
    expect(page.locator("#log .a-31")).to_have_text("red")
    one.delete()
    expect(page.locator("#log .log-mark").filter(has_text="does not exist any more")).to_be_visible()
    expect(line_with(page, "from the first")).to_be_visible()
    page.goto(f"{site.url}/logs/?namespace={namespace}&q=label:app%3Dshop")
    expect(line_with(page, "from the second")).to_be_visible()


def test_a_line_of_json_opens_to_its_fields_and_has_a_link(page: Page, site: Dashboard, pod: LoggingPod) -> None:
    pod.write("before", JSON_LINE, "after")
    page.goto(address(site, pod))
    line = line_with(page, "cannot connect")
    expect(line).to_contain_text("host=db-1")
    expect(line).to_have_class(re.compile("s-error"))
    line.locator(".log-text").click()
    expect(line.locator(".log-fields")).to_contain_text('"code": 111')
    line.hover()
    line.get_by_role("link", name="link").click()
    expect(page).to_have_url(re.compile(r"from=.*&to=.*#l-"))
    expect(page.locator("#log [data-ui-marked]")).to_contain_text("cannot connect")
    page.get_by_label("Fields of JSON lines").fill("host")
    page.keyboard.press("Enter")
    expect(page.locator("#log .log-column").filter(has_text="db-1")).to_be_visible()
    expect(page).to_have_url(re.compile("columns=host"))


def test_a_line_of_json_whose_text_has_several_lines_covers_no_other(
    page: Page, site: Dashboard, pod: LoggingPod
) -> None:
    pod.write(json.dumps({"msg": "crashed", "trace": "first\nsecond\nthird"}), "after")
    page.goto(address(site, pod))
    line = line_with(page, "crashed")
    expect(line).to_contain_text("trace=first↵second↵third")
    assert line.locator(".log-text").evaluate("(text) => text.scrollHeight") == 20
    page.get_by_label("Wrap").check()
    expect(line).to_contain_text("trace=first\nsecond\nthird")
    assert line.evaluate("(row) => row.offsetHeight") == 60


def test_keys_mark_a_line_open_its_fields_and_lead_to_its_link(page: Page, site: Dashboard, pod: LoggingPod) -> None:
    pod.write(*(f"line {number}" for number in range(100)), JSON_LINE, "after")
    page.goto(address(site, pod))
    expect(line_with(page, "after")).to_be_in_viewport()
    page.locator("#log").focus()
    marked = page.locator("#log [data-ui-marked]")
    page.keyboard.press("ArrowUp")
    expect(marked).to_contain_text("after")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(marked.locator(".log-fields")).to_contain_text('"code": 111')
    page.keyboard.press("Shift+Enter")
    expect(page).to_have_url(re.compile(r"from=.*&to=.*#l-"))
    expect(marked).to_contain_text("cannot connect")
    page.keyboard.press("Tab")
    page.locator("#log").focus()
    for _ in range(60):
        page.keyboard.press("ArrowUp")
    expect(marked).to_contain_text("line 40")
    expect(marked).to_be_in_viewport(ratio=0.9)


SEND_ALL_ANEW = """() => {
  const rows = [...document.querySelectorAll("#log .log-line")];
  const textOf = (row) => row.querySelector(".log-text").textContent;
  const entries = rows.map((row) => [Number(row.dataset.n), row.dataset.time, 0, 0, textOf(row)]);
  const { view } = document.getElementById("logs").dataset;
  const detail = { view, whole: true, entries, next: rows.length, first: 0, history: "", since: "" };
  document.dispatchEvent(new CustomEvent("deltaboard:log", { detail }));
}"""
"""A frame with all lines, as it comes where earlier ones were put among them."""


def test_a_marked_line_stays_marked_where_all_lines_come_anew(page: Page, site: Dashboard, pod: LoggingPod) -> None:
    pod.write("one", "two", "three")
    page.goto(address(site, pod))
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    expect(line_with(page, "three")).to_be_visible()
    page.locator("#log").press("ArrowUp")
    marked = page.locator("#log [data-ui-marked]")
    expect(marked).to_contain_text("three")
    page.evaluate(SEND_ALL_ANEW)
    expect(marked).to_contain_text("three")
    page.locator("#log").press("ArrowUp")
    expect(marked).to_contain_text("two")


def test_a_link_to_a_line_shows_it_however_many_follow(page: Page, site: Dashboard, pod: LoggingPod) -> None:
    begin = datetime.now(UTC) - timedelta(minutes=2)
    moments = [begin + timedelta(milliseconds=number) for number in range(30_000)]
    pod.file.write_bytes(b"".join(log_line(f"line {number}.", moment) for number, moment in enumerate(moments)))
    start, end = (f"{begin + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%SZ}" for seconds in (-1, 60))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/logs/lines/" in request.url else None)
    page.goto(address(site, pod, f"?from={start}&to={end}#l-{moments[2000]:%Y-%m-%dT%H:%M:%S.%f}000Z"))
    marked = page.locator("#log [data-ui-marked]")
    expect(marked).to_contain_text("line 2000.")
    expect(marked).to_be_in_viewport()
    expect(page.get_by_role("button", name="Load earlier lines")).to_have_count(1)
    assert len(asked) == 1
    assert page.locator("#log").evaluate(FIND_MARK, "unloaded")
    page.get_by_role("button", name="load", exact=True).click()
    expect(line_with(page, "line 2500.")).to_be_visible()
    assert page.locator("#log").evaluate(FIND_MARK, "unloaded")
    assert len(asked) == 2
    page.get_by_role("link", name="Back to live").click()
    expect(line_with(page, "line 29999.")).to_be_in_viewport()
    expect(page).to_have_url(address(site, pod))


def test_earlier_lines_are_read_once_though_all_lines_come_anew_meanwhile(
    page: Page, site: Dashboard, pod: LoggingPod
) -> None:
    pod.write(*(f"line {number}." for number in range(1500)))
    page.goto(address(site, pod))
    expect(line_with(page, "line 1499.")).to_be_visible()
    held: list[Route] = []
    page.route(re.compile("/logs/lines/"), lambda route: held.append(route))
    page.get_by_role("button", name="Load earlier lines").click()
    head = page.locator(".log-head")
    expect(head).to_contain_text("Reading")
    page.evaluate(SEND_ALL_ANEW)
    expect(head).to_contain_text("Reading")
    (request,) = held
    request.continue_()
    expect(head).not_to_contain_text("Reading")
    assert len(held) == 1


def test_lines_that_go_for_others_become_a_mark_that_loads_them(page: Page, site: Dashboard, pod: LoggingPod) -> None:
    def with_fewer_lines(route: Route) -> None:
        body = route.fetch().text()
        assert "this.most=5e4" in body
        route.fulfill(body=body.replace("this.most=5e4", "this.most=2e3"), content_type="text/javascript")

    page.route(re.compile(r"/logs/main\b.*\.js"), with_fewer_lines)
    pod.write(*(f"line {number}." for number in range(4000)))
    page.goto(address(site, pod))
    expect(line_with(page, "line 3999.")).to_be_visible()
    older = page.get_by_role("button", name="Load earlier lines")
    for _ in range(2):
        load_lines(page, older)
        page.locator("#log").evaluate("(log) => { log.scrollTop = 0; }")
    height = page.locator("#log .log-space").evaluate("(space) => space.clientHeight / 20")
    assert height <= 2000
    assert page.locator("#log").evaluate(FIND_MARK, "unloaded")
    page.get_by_role("button", name="load", exact=True).click()
    expect(page.locator("#log [data-mark=unloaded]")).to_have_count(0)
    expect(page.locator("#log .log-line").first).to_be_visible()
    pod.write("the newest")
    page.locator("[data-log-jump]").click()
    expect(line_with(page, "the newest")).to_be_in_viewport()
    expect(line_with(page, "line 3999.")).to_be_in_viewport()


@pytest.mark.parametrize("scripts", [True, False])
def test_lines_wrap_on_a_phone(
    new_context: Callable[..., BrowserContext], site: Dashboard, pod: LoggingPod, scripts: bool
) -> None:
    pod.write("word " * 100, "after")
    page = new_context(java_script_enabled=scripts).new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(address(site, pod))
    expect(line_with(page, "after")).to_be_visible()
    long, after = (line_with(page, text).bounding_box() for text in ("word word", "after"))
    assert long is not None
    assert after is not None
    assert long["width"] <= 390
    assert long["height"] > 100
    assert after["y"] >= long["y"] + long["height"] - 1


def test_a_download_is_what_kubectl_prints(
    site: Dashboard, pod: LoggingPod, modules_controlplane: ControlPlane
) -> None:
    pod.write(*(f"line {number} \x1b[31mred\x1b[0m ünïcode" for number in range(1500)), JSON_LINE)
    command = [kubectl_binary() or "", "logs", "-n", pod.namespace, pod.name, "--timestamps"]
    environ = {**os.environ, "KUBECONFIG": str(modules_controlplane.kubeconfig)}
    printed = subprocess.run(command, env=environ, capture_output=True, text=True, check=True, timeout=30).stdout
    assert text_of(address(site, pod, "logs.txt")) == printed
    records = [json.loads(line) for line in text_of(address(site, pod, 'logs.ndjson?q=/^."level/')).splitlines()]
    assert [(each["severity"], each["pod"], each["container"], each["text"]) for each in records] == [
        ("error", "web", "main", JSON_LINE)
    ]


def test_without_scripts_the_newest_lines_are_there(
    new_context: Callable[..., BrowserContext], site: Dashboard, pod: LoggingPod
) -> None:
    pod.write("one", "<b>two</b>")
    page = new_context(java_script_enabled=False).new_page()
    page.goto(address(site, pod))
    expect(line_with(page, "<b>two</b>")).to_be_visible()
    expect(page.get_by_role("link", name="load it again")).to_be_visible()
    page.get_by_label("Search all lines").fill("two")
    page.get_by_role("button", name="Search").click()
    expect(line_with(page, "one")).to_have_count(0)
    expect(line_with(page, "two")).to_be_visible()


def open_tab(page: Page, site: Dashboard, pod: LoggingPod) -> Locator:
    """The list of the pod's namespace, with its logs opened beside it by clicks."""
    page.goto(f"{site.url}/resources/pods/?namespace={pod.namespace}")
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    page.locator(f"tr[data-name={pod.name}] .c-status").click()
    drawer = page.locator("#drawer")
    drawer.get_by_role("link", name="Logs", exact=True).click()
    return drawer


def test_the_drawer_of_a_list_has_a_tab_that_follows_the_log(page: Page, site: Dashboard, pod: LoggingPod) -> None:
    pod.write(*(f"line {number}" for number in range(200)))
    drawer = open_tab(page, site, pod)
    expect(page).to_have_url(re.compile(rf"[?&]open={pod.namespace}/web&tab=logs$"))
    expect(line_with(page, "line 199")).to_be_in_viewport()
    expect(page.locator("#log")).to_be_focused()
    pod.write("INFO the next one")
    expect(line_with(page, "the next one")).to_be_in_viewport()
    expect(line_with(page, "the next one")).to_have_attribute("data-container", "main")
    page.locator("#log").hover()
    page.mouse.wheel(0, -1500)
    jump = page.locator("[data-log-jump]")
    expect(jump).to_be_visible()
    pod.write(*(f"later {number}" for number in range(20)))
    expect(jump).to_have_text("↓ 20 new")
    page.locator("#log").press("End")
    expect(line_with(page, "later 19")).to_be_in_viewport()
    expect(page.locator("#log [data-mark=skipped]")).to_have_count(0)
    assert violations(page, part="main") == []
    drawer.get_by_role("link", name="Open as a page").click()
    expect(page).to_have_url(address(site, pod))
    expect(line_with(page, "later 19")).to_be_in_viewport()


def test_the_tab_is_in_the_address_and_back_and_keys_go_through_it(
    page: Page, site: Dashboard, pod: LoggingPod
) -> None:
    pod.write("hello")
    drawer = open_tab(page, site, pod)
    expect(line_with(page, "hello")).to_be_visible()
    page.evaluate("window.rows = document.querySelector('tbody')")
    page.go_back()
    expect(drawer.locator(".detail")).to_be_visible()
    expect(page.locator("#log")).to_have_count(0)
    page.go_forward()
    expect(line_with(page, "hello")).to_be_visible()
    page.keyboard.press("l")
    expect(drawer.locator(".detail")).to_be_visible()
    page.keyboard.press("l")
    pod.write("again")
    expect(line_with(page, "again")).to_be_visible()
    assert page.evaluate("window.rows === document.querySelector('tbody')")
    page.reload()
    expect(line_with(page, "again")).to_be_visible()
    pod.write("after the reload")
    expect(line_with(page, "after the reload")).to_be_visible()
    page.locator("#q").fill("web")
    expect(page).to_have_url(re.compile(r"q=web.*tab=logs"))
    expect(line_with(page, "hello")).to_be_visible()


def test_the_next_row_is_opened_on_the_same_tab_and_has_its_own_lines(
    page: Page, site: Dashboard, pod: LoggingPod, modules_controlplane: ControlPlane, tmp_path: Path
) -> None:
    other = LoggingPod(modules_controlplane, pod.namespace, "worker", tmp_path)
    pod.write(*(f"of web {number}" for number in range(50)))
    other.write("of worker")
    open_tab(page, site, pod)
    expect(line_with(page, "of web 49")).to_be_visible()
    page.locator("tr[data-name=worker] .c-status").click()
    expect(page).to_have_url(re.compile(rf"open={pod.namespace}/worker&tab=logs$"))
    expect(line_with(page, "of worker")).to_be_visible()
    expect(line_with(page, "of web")).to_have_count(0)
    other.write("more of worker")
    pod.write("more of web")
    expect(line_with(page, "more of worker")).to_be_visible()
    expect(line_with(page, "of web")).to_have_count(0)
    page.go_back()
    expect(line_with(page, "more of web")).to_be_visible()
    expect(line_with(page, "of worker")).to_have_count(0)


@pytest.mark.parametrize("how", long_but(["Escape", "Overview"], "Escape"))
def test_a_closed_tab_gets_nothing_more(page: Page, site: Dashboard, pod: LoggingPod, how: str) -> None:
    frames: list[str | bytes] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(frame)))
    pod.write("hello")
    drawer = open_tab(page, site, pod)
    expect(line_with(page, "hello")).to_be_visible()
    pod.write("while it is open")
    expect(line_with(page, "while it is open")).to_be_visible()
    assert has_lines(frames)
    if how == "Escape":
        page.keyboard.press("Escape")
        expect(drawer).to_be_hidden()
    else:
        drawer.get_by_role("link", name="Overview").click()
        expect(drawer.locator(".detail")).to_be_visible()
    page.wait_for_timeout(1000)  # the socket's answer, and what was on its way
    frames.clear()
    pod.write("while it is closed")
    page.wait_for_timeout(2500)
    assert frames  # the heartbeat, at least
    assert not has_lines(frames)


@pytest.mark.long
def test_the_log_is_not_followed_any_more_where_its_last_tab_was_closed(
    page: Page, new_dashboard: Callable[..., Dashboard], modules_controlplane: ControlPlane, pod: LoggingPod
) -> None:
    site = new_dashboard(modules_controlplane.kubeconfig)
    pod.write("hello")
    drawer = open_tab(page, site, pod)
    expect(line_with(page, "hello")).to_be_visible()
    assert followed_logs(site) == 1
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    until(lambda: followed_logs(site) == 0, within=60, what="nothing is followed")


def has_lines(frames: list[str | bytes]) -> bool:
    """Whether one of a socket's messages has lines of a log."""
    texts = (gzip.decompress(each).decode() if isinstance(each, bytes) else each for each in frames)
    return any(json.loads(each).get("log") for each in texts)


def followed_logs(site: Dashboard) -> int:
    found = re.search(r"^deltaboard_log_streams (\S+)$", text_of(f"{site.url}/metrics"), re.MULTILINE)
    assert found is not None
    return int(float(found[1]))


def test_without_scripts_an_address_with_the_tab_has_the_newest_lines(
    new_context: Callable[..., BrowserContext], site: Dashboard, pod: LoggingPod
) -> None:
    pod.write("hello")
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{site.url}/resources/pods/?namespace={pod.namespace}&open={pod.namespace}/web&tab=logs")
    expect(line_with(page, "hello")).to_be_visible()
    page.get_by_role("link", name="Overview", exact=True).last.click()
    expect(page.locator("#drawer .detail")).to_be_visible()


def test_hostile_lines_are_shown_as_text_and_long_ones_are_cut(page: Page, site: Dashboard, pod: LoggingPod) -> None:
    moment = datetime.now(UTC) - timedelta(seconds=5)
    hostile = ["<img src=x onerror=alert(1)>", "\x1b]0;title\x07after", "nul \x00 here", "\u202etfel", "x" * 50_000]
    with pod.file.open("ab") as file:
        file.writelines(log_line(text, moment) for text in hostile)
        file.write(log_line("invalid ", moment)[:-1] + b"\xff\xfe\n")
    page.goto(address(site, pod))
    expect(line_with(page, "<img src=x")).to_be_visible()
    for shown in ("nul \\x00 here", "\\u202etfel", "invalid \ufffd"):
        expect(line_with(page, shown)).to_have_count(1)
    expect(page).to_have_title(re.compile("^Logs of web"))
    line_with(page, "bytes more").get_by_role("button", name="41,808 bytes more").click()
    expect(line_with(page, "x" * 50_000)).to_have_count(1)


def test_a_line_cannot_write_over_others_or_rename_the_page(page: Page, site: Dashboard, pod: LoggingPod) -> None:
    pod.write("before", *TERMINAL_TRICKS, "after")
    page.goto(address(site, pod))
    expect(line_with(page, "after")).to_be_visible()
    texts = page.locator("#log .log-line .log-text").all_text_contents()
    assert texts == ["before", *(f"{number} seen" for number in range(len(TERMINAL_TRICKS))), "after"]
    expect(page).to_have_title(re.compile("^Logs of web"))
    assert "\x1b" not in page.content()


def test_of_a_line_of_more_than_a_megabyte_the_rest_is_left_out_and_counted(
    page: Page, site: Dashboard, pod: LoggingPod
) -> None:
    pod.write("before", "x" * (2**20 + 5000), "after")
    page.goto(address(site, pod))
    expect(line_with(page, "after")).to_be_visible()
    long = line_with(page, "bytes more")
    assert len(long.text_content() or "") < 10_000
    assert len(page.content()) < 200_000
    answer = page.request.get(address(site, pod, f"lines/?line={long.get_attribute('data-n')}")).text()
    assert answer.lstrip("x") == "… (5,031 bytes more)"
    assert answer.count("x") == 2**20 - len("2026-11-28T07:00:00.000000000Z ")
    pod.write("y" * (2**20 + 5000), "later")
    expect(line_with(page, "later")).to_be_visible()
    expect(page.locator("#log [data-mark=gap], #log [data-mark=repeated]")).to_have_count(0)


def test_of_more_containers_than_the_limit_the_rest_is_counted_on_the_page(
    page: Page, site: Dashboard, modules_controlplane: ControlPlane, kubelet: Daemon, namespace: str
) -> None:
    containers = [{"name": f"main-{number}", "image": "main:1"} for number in range(MAX_SOURCES + 7)]
    body = {"metadata": {"name": "many"}, "spec": {"nodeName": NODE, "containers": containers}}
    modules_controlplane.create(f"/api/v1/namespaces/{namespace}/pods", body)
    page.goto(f"{site.url}/resources/pods/{namespace}/many/logs/")  # the watch may not have reported it yet
    status = page.locator(".log-status")
    expect(status).to_contain_text(f"of {MAX_SOURCES} containers; 7 more are not read: choose pods or containers")
    page.goto(f"{site.url}/resources/pods/{namespace}/many/logs/?container=main-{MAX_SOURCES + 1}")
    expect(status).to_contain_text("of 1 container")
    expect(status).not_to_contain_text("not read")


@pytest.mark.parametrize("rest", ["{namespace}/web/logs/", "?open={namespace}/web&tab=logs"])
def test_who_may_not_read_logs_gets_the_reason_and_no_line(
    page: Page, new_dashboard: Callable[..., Dashboard], alice: Path, pod: LoggingPod, rest: str
) -> None:
    pod.write("secret line")
    site = new_dashboard(alice)
    page.goto(f"{site.url}/resources/pods/{rest.format(namespace=pod.namespace)}")
    expect(page.locator(".log-sources")).to_contain_text('cannot get resource "pods/log"')
    expect(page.locator(".log-chip, #log .log-line")).to_have_count(0)
    assert "secret line" not in page.content()


def test_the_log_of_a_pod_without_a_node_is_not_there_yet(
    page: Page, site: Dashboard, namespace: str, modules_controlplane: ControlPlane
) -> None:
    problem = "pod waiting is on no node yet, so it has no log"
    waiting = {"metadata": {"name": "waiting"}, "spec": {"containers": [{"name": "main", "image": "main:1"}]}}
    modules_controlplane.create(f"/api/v1/namespaces/{namespace}/pods", waiting)
    url = f"{site.url}/resources/pods/{namespace}/waiting/logs/logs"
    until(lambda: ask(f"{url}.txt").status == 200, what="the pod is known")
    assert text_of(f"{url}.txt") == f"# waiting/main: {problem}\n"
    assert json.loads(text_of(f"{url}.ndjson"))["problem"] == problem
    page.goto(f"{site.url}/resources/pods/{namespace}/waiting/logs/?q=anything")
    expect(page.locator(".log-empty")).to_contain_text("All that the kubelets keep was read: 0 lines")


@pytest.mark.parametrize(
    ("rest", "status"),
    [
        ("logs/lines/?first=0&end=5", 200),
        ("logs/lines/?line=99999", 410),
        ("logs/logs.txt?q=/(/", 400),
        ("logs/logs.txt?container=nowhere", 404),
    ],
)
def test_what_scripts_ask_for_is_answered(site: Dashboard, pod: LoggingPod, rest: str, status: int) -> None:
    request = f"{site.url}/resources/pods/{pod.namespace}/{pod.name}/{rest}"
    assert ask(request).status == status


def test_a_page_goes_on_where_the_api_server_was_killed_and_came_back(
    page: Page, site: Dashboard, pod: LoggingPod, modules_controlplane: ControlPlane
) -> None:
    """The last test of this file: kwok may take half a minute to hear of new pods after that."""
    pod.write("before")
    page.goto(address(site, pod))
    expect(line_with(page, "before")).to_be_visible()
    modules_controlplane.kill()
    try:
        expect(page.locator("#log [data-mark=interrupted]")).to_be_visible()
        pod.write(*(f"meanwhile {number}." for number in range(50)))
    finally:
        modules_controlplane.start()
    expect(page.locator("#log [data-mark=resumed]")).to_be_visible()
    pod.write("after")
    expect(line_with(page, "after")).to_be_visible()
    expect(page.locator(".log-status")).to_contain_text("52 lines")
    expect(page.locator("#log [data-mark=gap]")).to_have_count(0)


@pytest.mark.parametrize("scheme", long_but(["light", "dark"], "light"))
def test_what_was_searched_for_is_marked_in_lines_of_text_of_json_and_with_colours(
    new_context: Callable[..., BrowserContext], site: Dashboard, pod: LoggingPod, scheme: str
) -> None:
    pod.write("\x1b[32mINFO\x1b[0m \x1b[31mcannot \x1b[1mconnect\x1b[0m to db", JSON_LINE, "something else")
    page = new_context(color_scheme=scheme).new_page()
    page.goto(address(site, pod, "?q=/conn[a-z]%2B/"))
    found = page.locator("#log mark.found")
    expect(found).to_have_text(["connect", "connect"])
    expect(line_with(page, "INFO")).to_contain_text("INFO cannot connect to db")
    expect(found.first).to_have_class("a-31 a-b found")
    red = page.evaluate("getComputedStyle(document.querySelector('#log .a-31:not(.found)')).color")
    assert page.evaluate("getComputedStyle(document.querySelector('#log mark')).color") == red
    assert violations(page, part="#log") == []
    page.goto(address(site, pod, "?q=host%3Ddb-*"))
    expect(found).to_have_text(["db-1"])
    assert line_with(page, "cannot connect").locator(".log-link").get_attribute("href") is not None


def test_a_severity_of_the_histogram_shows_its_lines_alone_and_leads_back(
    page: Page, site: Dashboard, pod: LoggingPod
) -> None:
    pod.write("ERROR broken", "INFO fine")
    page.goto(address(site, pod, "?times=utc"))
    page.locator(".log-histogram .sums").get_by_role("link", name="1 error").click()
    expect(page).to_have_url(re.compile(r"q=severity(=|%3D)error.*times=utc"))
    expect(line_with(page, "broken")).to_be_visible()
    expect(line_with(page, "fine")).to_have_count(0)
    page.locator(".log-histogram .sums").get_by_role("link", name="1 error").press("Enter")
    expect(line_with(page, "fine")).to_be_visible()


def test_nothing_covers_anything_else_in_a_small_window_and_the_newest_line_can_be_reached(
    page: Page, site: Dashboard, pod: LoggingPod
) -> None:
    pod.write(*(f"ERROR line {number}" for number in range(200)))
    page.set_viewport_size({"width": 800, "height": 420})
    page.goto(address(site, pod, "?q=line"))
    expect(line_with(page, "line 199")).to_be_attached()
    boxes = page.locator("#logs > :visible").evaluate_all(
        "(parts) => parts.map((part) => [part.getBoundingClientRect().top, part.scrollHeight])"
    )
    assert all(top + height <= below + 1 for (top, height), (below, _) in itertools.pairwise(boxes)), boxes
    page.locator("#log").scroll_into_view_if_needed()
    expect(line_with(page, "line 199")).to_be_in_viewport(ratio=0.9)
