"""Tests of the file of issuers: defaults as kube-apiserver's, and errors that name file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.runtime.oidc_issuers import DEFAULT_SCOPES, Issuer, is_secure_url, read_issuers

ONE = """issuers:
- name: main
  issuer: https://idp.example/realms/main
  client_id: deltaboard
"""


def written(folder: Path, text: str) -> str:
    path = folder / "issuers.yaml"
    path.write_text(text)
    return str(path)


def test_the_defaults_are_those_of_kube_apiserver(tmp_path: Path) -> None:
    url = "https://idp.example/realms/main"
    (found,) = read_issuers(written(tmp_path, ONE))
    assert found == Issuer(
        "main", "main", url, "deltaboard", scopes=DEFAULT_SCOPES, username_claim="sub", username_prefix=f"{url}#",
        groups_claim="groups", groups_prefix="",
    )  # fmt: skip
    (by_email,) = read_issuers(written(tmp_path, f"{ONE}  username_claim: email\n"))
    assert by_email.username_prefix == ""
    (plain,) = read_issuers(written(tmp_path, f'{ONE}  username_prefix: ""\n  groups_claim: ""\n'))
    assert (plain.username_prefix, plain.groups_claim) == ("", "")


def test_no_path_is_no_issuer() -> None:
    assert read_issuers("") == ()


def test_a_secret_comes_from_a_file_beside_it_and_is_never_shown(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s3cret\n")
    (found,) = read_issuers(written(tmp_path, f"{ONE}  client_secret_file: secret\n"))
    assert found.client_secret == "s3cret"
    assert "s3cret" not in repr(found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("issuers: []\n", "line 1, column 10: issuers must list at least one issuer"),
        ("issuer: x\n", "line 1, column 9: issuer is no option: did you mean issuers?"),
        ("- a\n", "line 1, column 1: this is a list"),
        (
            f"{ONE}  clientsecret: x\n",
            "line 5, column 17: issuers[0].clientsecret is no option: did you mean client_secret",
        ),
        (ONE.replace("main\n", "Main\n", 1), "line 2, column 9: issuers[0].name must be lower-case letters"),
        (ONE.replace("main\n", "logout\n", 1), "issuers[0].name must be lower-case"),
        (ONE.replace("https:", "http:"), "line 3, column 11: issuers[0].issuer must be the https address"),
        (ONE.replace("/main", "/main?x"), "issuers[0].issuer must be the https address"),
        (ONE.replace("  client_id: deltaboard\n", ""), "issuers[0].client_id is missing"),
        (f"{ONE}  client_id: again\n", "client_id appears twice"),
        (f"{ONE}  scopes: [profile]\n", "line 5, column 11: issuers[0].scopes must have openid"),
        (f"{ONE}  scopes: profile\n", "must be a list"),
        (f"{ONE}  client_secret_file: nowhere\n", "there is no such file"),
        (f"{ONE}  client_secret_file: empty\n", "which is empty: write the secret into it"),
        (f"{ONE}  required_claims: [a]\n", "must be a mapping"),
        (f"{ONE}  client_secret: 123\n", "put it in quotes"),
    ],
)
def test_an_error_names_file_and_line_and_says_what_to_write(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "empty").touch()
    path = written(tmp_path, text)
    with pytest.raises(ValueError, match=r"issuers\.yaml") as refusal:
        read_issuers(path)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no file"):
        read_issuers(str(tmp_path / "none.yaml"))


def two(first: str, second: str) -> str:
    other = ONE.replace("issuers:\n", "").replace("main", "other")
    return f"{ONE}{first}{other}{second}"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('  groups_prefix: "a:"\n', '  groups_prefix: "b:"\n'),
        ('  groups_claim: ""\n', ""),
        ('  groups_prefix: ""\n', '  groups_prefix: ""\n'),
        (
            '  groups_prefix: "a:"\n  username_prefix: "x:"\n  username_claim: email\n',
            '  groups_prefix: "b:"\n  username_prefix: "x:"\n  username_claim: email\n',
        ),
    ],
)
def test_issuers_whose_names_are_apart_or_shared_on_purpose(tmp_path: Path, first: str, second: str) -> None:
    assert len(read_issuers(written(tmp_path, two(first, second)))) == 2


@pytest.mark.parametrize(
    ("first", "second", "key"),
    [
        ("", "", "groups_prefix"),
        ("", '  groups_prefix: ""\n', "groups_prefix"),
        ('  groups_prefix: "a:"\n', "", "groups_prefix"),
        ('  groups_prefix: "a:"\n', '  groups_prefix: "a:b:"\n', "groups_prefix"),
        ("  username_claim: email\n", "  username_claim: email\n", "username_prefix"),
        ("  username_claim: email\n", "", "username_prefix"),
        ('  username_prefix: ""\n', '  username_prefix: "b:"\n', "username_prefix"),
        ('  username_prefix: "b:c"\n', '  username_prefix: "b:"\n', "username_prefix"),
    ],
)
def test_two_issuers_cannot_name_the_same_person_or_group_unasked(
    tmp_path: Path, first: str, second: str, key: str
) -> None:
    with pytest.raises(ValueError, match=rf"line \d+.*issuers\[1\]\.{key} (is .*neither begins|must keep .* apart)"):
        read_issuers(written(tmp_path, two(first, second)))


def test_two_issuers_have_two_names(tmp_path: Path) -> None:
    again = ONE.replace("issuers:\n", "")
    with pytest.raises(ValueError, match=r"issuers\[1\]\.name is main, as another issuer's"):
        read_issuers(written(tmp_path, f"{ONE}{again}"))


@pytest.mark.parametrize(
    ("url", "is_secure"),
    [
        ("https://idp.example", True),
        ("http://127.0.0.1:8080", True),
        ("http://[::1]:8080/x", True),
        ("http://localhost", True),
        ("http://idp.example", False),
        ("http://127.0.0.1.evil.example", False),
        ("https://", False),
        ("ftp://localhost", False),
        ("https://[", False),
        ("", False),
    ],
)
def test_only_this_machine_is_asked_without_tls(url: str, is_secure: bool) -> None:
    assert is_secure_url(url) is is_secure
