"""Tests of the style sheets: contrast of at least AA, and the order of Tab is the order on the page."""

from __future__ import annotations

import re

import pytest

from tests.support.program import ROOT
from tests.templates.test_templates import TEMPLATES


def _luminance(colour: str) -> float:
    parts = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """WCAG's contrast ratio of two #rrggbb colours."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


TEXT = ("text", "soft", "faint", "accent", "ok", "warn", "bad", "busy")
GROUNDS = ("page", "surface", "raised", "sunken", "hover")


@pytest.mark.parametrize(("scheme", "index"), [("light", 0), ("dark", 1)])
def test_text_has_contrast_aa_on_every_ground(scheme: str, index: int) -> None:
    css = (ROOT / "static/css/base.css").read_text()
    tokens = {
        name: values[index]
        for name, *values in re.findall(
            r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", css.split(":root[")[0]
        )
    }
    grounds = [(name, ground) for name in TEXT for ground in GROUNDS]
    grounds += [(name, f"{name}-soft") for name in ("accent", "ok", "warn", "bad", "busy")]
    grounds += [("faint", f"{name}-soft") for name in ("accent", "ok", "warn", "bad", "busy")]
    grounds += [
        ("text", "flash"),
        ("faint", "flash"),
        ("text", "bad-soft"),
        ("text", "warn-soft"),
        ("on-accent", "accent"),
        ("on-accent", "bad"),
    ]
    weak = {
        f"{name} on {ground}": round(contrast(tokens[name], tokens[ground]), 2)
        for name, ground in grounds
        if contrast(tokens[name], tokens[ground]) < 4.5
    }
    assert weak == {}, scheme


def test_no_style_sheet_shows_something_before_what_tab_reaches_first() -> None:
    """Review stands before Discard in the page, for Enter presses the first button; so it does for eyes and for Tab."""
    for path in sorted((ROOT / "static/css").glob("*.css")):
        assert not re.search(r"\border: -|-reverse\b", path.read_text()), path
    for name in ("edit/edit.html", "edit/conflict.html", "create/new.html"):
        html = (TEMPLATES / name).read_text()
        assert html.index('name="review"') < html.index('name="discard"'), name
