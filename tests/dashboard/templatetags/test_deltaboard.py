"""Tests of the template filters: positions, changes, and where texts may break."""

from __future__ import annotations

from dashboard.runtime.text_with_links import TextPiece, age_piece
from dashboard.templatetags import deltaboard
from tests.support.pages import template_view_samples as samples


def test_a_mistake_is_underlined_where_it_is() -> None:
    marked = deltaboard.mark_mistake(samples.problem(7, 16, ""), "web <1 restarts>")
    assert marked == "web &lt;1 <mark>restarts&gt;</mark>"


def test_change_words_mark_old_and_new() -> None:
    assert deltaboard.change("Restarts 3 → 4") == "Restarts <del>3</del> → <ins>4</ins>"
    assert deltaboard.change("spec.port 80 → 90") == "<code>spec.port</code> <del>80</del> → <ins>90</ins>"
    assert deltaboard.change("internal IP a → b, ip c → d") == (
        "internal IP <del>a</del> → <ins>b</ins>, ip <del>c</del> → <ins>d</ins>"
    )
    assert deltaboard.change("message it was so → it is so") == "message <del>it was so</del> → <ins>it is so</ins>"
    assert deltaboard.change("status a → b") == "status <del>a</del> → <ins>b</ins>"
    assert deltaboard.change("created") == "created"
    assert deltaboard.change("data.key removed") == "<code>data.key</code> removed"


def test_paths_break_between_their_names_and_commands_between_their_words() -> None:
    assert deltaboard.path("spec.ports[0].x<y") == "spec.<wbr>ports<wbr>[0].<wbr>x&lt;y"
    assert deltaboard.path("annotations[a.io/b-c]") == "annotations<wbr>[a.<wbr>io/<wbr>b-c]"
    assert deltaboard.command(" get --a=<b>\n'c") == (
        ' <span class="word">get</span> <span class="word">--a=&lt;b&gt;</span>\n<span class="word">&#x27;c</span>'
    )


def test_without_scripts_a_sentence_has_since_or_at_a_moment_where_the_browser_writes_an_age() -> None:
    at = age_piece(1_800_000_000)
    time = '<time data-age="{}" datetime="2027-01-15T08:00:00Z">{}2027-01-15 08:00:00 UTC</time>'
    assert deltaboard.sentence([TextPiece("Running on <a> for "), at, TextPiece(".")]) == (
        f"Running on &lt;a&gt; {time.format('for', 'since ')}."
    )
    assert deltaboard.sentence([TextPiece("Done, created "), at, TextPiece(" ago"), TextPiece(".")]) == (
        f"Done, created {time.format('ago', 'at ')}."
    )
    assert deltaboard.sentence([TextPiece("begun "), at, TextPiece(" before")]) == (
        f"begun {time.format('object', '')} before"
    )
