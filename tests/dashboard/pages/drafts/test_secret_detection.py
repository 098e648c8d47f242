"""Tests that detect texts with a Secret, which are not stored."""

from __future__ import annotations

import pytest

from dashboard.pages.drafts.secret_detection import holds_secret

GATEWAY = "kind: Gateway\nspec:\n  certificateRefs:\n  - kind: Secret\n    name: cert\n"


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: v1\ndata: {a: aHVzaA==}\nkind: Secret\n",
        "stringData:\n  a: hush\nkind:   'Secret' # unfinished\nmetadata: {",
        "  kind: Secret\n  stringData: {a: hush}\n",
        "kind: ConfigMap\n---\nkind: Secret\n",
        "kind: ConfigMap\n--- {kind: Secret, stringData: {a: hush}}\n",
        "kind: List\nitems:\n- kind: ConfigMap\n- stringData: {a: hush}\n  kind: Secret\n",
        "kind: SecretList\nitems: [{data: {a: aHVzaA==}}]\n",
        '{"apiVersion": "v1", "kind" : "Secret", "stringData": {"a": "hush"}}',
        "kind: # of what\n  !!str &k Secret\n",
    ],
)
def test_a_secret_is_found_however_it_is_written(text: str) -> None:
    assert holds_secret(text)


@pytest.mark.parametrize(
    "text",
    ["", GATEWAY, f"{GATEWAY}---\nkind: ConfigMap\ndata: {{a: Secret}}\n", "kind: SecretStore\n", "kind: Secret-ish\n"],
)
def test_what_only_names_a_secret_is_none(text: str) -> None:
    assert not holds_secret(text)


def test_a_text_made_to_be_slow_is_not() -> None:
    holds_secret("Secret" + "kind: " + "# " * 200_000 + "kind: " + "!a " * 200_000 + "kind:" + " " * 200_000)
