"""Tests of docs/addresses.md: it has every address that is routed, and no other."""

from __future__ import annotations

import re

from django.urls import Resolver404, resolve

from dashboard.urls import urlpatterns
from tests.support.program import ROOT

PAGE = (ROOT / "docs" / "addresses.md").read_text()
OBJECT = "/resources/<kind>/<namespace>/<name>/"
NAMES = {"resource": "kind", "key": "run", "provider_id": "issuer"}


def routed() -> set[str]:
    """The addresses of dashboard/urls.py as the page writes them, without that of pages that do not exist."""
    found = set()
    for each in urlpatterns[:-1]:
        text = re.sub(r"<str:(\w+)>|\(\?P<(\w+)>(?:\([^)]*\)|[^)])*\)", r"<\1\2>", str(each.pattern))
        text = re.sub(
            r"<(\w+)>", lambda match: f"<{NAMES.get(match[1], match[1])}>", text.strip("^$").replace("\\.", ".")
        )
        found.add("/" + text.replace("drafts/<run>", "drafts/<draft>"))
    return found


def named() -> set[str]:
    """The addresses of the page. One that begins with a dot is the one before it with another suffix."""
    tables, own = PAGE.split("## The pages' own scripts")
    cells = [re.findall(r"`([^`]+)`", row.split(" | ")[0]) for row in tables.splitlines() if row.startswith("| `")]
    found = {f"{cell[0].rpartition('.')[0]}.<suffix>" if cell[1:] and cell[1][0] == "." else cell[0] for cell in cells}
    found |= {each for cell in cells for each in cell[1:] if each.startswith("/")}
    found |= {each for cell in cells for each in (cell[0].replace("logs.txt", "logs.ndjson"),) if "logs.txt" in cell[0]}
    of_kind, of_object = own.partition("below `/resources/<kind>/`")[2].split("below an object")
    found |= {each for each in re.findall(r"`(/[^`]+)`", own) if each != "/resources/<kind>/"}
    found |= {f"/resources/<kind>/{each}" for each in re.findall(r"`([^/`][^`]*)`", of_kind)}
    found |= {f"{OBJECT}{each}" for each in re.findall(r"`([^/`][^`]*)`", of_object)}
    return found | {f"{OBJECT}edit/status/", "/resources/<kind>/<name>/", "/why/<kind>/<name>/"}  # in sentences


def test_it_has_every_address_that_is_routed() -> None:
    pods_only = {each.replace("<kind>", "pods") for each in named() if "/terminal/debug/" in each}
    assert routed() - named() - pods_only == set()


def test_every_address_that_it_has_is_routed() -> None:
    lost = []
    for address in named():
        try:
            found = resolve(re.sub(r"<(\w+)>", "x", address.replace("<kind>", "pods").replace("<suffix>", "csv")))
        except Resolver404:
            lost.append(address)
        else:
            lost += [address] if found.url_name is None else []
    assert lost == []
