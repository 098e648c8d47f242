"""From the claims of an ID token to a person, as kube-apiserver's OIDC authenticator has it.

Source: staging/src/k8s.io/apiserver/plugin/pkg/authenticator/token/oidc/oidc.go of Kubernetes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.access.person import MAX_GROUPS, Person, PersonRefused, checked_person
from dashboard.runtime.oidc_issuers import Issuer

MAX_SUBJECT_LENGTH = 255
"""Characters of ``sub``, by OpenID Connect Core 1.0 section 2; ``sid`` gets as many."""


def person_of_claims(issuer: Issuer, claims: Mapping[str, Any]) -> Person:
    """The person with the issuer's prefixes. Raises PersonRefused with a sentence for them."""
    _check_required(issuer, claims)
    name = _text(issuer, claims, issuer.username_claim, "name of the user")
    if issuer.username_claim == "email" and claims.get("email_verified", True) is not True:
        raise PersonRefused(
            f"{issuer.title} has not verified your e-mail address (email_verified), so it cannot be your name here. "
            f"Verify it there, then sign in again."
        )
    groups = _groups(issuer, claims)
    if issuer.required_groups and not set(issuer.required_groups).intersection(groups):
        raise PersonRefused(
            f"You are in none of the groups that may sign in here from {issuer.title}. "
            "Ask for membership, then sign in again."
        )
    uid = _text(issuer, claims, issuer.uid_claim, "uid of the user") if issuer.uid_claim else ""
    return checked_person(
        f"{issuer.username_prefix}{name}", [f"{issuer.groups_prefix}{group}" for group in groups], uid
    )


def stored_text(value: object) -> str:
    """``sub`` or ``sid`` of a token, to be stored. Raises PersonRefused where the database could not have it."""
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > MAX_SUBJECT_LENGTH or not value.isprintable():
        raise PersonRefused(
            f"The provider identifies this sign-in by something else than up to {MAX_SUBJECT_LENGTH} printable "
            "characters, which Deltaboard cannot store. Its operator has to mend that."
        )
    return value


def _check_required(issuer: Issuer, claims: Mapping[str, Any]) -> None:
    for name, wanted in issuer.required_claims:
        if claims.get(name) != wanted:
            raise PersonRefused(
                f"{issuer.title} does not say of you what Deltaboard requires ({name} must be {wanted!r}). "
                "Sign in with another account."
            )


def _text(issuer: Issuer, claims: Mapping[str, Any], claim: str, what: str) -> str:
    value = claims.get(claim)
    if isinstance(value, str) and value:
        return value
    problem = "is missing" if value is None or value == "" else "is no text"
    raise PersonRefused(
        f"The claim {claim!r} of {issuer.title}, which has the {what}, {problem}. "
        "Deltaboard's operator has to name another claim, or ask for its scope."
    )


def _groups(issuer: Issuer, claims: Mapping[str, Any]) -> list[str]:
    """The groups as the provider names them; a text is one group."""
    claim = issuer.groups_claim
    if not claim:
        return []
    elsewhere = claims.get("_claim_names")
    if isinstance(elsewhere, dict) and claim in elsewhere:
        raise PersonRefused(
            f"You are in more groups than {issuer.title} puts into a token. "
            "Its operator has to let it send only the groups that are assigned to Deltaboard."
        )
    value = claims.get(claim)
    if value is None:
        return []
    groups = [value] if isinstance(value, str) else value
    if not isinstance(groups, list) or not all(isinstance(group, str) for group in groups[: MAX_GROUPS + 1]):
        raise PersonRefused(
            f"The claim {claim!r} of {issuer.title} is no list of texts, so Deltaboard does not know your groups. "
            "Its operator has to let it send the groups' names."
        )
    if len(groups) > MAX_GROUPS:
        raise PersonRefused(
            f"You are in {len(groups)} groups, but Deltaboard passes on {MAX_GROUPS} at most. "
            f"The operator of {issuer.title} has to let it send only those that have rights in the cluster."
        )
    return groups
