"""Attack: a Secret is written so that it is not found, and its values reach the database with a draft."""

from __future__ import annotations

import json

import pytest

from dashboard.pages.drafts.secret_detection import holds_secret

DATA = "stringData: {a: hush}\n"


@pytest.mark.parametrize(
    "text",
    [
        f"a: &k Secret\nkind: *k\n{DATA}",
        f"a: &k kind\n*k : Secret\n{DATA}",
        f"base: &b {{kind: Secret}}\n<<: *b\n{DATA}",
        f'kind: "\\u0053ecret"\n{DATA}',
        f'kind: "\\x53ecret"\n{DATA}',
        f'kind: "\\U00000053ecret"\n{DATA}',
        f'kind: "Sec\\\n  ret"\n{DATA}',
        f'"\\u006bind": Secret\n{DATA}',
        f"!!str kind: !!str Secret\n{DATA}",
        f"kind: !!binary U2VjcmV0\n{DATA}",
        f"? kind\n: Secret\n{DATA}",
        f"kind:\n  # of what\n\n  Secret\n{DATA}",
        f"kind: ConfigMap\n...\nkind: Secret\n{DATA}",
        f"kind: ConfigMap\r---\rkind: Secret\r{DATA}",
        f"kind: Gateway\n--- !!map\nkind: Secret\n{DATA}",
        f"kind: Template\nobjects:\n- kind: Secret\n  {DATA}",
        f"kind: Template\nkind: Secret\n{DATA}",
        f"kind: Template\nobjects:\n- kind: Secret\n  {DATA}  unfinished: {{",
        f"kind: Gateway\nunfinished: {{\nspec: {{kind: &a Secret, {DATA.strip()}}}",
        f'kind: Gateway\nunfinished: {{\nspec: {{kind: "\\u0053ecret", {DATA.strip()}}}',
        '{"kind": "\\u0053ecret", "data": {"a": "aHVzaA=="}}',
        '{"kind": "ConfigMap"}\n{"kind": "Secret", "data": {"a": "aHVzaA=="}}',
        json.dumps({"kind": "List", "items": [{"kind": "Secret", "data": {"a": "aHVzaA=="}}]}),
        f"{DATA}kind: Secret\nunfinished: [",
    ],
)
def test_a_secret_in_disguise_is_found(text: str) -> None:
    assert holds_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        "# made for a Secret\n---\nkind: ConfigMap\n",
        'kind: Deployment\nspec: {command: ["echo \\u0041"]}\n',
        "kind: Gateway\nspec:\n  certificateRefs:\n  - kind: Secret\n    name: cert\n  unfinished: {\n",
        "kind: ConfigMap\ndata:\n  words: Secret\n  unfinished: {\n",
        "kind: ExternalSecret\nspec: {secretStoreRef: {kind: SecretStore}}\nunfinished: {\n",
    ],
)
def test_what_holds_no_secret_keeps_its_draft(text: str) -> None:
    assert not holds_secret(text)
