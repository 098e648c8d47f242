"""Tests of concurrent changes in the YAML editor, and of both sides next to each other, in Chromium."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import Dashboard
from tests.support.browser.editor_typist import FIELD, SLOW, Typist, opened
from tests.support.controlplane import ApiFailure, ControlPlane
from tests.support.e2e.pods_and_mydemos import Json, mydemos
from tests.support.wait import until
from tools.axe import violations

pytestmark = pytest.mark.browser


@pytest.fixture
def typist(page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str) -> Typist:
    """In the editor of Mydemo ``one``, whose port is 8080."""
    return opened(page, dashboard, cluster, namespace)


@pytest.mark.long
def test_taking_in_keeps_cursor_selection_and_undo_and_writes_on_top_of_theirs(
    page: Page, typist: Typist, cluster: ControlPlane, namespace: str
) -> None:
    one = mydemos(namespace, "one")
    typist.select("8080")
    typist.type("9090")
    typist.select("90")
    cluster.patch(one, {"spec": {"ip": "10.0.0.200"}})
    note = page.locator("#edit-theirs")
    expect(note).to_contain_text("10.0.0.200")
    before = page.url
    typist.page.evaluate("window.stays = true")
    note.get_by_role("button", name="Merge it").click()
    expect(note).to_contain_text("Merged.")
    assert page.evaluate("window.stays") is True, "no new page"
    assert page.url == before
    assert "ip: 10.0.0.200\n  port: 9090\n" in typist.text()
    assert typist.selected() == "90"
    expect(page.locator("#edit-review")).to_have_text("Review 1 change")
    typist.content.focus()
    typist.press("Control+z")
    assert "ip: 10.0.0.200\n  port: 8080\n" in typist.text(), "what is undone is one's own"
    typist.press("Control+y")
    typist.review()
    page.locator("button[name=save]").click()
    expect(page.locator("main")).to_contain_text("is saved.", timeout=SLOW)
    assert cluster.get(one)["spec"] == {"ip": "10.0.0.200", "port": 9090}


def test_the_note_about_others_stays_as_it_is_while_somebody_types(
    page: Page, typist: Typist, cluster: ControlPlane, namespace: str
) -> None:
    cluster.patch(mydemos(namespace, "one"), {"spec": {"ip": "10.0.0.200"}})
    note = page.locator("#edit-theirs .theirs")
    expect(note.locator("time")).to_have_text(re.compile(r"\d+s ago"))
    note.evaluate("note => { note.drawn = 'once'; }")
    typist.select("8080")
    typist.type("9090")
    with page.expect_response(lambda response: response.url.endswith("/check/")) as answered:
        typist.type("1")
    assert "10.0.0.200" in answered.value.json()["theirs"], "it was said again"
    expect(page.locator("[name='field.spec.port']")).to_have_value("90901")
    assert note.evaluate("note => note.drawn") == "once"


def test_what_others_change_shows_on_the_review_too_and_can_be_taken_in(
    page: Page, typist: Typist, cluster: ControlPlane, namespace: str
) -> None:
    typist.select("8080")
    typist.type("9090")
    typist.review()
    expect(page.locator("body")).to_have_attribute("data-live", "live", timeout=SLOW)
    cluster.patch(mydemos(namespace, "one"), {"spec": {"ip": "10.0.0.200"}})
    note = page.locator("#edit-theirs")
    expect(note).to_contain_text("10.0.0.200", timeout=SLOW)
    expect(note).to_contain_text("You have not touched it.")
    assert page.locator("button[name=save]").is_visible()
    note.get_by_role("button", name="Merge it").click()
    expect(typist.content).to_be_visible(timeout=SLOW)
    assert "ip: 10.0.0.200\n  port: 9090\n" in typist.text()


@pytest.mark.long
def test_what_others_change_shows_beside_a_text_that_cannot_be_read_and_is_taken_in_once_it_can(
    page: Page, typist: Typist, cluster: ControlPlane, namespace: str
) -> None:
    one = mydemos(namespace, "one")
    typist.select("8080")
    typist.type("a: 9090")
    expect(page.locator("#edit-state")).to_have_text("1 problem", timeout=SLOW)
    text = typist.text()
    cluster.patch(one, {"spec": {"ip": "10.0.0.200"}})
    note = page.locator("#edit-theirs")
    expect(note).to_contain_text("10.0.0.200", timeout=SLOW)
    expect(note).to_contain_text("Once your text is valid YAML")
    page.evaluate("window.stays = true")
    typist.behind("kind")
    note.get_by_role("button", name="Merge it").click()
    until(lambda: typist.selected() == ": 9090", what="the cursor is where the text cannot be read")
    assert typist.text() == text
    typist.select("a: 9090")
    typist.type("9090")
    expect(note).to_contain_text("You have not touched it.", timeout=SLOW)
    for ip in ("10.0.0.200", "10.0.0.201"):
        if ip not in note.inner_text():
            cluster.patch(one, {"spec": {"ip": ip}})
        expect(note).to_contain_text(ip, timeout=SLOW)
        note.get_by_role("button", name="Merge it").click()
        expect(note).to_contain_text("Merged.", timeout=SLOW)
        assert f"ip: {ip}\n  port: 9090\n" in typist.text()
    assert page.evaluate("window.stays") is True, "no new page"


@pytest.mark.long
def test_what_overlaps_is_asked_field_by_field_with_what_differs_marked(
    page: Page, typist: Typist, cluster: ControlPlane, namespace: str
) -> None:
    typist.select("8080")
    typist.type("8089")
    one = mydemos(namespace, "one")
    cluster.patch(one, {"spec": {"port": 8070, "ip": "10.0.0.200"}})
    note = page.locator("#edit-theirs")
    expect(note).to_contain_text("You changed the same")
    note.get_by_role("button", name="Merge it").click()
    expect(page.locator(".edit > .bar h1")).to_contain_text("Merge", timeout=SLOW)
    expect(page.locator(".sides")).to_have_count(1)
    expect(page.locator(".side-choice mark")).to_have_text(["7", "9"])
    expect(page.locator(FIELD)).to_have_value(typist.text())
    typist.select("8089")
    typist.type("808999")
    expect(page.locator("#edit-problems")).to_contain_text("65535", timeout=SLOW)
    typist.select("808999")
    typist.type("8089")
    expect(page.locator("#edit-state")).to_have_text("valid", timeout=SLOW)
    page.get_by_label("Mine").check()
    page.locator("button[name=review]").first.click()
    expect(page.locator(".edit > .bar h1")).to_contain_text("Review the merge", timeout=SLOW)
    page.locator("button[name=save]").click()
    expect(page.locator("main")).to_contain_text("is saved.", timeout=SLOW)
    assert cluster.get(one)["spec"] == {"ip": "10.0.0.200", "port": 8089}, "what either of them changed"


@pytest.mark.long
def test_what_the_api_server_fails_over_is_sent_again_in_sight_unless_it_is_stopped(
    page: Page, typist: Typist, cluster: ControlPlane, namespace: str
) -> None:
    one, hooks = mydemos(namespace, "one"), "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    typist.select("8080")
    typist.type("9090")
    waits = iter(["60"])
    page.route("**/edit/", lambda route: wait_for(route, next(waits, "2")))
    cluster.create(hooks, unreachable_webhook(namespace))
    try:
        until(lambda: not is_writable(cluster, one), within=60, what="the API server asks the webhook")
        page.locator("#edit-review").click()
        says = page.locator("[data-repeat-says]")
        expect(says).to_contain_text("Sending again in", timeout=SLOW)
        expect(page.locator("form[data-repeat='60']")).to_have_count(1)
        expect(page.locator("main")).to_contain_text("failed calling webhook")
        page.get_by_role("button", name="Stop").click()
        expect(says).to_have_text("Stopped: nothing is sent until you press the button.")
        assert violations(page) == []
        page.get_by_role("button", name="Try now").click()
        expect(says).to_contain_text("of 10", timeout=SLOW)
    finally:
        cluster.delete(f"{hooks}/{namespace}")
    expect(page.locator("button[name=save]")).to_be_visible(timeout=2 * SLOW)
    expect(page.locator(".cm-merge-b")).to_contain_text("port: 9090")


def wait_for(route: Route, seconds: str) -> None:
    """Let the page that comes count down from other seconds: time to look at it, or none to lose."""
    answer = route.fetch()
    route.fulfill(response=answer, body=answer.text().replace('data-repeat="5"', f'data-repeat="{seconds}"'))


def unreachable_webhook(namespace: str) -> Json:
    """Nothing of Mydemos in the namespace is written while it is there: the API server fails over each."""
    rule = {"apiGroups": ["crddemo.k8s.io"], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["mydemos"]}
    webhook = {
        "name": "nobody.deltaboard.example",
        "clientConfig": {"url": "https://127.0.0.1:1/"},
        "rules": [rule],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "timeoutSeconds": 2,
    }
    return {"metadata": {"name": namespace}, "webhooks": [webhook]}


def is_writable(cluster: ControlPlane, path: str) -> bool:
    try:
        cluster.patch(f"{path}?dryRun=All", {"metadata": {"labels": {"team": "x"}}})
    except ApiFailure:
        return False
    return True


@pytest.mark.long
def test_a_review_shows_both_sides_where_there_is_room_and_one_column_where_not(page: Page, typist: Typist) -> None:
    typist.select("8080")
    typist.type("9090")
    typist.review()
    live, stored = page.locator(".cm-merge-a"), page.locator(".cm-merge-b")
    expect(live).to_contain_text("port: 8080")
    expect(stored).to_contain_text("port: 9090")
    expect(stored).not_to_contain_text("apiVersion")
    page.get_by_role("button", name="All lines").click()
    expect(stored).to_contain_text("apiVersion")
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, of_colour_only=True) == []
    page.set_viewport_size({"width": 390, "height": 844})
    expect(stored).to_be_hidden()
    expect(page.locator(".diff-add")).to_contain_text("port: 9090")
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert over <= 0


def test_other_scripts_hear_of_each_change_and_a_text_that_is_kept_may_be_left(page: Page, typist: Typist) -> None:
    page.evaluate(
        "document.addEventListener('deltaboard:edited', ({ detail }) => { window.edition = detail.edition; })"
    )
    typist.select("8080")
    typist.type("9")
    assert page.evaluate("window.edition") >= 1
    page.once("dialog", lambda dialog: dialog.dismiss())
    with page.expect_event("dialog"):
        page.locator(".crumbs a").last.click(no_wait_after=True)
    page.evaluate(
        "document.getElementById('edit').dispatchEvent("
        "new CustomEvent('deltaboard:kept', { detail: { edition: window.edition } }))"
    )
    page.locator(".crumbs a").last.click()
    expect(page.locator("h1")).to_have_text("one", timeout=SLOW)


PATHS = """
spec:
  template:
    spec:
      containers:
      - name: app
        env:
        - name: A
          value: b
        -
      - image: x
        ports:
          - containerPort: 1
            name: web
      volumes: []
    "odd.name/x": y
    block: |
      key: no field
      other:
  list:
  - - deep: 1
# a comment: no field
status:
"""
WANTED = {
    "template:": ["spec"],
    "name: app": ["spec", "template", "spec", "containers", 0],
    "env:": ["spec", "template", "spec", "containers", 0],
    "value: b": ["spec", "template", "spec", "containers", 0, "env", 0],
    "image: x": ["spec", "template", "spec", "containers", 1],
    "containerPort: 1": ["spec", "template", "spec", "containers", 1, "ports", 0],
    "name: web": ["spec", "template", "spec", "containers", 1, "ports", 0],
    "volumes:": ["spec", "template", "spec"],
    '"odd.name/x"': ["spec", "template"],
    "key: no field": None,
    "deep: 1": ["spec", "list", 0, 0],
    "a comment": None,
    "status:": [],
}


def test_where_in_the_object_a_line_stands_is_read_from_its_indentation(page: Page, typist: Typist) -> None:
    page.locator(FIELD).fill(PATHS)
    until(lambda: typist.text() == PATHS)
    until(lambda: typist.paths(list(WANTED)) == list(WANTED.values()))  # block texts are known once they are parsed
    assert typist.beside("name: web") == ["containerPort"]
    assert typist.beside("value: b") == ["name"]
    assert sorted(typist.beside("env:")) == ["name"]
    assert typist.beside("status:") == ["spec"]


def test_a_long_text_whose_field_follows_in_pauses_is_sent_as_it_is(page: Page, typist: Typist) -> None:
    page.locator(FIELD).evaluate(
        "(field, more) => { field.value += more; field.dispatchEvent(new Event('input', { bubbles: true })); }",
        f"# {'x' * 98}\n" * 1200,
    )
    expect(page.locator(FIELD)).to_be_hidden()
    typist.select("8080")
    typist.type("9090")
    typist.review()
    expect(page.locator(".cm-merge-b")).to_contain_text("port: 9090")
