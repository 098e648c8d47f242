"""Tests of refused runs: the reason is shown and the input is preserved."""

from __future__ import annotations

import pytest

from tests.dashboard.pages.bulk.conftest import PAGE, Demos, bulks_for
from tests.support.edit.no_script_browser import Browser


async def test_only_the_browser_that_began_a_run_sees_it(demos: Demos) -> None:
    demos.make("a")
    await demos.review(verb="label", label_set="x=1")
    page = await Browser(demos.parts).open(demos.run)
    assert page.status == 404
    assert "There is no such run" in page.text


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({}, "Choose an operation"),
        ({"verb": "label"}, "Write at least one label"),
        ({"verb": "label", "label_set": "team"}, "line 1: “team” does not have the form key=value"),
        (
            {"verb": "label", "label_set": "a=b c"},
            "The label value 'b c' must be empty",
        ),
        ({"verb": "label", "label_set": "a b=c"}, "The label key 'a b' must have a name"),
        ({"verb": "label", "label_set": "a=1", "label_remove": "a"}, "“a” is both set and removed"),
        ({"verb": "annotate", "annotate_set": "/x=1"}, "The annotation key '/x' has an empty prefix"),
        ({"verb": "patch", "patch": "spec:\n  port: [1"}, "line 2, column 9"),
        ({"verb": "patch", "patch": ""}, "The text is empty"),
        ({"verb": "patch", "patch": "metadata: {name: other}"}, "In metadata, only labels"),
        ({"verb": "patch", "patch": "metadata: {uid: other}"}, "In metadata, only labels"),
        ({"verb": "patch", "patch": "kind: Pod"}, "All objects are of one kind"),
        ({"verb": "patch", "patch": "status: {phase: x}"}, "cannot be changed in bulk"),
        ({"verb": "delete", "grace": "other", "seconds": "soon"}, "“soon” is not a grace period"),
    ],
)
async def test_what_cannot_be_sent_is_said_and_kept(demos: Demos, typed: dict[str, str], words: str) -> None:
    demos.make("a")
    page = await demos.choose(**typed)
    assert page.status == 422
    assert words in page.text
    for name, value in typed.items():
        assert page.form.values[name] == value


async def test_nothing_selected_and_all_gone_are_said(demos: Demos) -> None:
    demos.make("a")
    page = await demos.browser.send(PAGE, {"uid": ""})
    assert (page.status, "Nothing is selected" in page.text) == (422, True)
    page = await demos.browser.send(PAGE, {"uid": "no-such-uid"})
    assert (page.status, "All selected objects are gone" in page.text) == (422, True)


async def test_without_tables_nothing_is_begun(demos: Demos, empty_database: str) -> None:
    demos.make("a")
    demos.parts.bulk_runs = bulks_for(demos.parts, empty_database)
    page = await demos.browser.press(await demos.browser.open(PAGE), "all")
    assert page.status == 503
    assert "The database cannot be used" in page.text
