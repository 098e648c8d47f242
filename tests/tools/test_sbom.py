"""Tests of what is added to the software bill of materials."""

from __future__ import annotations

import json

from tools.sbom import completed

WHEEL = "deltaboard-1.0-py3-none-any.whl"
BILL = {
    "components": [
        {
            "bom-ref": "deltaboard==1.0", "name": "deltaboard", "version": "1.0",
            "externalReferences": [{"type": "distribution", "url": f"file:///home/somebody/dist/{WHEEL}"}],
        }
    ],
    "dependencies": [{"ref": "deltaboard==1.0", "dependsOn": ["Django==5.2"]}],
}  # fmt: skip


def test_the_browser_libraries_of_the_wheel_are_in_it_with_their_licences() -> None:
    bill = completed(json.loads(json.dumps(BILL)))
    found = {each["purl"].partition("@")[0]: each for each in bill["components"] if "purl" in each}
    assert {"pkg:npm/htmx.org", "pkg:npm/%40xterm/xterm", "pkg:npm/%40codemirror/view"} <= found.keys()
    assert all(each["licenses"][0]["license"]["id"] for each in found.values())
    (depends,) = [each["dependsOn"] for each in bill["dependencies"] if each["ref"] == "deltaboard==1.0"]
    assert {*depends} == {"Django==5.2", *(each["bom-ref"] for each in found.values())}


def test_it_does_not_name_the_folder_in_which_it_was_made() -> None:
    text = json.dumps(completed(json.loads(json.dumps(BILL))))
    assert "somebody" not in text
    assert WHEEL in text
