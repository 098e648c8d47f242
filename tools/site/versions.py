"""Versions of the site: the folder of each, and the page that names them."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any

from informerd.version import VERSION
from tools.site.sources import ROOT

__all__ = ["VERSION", "is_released", "versions", "write_versions"]

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Deltaboard: documentation by version</title>
<style>body {{ font: 16px/1.6 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem }}</style>
<main><h1>Deltaboard: documentation by version</h1><ul>
{lines}
</ul></main></html>
"""


def is_released() -> bool:
    """Whether the changelog has this version. Until then its changes are below "Unreleased"."""
    return re.search(rf"^## {re.escape(VERSION)}\b", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE) is not None


def versions(folder: Path) -> list[dict[str, Any]]:
    """The versions whose sites are in the folder, the newest first. Those of before are told as they were then."""
    file = folder / "versions.json"
    known = {each["version"]: each for each in json.loads(file.read_text())} if file.exists() else {}
    known[VERSION] = {"version": VERSION, "released": is_released()}
    there = [each for name, each in known.items() if (folder / name / "index.html").exists()]
    return sorted(there, key=lambda each: [int(part) for part in re.findall(r"\d+", each["version"])], reverse=True)


def write_versions(folder: Path) -> None:
    """Writes versions.json, for programs, and index.html, for people."""
    found = versions(folder)
    (folder / "versions.json").write_text(json.dumps(found, indent=2) + "\n")
    lines = "\n".join(
        f'<li><a href="{escape(each["version"])}/index.html">{escape(each["version"])}</a>'
        f"{'' if each['released'] else ', not released'}</li>"
        for each in found
    )
    (folder / "index.html").write_text(PAGE.format(lines=lines))
