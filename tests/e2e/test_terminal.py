"""Tests of terminals in a real browser: a real API server, people's own rights, the audit log, and kwok as the kubelet,
which runs commands on this machine.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.conftest import Dashboard
from tests.support.browser.live_page import press_and_wait_for_copied
from tests.support.controlplane import ControlPlane
from tests.support.kubelet_logs import LoggingPod, kubelet_with_logs
from tests.support.local_dashboard import ask
from tests.support.wait import until
from tools.axe import violations

pytestmark = [pytest.mark.browser, pytest.mark.controlplane]

EXEC = Path(__file__).parents[1] / "support" / "kwok_exec.yaml"
RBAC = "/apis/rbac.authorization.k8s.io/v1/clusterrole"
SEE = [{"apiGroups": [""], "resources": ["pods", "namespaces", "events"], "verbs": ["get", "list", "watch"]}]
USE = [
    {"apiGroups": [""], "resources": ["pods/exec"], "verbs": ["create", "get"]},
    {"apiGroups": [""], "resources": ["pods/ephemeralcontainers"], "verbs": ["patch", "update"]},
]
COLOUR = """[...document.querySelectorAll("#terminal .xterm-rows span")]
  .find((each) => each.textContent === "coloured").style.color"""
CUT = """[...document.querySelectorAll("#terminal .xterm-rows > div")].filter((row) => {
  const [inside, around] = [row, document.getElementById("terminal")].map((each) => each.getBoundingClientRect());
  return inside.bottom > around.bottom || inside.right > around.right;
}).map((row) => row.textContent)"""
"""Lines of the screen that stand out of it."""
BACKGROUND = "getComputedStyle(document.getElementById('terminal')).backgroundColor"
PASTE = """(text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
  document.querySelector("#terminal textarea").dispatchEvent(event);
}"""
numbers = itertools.count()


@pytest.fixture(scope="module")
def cluster(modules_controlplane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """Anna may open terminals, Bob may see pods."""
    for person, rules in (("anna", [*SEE, *USE]), ("bob", SEE)):
        modules_controlplane.create(f"{RBAC}s", {"metadata": {"name": person}, "rules": rules})
        bind(modules_controlplane, person)
    with kubelet_with_logs(modules_controlplane, tmp_path_factory.mktemp("kubelet"), EXEC):
        yield modules_controlplane


def bind(cluster: ControlPlane, person: str) -> None:
    cluster.create(f"{RBAC}bindings", {
        "metadata": {"name": person},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": person},
        "subjects": [{"kind": "User", "name": person, "apiGroup": "rbac.authorization.k8s.io"}],
    })  # fmt: skip


@pytest.fixture(scope="module")
def site(cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    program = Dashboard(
        cluster.kubeconfig,
        tmp_path_factory.mktemp("home"),
        DELTABOARD_TRUST_PROXY_USER="X-User",
        DELTABOARD_TERMINAL_CONTENTS="on",
        DELTABOARD_LIMIT_TERMINALS="2/2",
    )
    program.migrate()
    try:
        program.open()
        yield program
    finally:
        program.__exit__()


@pytest.fixture
def pod(cluster: ControlPlane, site: Dashboard, tmp_path: Path) -> LoggingPod:
    """A pod that Anna's dashboard knows."""
    namespace = cluster.create_namespace(f"terminal-{next(numbers)}")
    made = LoggingPod(cluster, namespace, "web", tmp_path)
    href = f"{site.url}/resources/pods/{namespace}/web/"
    until(lambda: ask(href, X_User="anna").status == 200)
    return made


@pytest.fixture
def anna(new_context: Callable[..., BrowserContext]) -> Page:
    return new_context(extra_http_headers={"X-User": "anna"}).new_page()


def address(site: Dashboard, pod: LoggingPod, rest: str = "") -> str:
    return f"{site.url}/resources/pods/{pod.namespace}/{pod.name}/terminal/{rest}"


def begin(page: Page, site: Dashboard, pod: LoggingPod, command: str = "") -> None:
    page.goto(address(site, pod))
    if command:
        page.get_by_label("Shell").select_option("another command …")
        page.get_by_role("textbox", name="Command").fill(command)
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#terminal[data-open]")).to_be_visible()


def screen(page: Page) -> str:
    """What the terminal shows: a line of the screen for each line."""
    rows = page.locator("#terminal .xterm-rows > div").all_text_contents()
    return "\n".join(row.replace("\xa0", " ").rstrip() for row in rows)


def until_shown(page: Page, text: str) -> None:
    def is_shown() -> bool:
        page.wait_for_timeout(20)  # Playwright's own events are handled meanwhile
        return text in screen(page)

    until(is_shown, what=f"{text!r} is shown")


def test_a_command_runs_in_a_terminal_with_colours_and_its_size_and_ends(
    anna: Page, site: Dashboard, pod: LoggingPod
) -> None:
    anna.goto(f"{site.url}/resources/pods/{pod.namespace}/web/")
    expect(anna.get_by_role("link", name="Terminal", exact=True)).to_be_visible()
    anna.keyboard.press("s")
    expect(anna).to_have_title(re.compile("Terminal in web"))
    assert violations(anna) == []
    begin(anna, site, pod)
    anna.keyboard.type("stty size; printf '\\033[38;2;200;30;90mcoloured\\033[0m %s\\n' $((6*7)); tty\n")
    until_shown(anna, "coloured 42")
    until_shown(anna, "/dev/pts/")
    rows, columns = map(int, re.findall(r"^(\d+) (\d+)$", screen(anna), re.MULTILINE)[-1])
    assert rows == anna.locator("#terminal .xterm-rows > div").count()
    assert columns > 80
    assert anna.evaluate(CUT) == []
    assert anna.evaluate(COLOUR).startswith("rgb(")
    anna.set_viewport_size({"width": 700, "height": 900})
    anna.keyboard.type("clear; sleep 0.3; stty size\n")
    until(lambda: [found for found in re.findall(r"^\d+ (\d+)$", screen(anna), re.MULTILINE) if int(found) < columns])
    assert violations(anna) == []
    anna.keyboard.type("exit\n")
    expect(anna.locator("#terminal-status")).to_have_text("The shell ended with exit code 0.")
    anna.get_by_role("button", name="Start again").click()
    expect(anna.locator("#terminal[data-open]")).to_be_visible()
    anna.keyboard.type("exit\n")
    anna.get_by_label("Shell").select_option("another command …")
    anna.get_by_role("textbox", name="Command").fill("true")
    anna.get_by_role("button", name="Start again").click()
    expect(anna.locator("#terminal-status")).to_have_text("The command ended with exit code 0.")


def test_a_flood_can_be_interrupted_and_keys_stay_with_the_terminal(
    anna: Page, site: Dashboard, pod: LoggingPod
) -> None:
    begin(anna, site, pod, "setsid --ctty --wait bash")  # kwok gives no controlling terminal, which Ctrl-C needs
    anna.keyboard.type("yes 0123456789\n")
    until_shown(anna, "0123456789\n0123456789")
    anna.keyboard.press("Control+c")
    anna.keyboard.type("\necho still $((40+2)) here\n")
    until_shown(anna, "still 42 here")
    anna.keyboard.press("Control+k")
    anna.keyboard.type("?/gp")
    expect(anna.locator("dialog[open]")).to_have_count(0)
    assert anna.url == address(site, pod)
    anna.keyboard.press("Shift+F6")
    expect(anna.locator("select[name=container]")).to_be_focused()
    anna.locator("#terminal textarea").focus()
    anna.keyboard.press("Control+u")
    text = "".join(f"line {number} of what is pasted\n" for number in range(3_000))
    anna.keyboard.type("stty -echo; echo taken $((6*7)); head -n 3000 | md5sum\n")
    until_shown(anna, "taken 42")  # before, the shell would take what is pasted for its own line
    anna.evaluate(PASTE, text)
    until_shown(anna, hashlib.md5(text.encode(), usedforsecurity=False).hexdigest())


def test_the_audit_log_has_the_session_its_bytes_and_its_contents(anna: Page, site: Dashboard, pod: LoggingPod) -> None:
    begin(anna, site, pod)
    expect(anna.locator("main")).to_contain_text("What you type and what you see is recorded")
    anna.keyboard.type("echo recorded-$((6*7))\n")
    until_shown(anna, "recorded-42")
    anna.keyboard.type("exit\n")
    expect(anna.locator("#terminal-status")).to_contain_text("ended with exit code")
    anna.goto(f"{site.url}/audit/?namespace={pod.namespace}")
    session = anna.locator("li[data-verb=create]")
    expect(session).to_contain_text("anna")
    session.locator("summary").click()
    expect(session).to_contain_text(re.compile(r"ended after \d+ s, \d+ bytes typed, \d+ bytes shown: exit code 0"))
    pieces = anna.locator("li[data-verb=contents]")
    pieces.first.locator("summary").click()
    expect(pieces.first).to_contain_text("recorded-42")


def test_who_may_not_sees_why_and_what_is_open_ends_when_the_right_is_lost(
    anna: Page, new_context: Callable[..., BrowserContext], cluster: ControlPlane, site: Dashboard, pod: LoggingPod
) -> None:
    bob = new_context(extra_http_headers={"X-User": "bob"}).new_page()
    bob.goto(address(site, pod))
    expect(bob.locator("main")).to_contain_text("create pods/exec")
    expect(bob.get_by_role("button", name="Start")).to_be_disabled()
    bob.evaluate("document.querySelector('[data-terminal-start]').disabled = false")
    bob.get_by_role("button", name="Start").click()
    expect(bob.locator("#terminal-status")).to_contain_text("do not let you create pods/exec")
    begin(anna, site, pod)
    anna.keyboard.type("echo here\n")
    until_shown(anna, "here")
    cluster.delete(f"{RBAC}bindings/anna")
    try:
        expect(anna.locator("#terminal-status")).to_contain_text("do not let you create pods/exec", timeout=60_000)
    finally:
        bind(cluster, "anna")
        until(lambda: ask(address(site, pod), X_User="anna").status == 200)


def test_a_debug_container_is_added_once_and_has_a_terminal(
    anna: Page, cluster: ControlPlane, site: Dashboard, pod: LoggingPod
) -> None:
    anna.goto(address(site, pod))
    anna.get_by_text("Add a debug container").first.click()
    anna.get_by_label("Image").fill("not an image")
    anna.get_by_role("button", name="Add a debug container").click()
    expect(anna.get_by_role("alert")).to_contain_text("“not an image” is not the name of an image")
    anna.get_by_label("Image").fill("busybox:1.37")
    anna.get_by_role("button", name="Add a debug container").click()
    chosen = anna.locator("select[name=container]")
    expect(chosen).to_have_value(re.compile("debugger-"))
    expect(chosen).to_contain_text("Not started")
    anna.get_by_role("button", name="Start").click()
    said = anna.locator("#terminal-status")
    expect(said).to_contain_text("does not run yet (Not started). The terminal starts as soon as it runs.")
    expect(anna.locator("#terminal")).to_be_hidden()
    path = f"/api/v1/namespaces/{pod.namespace}/pods/{pod.name}"
    (container,) = cluster.get(path)["spec"]["ephemeralContainers"]
    assert (container["image"], container["targetContainerName"], container["tty"]) == ("busybox:1.37", "main", True)
    status = {"name": container["name"], "image": "busybox:1.37", "imageID": "", "ready": False, "restartCount": 0}

    def becomes(state: dict[str, object]) -> None:
        cluster.patch(f"{path}/status", {"status": {"ephemeralContainerStatuses": [{**status, "state": state}]}})

    becomes({"waiting": {"reason": "ErrImagePull"}})
    expect(said).to_contain_text("is not running (Waiting: ErrImagePull). See its logs")
    becomes({"running": {"startedAt": "2026-01-01T00:00:00Z"}})
    expect(said).to_be_empty()
    becomes({"waiting": {"reason": "ContainerCreating"}})
    expect(chosen).to_contain_text("ContainerCreating")
    anna.get_by_role("button", name="Start").click()
    expect(said).to_contain_text("does not run yet (Waiting: ContainerCreating)")
    becomes({"running": {"startedAt": "2026-01-01T00:00:00Z"}})
    expect(said).to_contain_text(f"Connected to {container['name']}")
    expect(chosen).to_have_value(container["name"])


def test_at_most_so_many_terminals_and_a_killed_api_server_ends_them(
    anna: Page, cluster: ControlPlane, site: Dashboard, pod: LoggingPod
) -> None:
    others = [anna.context.new_page() for _ in range(2)]
    for page in others:
        begin(page, site, pod)
    anna.goto(address(site, pod))
    anna.get_by_role("button", name="Start").click()
    expect(anna.locator("#terminal-status")).to_contain_text("as many terminals open as Deltaboard allows")
    others[0].goto(f"{site.url}/healthz")
    anna.get_by_role("button", name="Start again").click()
    expect(anna.locator("#terminal[data-open]")).to_be_visible()
    cluster.kill()
    try:
        expect(anna.locator("#terminal-status")).to_contain_text("The connection to the container broke")
    finally:
        cluster.start_apiserver()


def test_the_page_says_what_becomes_of_the_pod_before_something_is_started(
    anna: Page, site: Dashboard, pod: LoggingPod
) -> None:
    anna.goto(address(site, pod))
    start, change, status = (
        anna.get_by_role("button", name="Start"),
        anna.locator("#terminal-change"),
        "#terminal-status",
    )
    expect(start).to_be_enabled()
    expect(change).to_be_hidden()
    pod.restart(137)
    expect(change).to_have_text("Container main was started again. The container's last run: Exited 137: Error.")
    pod.end()
    expect(change).to_have_text("Container main does not run any more: Exited 0.")
    expect(anna.locator("select[name=container]")).to_contain_text("main: Exited 0")
    start.click()
    expect(anna.locator(status)).to_contain_text("main is not running (Exited 0)")
    assert violations(anna) == []
    pod.delete()
    expect(anna.locator("#terminal-pod")).to_contain_text("This Pod was deleted")
    expect(start).to_be_disabled()
    expect(change).to_be_hidden()
    pod.create()
    expect(anna.locator("#terminal-pod")).to_contain_text("this one was created again under the same name")
    expect(anna.locator("select[name=container]")).not_to_contain_text("Exited")
    start.click()
    expect(anna.locator(status)).to_have_text("Connected to main.")


def test_the_page_says_what_became_of_the_pod_when_a_session_ends(anna: Page, site: Dashboard, pod: LoggingPod) -> None:
    pod.restart()
    begin(anna, site, pod)
    change = anna.locator("#terminal-change")
    expect(change).to_be_hidden()
    pod.restart(137)
    anna.keyboard.type("exit\n")  # kwok does not end it with the container
    expect(anna.locator("#terminal-status")).to_have_text("The shell ended with exit code 0.")
    expect(change).to_have_text("Container main was started again. The container's last run: Exited 137: Error.")
    anna.get_by_role("button", name="Start again").click()
    expect(anna.locator("#terminal[data-open]")).to_be_visible()
    expect(change).to_be_hidden()
    pod.delete()
    expect(anna.locator("#terminal-pod")).to_contain_text("This Pod was deleted")
    anna.keyboard.type("exit\n")
    expect(anna.locator("#terminal-status")).to_have_text("The shell ended with exit code 0.")
    expect(anna.get_by_role("button", name="Start again")).to_be_disabled()


def test_a_page_to_which_somebody_goes_back_has_open_what_was_open(
    anna: Page, site: Dashboard, pod: LoggingPod
) -> None:
    begin(anna, site, pod, "sleep 600")
    anna.get_by_text("Add a debug container").first.click()
    expect(anna.get_by_label("Image")).to_be_visible()
    anna.on("dialog", lambda dialog: dialog.accept())
    anna.goto(f"{site.url}/healthz")
    anna.go_back()
    expect(anna.get_by_label("Image")).to_be_visible()
    expect(anna.locator("#terminal-status")).to_contain_text("a terminal ends with its page")
    expect(anna.get_by_label("Shell")).to_have_value("other")
    expect(anna.get_by_role("textbox", name="Command")).to_be_visible()
    anna.get_by_text("Add a debug container").first.click()
    expect(anna.get_by_label("Image")).to_be_hidden()
    anna.reload()
    expect(anna.get_by_role("button", name="Start")).to_be_enabled()
    expect(anna.get_by_label("Image")).to_be_hidden()
    expect(anna.locator("#terminal-status")).to_be_empty()


def test_buttons_copy_and_paste(anna: Page, site: Dashboard, pod: LoggingPod) -> None:
    anna.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.url)
    problems: list[str] = []
    anna.on("pageerror", lambda error: problems.append(str(error)))
    anna.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    anna.set_viewport_size({"width": 390, "height": 844})
    begin(anna, site, pod)
    tools = anna.get_by_role("group", name="Clipboard")
    copy, paste = tools.get_by_role("button", name="Copy"), tools.get_by_role("button", name="Paste")
    expect(copy).to_be_disabled()
    expect(copy).to_have_attribute("title", "Select something first")
    anna.keyboard.type("printf '\\033[?2004h'; stty -echo; echo ready; cat -v\n")
    until_shown(anna, "\nready")
    anna.evaluate("navigator.clipboard.writeText('from elsewhere')")
    paste.click()
    expect(anna.locator("#terminal textarea")).to_be_focused()
    anna.keyboard.press("Enter")
    until_shown(anna, "^[[200~from elsewhere^[[201~")
    tools.get_by_role("button", name="Select all").click()
    selected = anna.locator("#terminal .xterm-selection > div").first
    for scheme in ("light", "dark"):
        anna.emulate_media(color_scheme=scheme)
        expect(selected).not_to_have_css("background-color", anna.evaluate(BACKGROUND))
    press_and_wait_for_copied(anna, copy.click)
    assert "from elsewhere" in anna.evaluate("navigator.clipboard.readText()")
    assert anna.evaluate("document.documentElement.scrollWidth") <= 390
    assert violations(anna) == []
    anna.keyboard.press("Tab")
    anna.locator("#terminal textarea").focus()
    anna.keyboard.press("Control+d")
    anna.keyboard.type("exit\n")  # a Control+d before the shell reads would be lost: the tty makes a NUL of it
    expect(anna.locator("#terminal-status")).to_contain_text("ended with exit code")
    expect(paste).to_be_disabled()
    assert problems == []


@pytest.mark.parametrize(
    ("clipboard", "words"),
    [
        pytest.param("undefined", "over HTTPS only. Ctrl V pastes.", id="over plain HTTP"),
        pytest.param("{readText: () => Promise.reject(new Error())}", "did not let this page read", id="not allowed"),
    ],
)
def test_where_the_clipboard_cannot_be_read_the_button_says_so(
    anna: Page, site: Dashboard, pod: LoggingPod, clipboard: str, words: str
) -> None:
    anna.add_init_script(f"Object.defineProperty(navigator, 'clipboard', {{value: {clipboard}}})")
    begin(anna, site, pod)
    anna.get_by_role("button", name="Paste").click()
    expect(anna.locator("#terminal-clipboard")).to_contain_text(words)
