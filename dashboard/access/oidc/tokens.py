"""Verification of ID tokens and of logout tokens, by Authlib.

Sources: OpenID Connect Core 1.0 section 3.1.3.7; OpenID Connect Back-Channel Logout 1.0 sections 2.4 and 2.6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import (
    BadSignatureError,
    ExceededSizeError,
    ExpiredTokenError,
    InvalidClaimError,
    InvalidKeyIdError,
    JoseError,
    MissingClaimError,
)
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry

from dashboard.runtime.oidc_issuers import Issuer

ALGORITHMS = (
    "RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "Ed25519", "EdDSA",
)  # fmt: skip
"""Signatures that the provider alone can make; none that the client's secret makes, too."""
LEEWAY = 60
"""Seconds by which the clocks of provider and Deltaboard may differ."""
LOGOUT_MAX_AGE = 300
"""Seconds after which a logout token is refused."""
MAX_TOKEN_BYTES = 512 * 1024
LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"


class TokenRefused(Exception):
    """A token that must not be trusted; the message is a sentence for people."""


class _Registry(JWSRegistry):
    """Takes tokens with some thousand groups, and headers with certificates."""

    max_header_length = 16 * 1024
    max_payload_length = MAX_TOKEN_BYTES


@dataclass(frozen=True, slots=True)
class LogoutToken:
    """What a provider asks for: the end of one session of it, or without `sid` of all of a subject."""

    sid: str
    subject: str
    id: str
    expires_at: float
    """Unix seconds after which it would be refused anyway."""


Keys = Callable[[bool], KeySet]
"""Returns the provider's keys; with True those that it has now, for it may have new ones."""


def verified_id_token(token: object, keys: Keys, issuer: Issuer, *, nonce: str, now: float) -> dict[str, Any]:
    """The claims of an ID token that was issued for this sign-in. Raises TokenRefused."""
    decoded = _decoded(token, keys, issuer)
    claims = CodeIDToken(
        decoded.claims,
        decoded.header,
        {
            "iss": {"essential": True, "value": issuer.url},
            "aud": {"essential": True, "value": issuer.client_id},
            "sub": {"essential": True},
        },
        {"nonce": nonce, "client_id": issuer.client_id},
    )
    _check_issued_at(decoded.claims, issuer, now)
    if not nonce:  # Authlib would compare none
        raise TokenRefused(f"The answer of {issuer.title} belongs to no sign-in. Sign in again.")
    try:
        claims.validate(int(now), LEEWAY)
    except JoseError as error:
        raise TokenRefused(_claim_sentence(error, issuer)) from None
    return dict(claims)


def verified_logout_token(token: object, keys: Keys, issuer: Issuer, *, now: float) -> LogoutToken:
    """What a logout token asks for. Raises TokenRefused; its `id` is still to be compared with those seen before."""
    decoded = _decoded(token, keys, issuer)
    claims = decoded.claims
    _check_issued_at(claims, issuer, now)
    registry = jwt.JWTClaimsRegistry(
        int(now),
        LEEWAY,
        iss={"essential": True, "value": issuer.url},
        aud={"essential": True, "value": issuer.client_id},
        jti={"essential": True},
    )
    try:
        registry.validate(claims)
    except JoseError as error:
        raise TokenRefused(_claim_sentence(error, issuer)) from None
    if now - claims["iat"] > LOGOUT_MAX_AGE:
        raise TokenRefused("The logout token was issued too long ago.")
    events = claims.get("events")
    if not isinstance(events, dict) or not isinstance(events.get(LOGOUT_EVENT), dict):
        raise TokenRefused("The token is no logout token: it lacks the event of one.")
    if "nonce" in claims:
        raise TokenRefused("The logout token has a nonce, which only ID tokens may have.")
    sid, subject = claims.get("sid", ""), claims.get("sub", "")
    if not isinstance(sid, str) or not isinstance(subject, str) or not (sid or subject):
        raise TokenRefused("The logout token names neither a session (sid) nor a subject (sub).")
    return LogoutToken(sid, subject, claims["jti"], claims["iat"] + LOGOUT_MAX_AGE + LEEWAY)


def _decoded(token: object, keys: Keys, issuer: Issuer) -> jwt.Token:
    """The token once its signature is right."""
    if not isinstance(token, str) or not token:
        raise TokenRefused(f"{issuer.title} sent no token. Ask Deltaboard's operator to compare the scopes.")
    if len(token) > MAX_TOKEN_BYTES:
        raise TokenRefused(_too_large(issuer))
    try:
        try:
            return _decode(token, keys(False))
        except (InvalidKeyIdError, BadSignatureError, ValueError):
            return _decode(token, keys(True))
    except ExceededSizeError:
        raise TokenRefused(_too_large(issuer)) from None
    except (JoseError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise TokenRefused(
            f"The token of {issuer.title} is not signed with its keys, or cannot be read ({type(error).__name__}). "
            "Sign in again; if it stays so, its operator has to look."
        ) from None


def _decode(token: str, keys: KeySet) -> jwt.Token:
    registry = _Registry(algorithms=ALGORITHMS, strict_check_header=False)
    return jwt.decode(token, keys, algorithms=ALGORITHMS, registry=registry)


def _too_large(issuer: Issuer) -> str:
    return (
        f"The token of {issuer.title} is larger than Deltaboard accepts ({MAX_TOKEN_BYTES // 1024} KiB). "
        "Its operator has to let it send fewer claims or groups."
    )


def _check_issued_at(claims: dict[str, Any], issuer: Issuer, now: float) -> None:
    """Raise TokenRefused where a time is no number, or comes from a clock that is ahead."""
    for name in ("iat", "nbf", "exp"):
        value = claims.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise TokenRefused(f"The time {name} in the token of {issuer.title} is no number.")
    if not isinstance(claims.get("iat"), int | float):
        raise TokenRefused(f"The token of {issuer.title} does not say when it was issued (iat).")
    ahead = max(claims["iat"], claims.get("nbf") or 0) - now
    if ahead > LEEWAY:
        raise TokenRefused(
            f"The clocks of {issuer.title} and of Deltaboard differ by {ahead:.0f} s, more than the {LEEWAY} s that "
            "are allowed. Sign in again once one of them has been set."
        )


def _claim_sentence(error: JoseError, issuer: Issuer) -> str:
    """The sentence for a claim that is wrong."""
    if isinstance(error, ExpiredTokenError):
        return (
            f"The token of {issuer.title} has expired. Sign in again. If it stays so, the clocks of {issuer.title} and "
            "of Deltaboard differ."
        )
    claim = error.claim if isinstance(error, MissingClaimError | InvalidClaimError) else ""
    if claim == "nonce":
        return f"The answer of {issuer.title} belongs to another sign-in (nonce). Sign in again."
    if claim == "iss":
        return (
            f"The token comes from another issuer than {issuer.url}, so it does not count. Deltaboard's operator has "
            "to compare the issuer in DELTABOARD_OIDC with the provider's."
        )
    if claim in ("aud", "azp"):
        return f"The token of {issuer.title} was issued for another client than Deltaboard, so it does not count."
    return f"The token of {issuer.title} is not valid: {error.description or type(error).__name__}"
