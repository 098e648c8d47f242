"""Tests of the way from claims to a person: prefixes, groups, and what nobody may be called."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.access.oidc.claims import person_of_claims
from dashboard.access.person import Person, PersonRefused
from dashboard.runtime.oidc_issuers import Issuer


def issuer(**options: Any) -> Issuer:
    return Issuer("main", "Main", "https://idp.example", "deltaboard", groups_claim="groups", **options)


def test_a_person_has_the_prefixes_of_the_issuer() -> None:
    found = person_of_claims(
        issuer(username_prefix="u:", groups_prefix="g:", uid_claim="oid"),
        {"sub": "alice", "groups": ["b", "a", "b"], "oid": "7"},
    )
    assert found == Person("u:alice", ("g:a", "g:b"), "7")


def test_one_group_may_be_a_text_and_none_be_missing() -> None:
    assert person_of_claims(issuer(), {"sub": "alice", "groups": "dev"}).groups == ("dev",)
    assert person_of_claims(issuer(), {"sub": "alice"}).groups == ()


@pytest.mark.parametrize(
    ("options", "claims"),
    [
        ({}, {"sub": "system:admin"}),
        ({}, {"sub": "System:admin"}),
        ({"username_prefix": "system:"}, {"sub": "alice"}),
        ({"username_prefix": "sys"}, {"sub": "tem:masters"}),
        ({}, {"sub": "alice", "groups": ["system:masters"]}),
        ({"groups_prefix": "system"}, {"sub": "alice", "groups": [":masters"]}),
    ],
)
def test_nobody_is_one_of_kubernetes_own_once_the_prefix_is_there(
    options: dict[str, str], claims: dict[str, Any]
) -> None:
    with pytest.raises(PersonRefused, match="Kubernetes keeps such names for itself"):
        person_of_claims(issuer(**options), claims)


def test_a_prefix_makes_another_name_of_one_of_kubernetes_own() -> None:
    found = person_of_claims(
        issuer(username_prefix="u:", groups_prefix="g:"), {"sub": "system:a", "groups": "system:b"}
    )
    assert found == Person("u:system:a", ("g:system:b",))


def test_only_people_of_the_required_groups_come_in() -> None:
    closed = issuer(required_groups=("ops", "dev"), groups_prefix="g:")
    assert person_of_claims(closed, {"sub": "alice", "groups": ["dev"]}).groups == ("g:dev",)
    for groups in (["g:dev"], [], None):
        with pytest.raises(PersonRefused, match="none of the groups"):
            person_of_claims(closed, {"sub": "alice", "groups": groups})


def test_only_people_with_the_required_claims_come_in() -> None:
    closed = issuer(required_claims=(("hd", "example.com"),))
    assert person_of_claims(closed, {"sub": "alice", "hd": "example.com"}).name == "alice"
    for claims in ({}, {"hd": "evil.example"}, {"hd": ["example.com"]}):
        with pytest.raises(PersonRefused, match=r"hd must be 'example\.com'"):
            person_of_claims(closed, {"sub": "alice", **claims})


@pytest.mark.parametrize("verified", [False, "true", None, 1])
def test_an_unverified_e_mail_address_is_nobodys_name(verified: object) -> None:
    by_email = issuer(username_claim="email")
    assert person_of_claims(by_email, {"email": "a@example.com"}).name == "a@example.com"
    assert person_of_claims(by_email, {"email": "a@example.com", "email_verified": True}).name == "a@example.com"
    with pytest.raises(PersonRefused, match="has not verified"):
        person_of_claims(by_email, {"email": "a@example.com", "email_verified": verified})
