"""Tests of the colours of logs: each can be read on every background that a line may have."""

from __future__ import annotations

import re

from tests.support.program import ROOT

CSS = ROOT / "static" / "css"
PAIR = r"light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)"
BACKGROUNDS = ("surface", "sunken", "hover", "flash")
"""Of a line, of a mark, under the pointer, of a marked line."""
LEAST = 4.5
"""WCAG AA."""


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_colours_of_containers_and_of_programs_have_contrast_in_both_themes() -> None:
    logs, base = (CSS / "logs.css").read_text(), (CSS / "base.css").read_text()
    tokens = {name: pair for name, *pair in re.findall(rf"--([\w-]+): {PAIR}", base)}
    colours = {name: pair for name, *pair in re.findall(rf"\.(c\d|a-\d+)\b[^{{}}]*{{ color: {PAIR}; }}", logs)}
    (found,) = [pair for (*pair,) in re.findall(rf"mark\.found {{[^}}]*background: {PAIR}", logs)]
    assert len(colours) >= 20
    backgrounds = {**{name: tokens[name] for name in BACKGROUNDS}, "found": found}
    poor = [
        f"{name} on {behind}: {contrast(each, other):.2f}"
        for name, pair in colours.items()
        for behind, others in backgrounds.items()
        for each, other in zip(pair, others, strict=True)
        if contrast(each, other) < LEAST
    ]
    assert poor == []
