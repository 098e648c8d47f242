"""Sign-ins that failed, as sentences for the person."""

from __future__ import annotations

from dashboard.access.oidc.provider_client import MAX_BYTES, ProviderMisconfigured, ProviderUnusable
from dashboard.runtime.oidc_issuers import Issuer

MAX_QUOTED = 200
"""Characters of a provider's own words that are shown."""


class SignInFailed(Exception):
    """Nobody was signed in; the message is a sentence for the person, `status` that of the response."""

    def __init__(self, sentence: str, *, status: int = 400, next_address: str = "/", detail: str = "") -> None:
        super().__init__(sentence)
        self.status = status
        self.next_address = next_address
        """Where the person wanted to go."""
        self.detail = detail
        """For the operator, in the log."""


def denied(issuer: Issuer) -> str:
    return (
        f"{issuer.title} did not let you sign in: you have cancelled it, or you may not use Deltaboard there. "
        "Try again, or ask for access."
    )


def unknown_state(issuer: Issuer) -> str:
    return (
        f"This answer of {issuer.title} belongs to no sign-in that this browser has begun: it was used already, is "
        "older than 10 minutes, or was begun elsewhere. Sign in again."
    )


def refused(issuer: Issuer, error: str, description: str) -> str:
    words = " ".join(filter(None, (error, description)))[:MAX_QUOTED]
    return f"{issuer.title} refused the sign-in: {words or 'it sent no code'}. Try again."


def unusable(issuer: Issuer, error: ProviderUnusable) -> str:
    """The sentence for a provider whose configuration or keys cannot be read."""
    if isinstance(error, ProviderMisconfigured):
        return (
            f"Deltaboard has a wrong address of {issuer.title}, so nobody can sign in with it. Its operator has to "
            "correct the issuer in DELTABOARD_OIDC; the log says what is wrong."
        )
    return unreachable(issuer)


def unreachable(issuer: Issuer) -> str:
    return (
        f"{issuer.title} does not answer, so nobody can sign in with it just now. Try again in a minute. "
        "People who are signed in are not affected."
    )


def too_large(issuer: Issuer) -> str:
    return (
        f"The answer of {issuer.title} is larger than Deltaboard accepts ({MAX_BYTES // 1024} KiB). "
        "Its operator has to let it send fewer claims or groups."
    )


def code_refused(issuer: Issuer, answer: str) -> str:
    """The sentence for what the token endpoint answered."""
    if "invalid_grant" in answer:
        return f"{issuer.title} does not take this sign-in any more: it was used already, or took too long. Try again."
    if "invalid_client" in answer or "unauthorized_client" in answer:
        return (
            f"{issuer.title} does not know Deltaboard: its operator has to compare client_id and client_secret in "
            "DELTABOARD_OIDC with the provider's."
        )
    return f"{issuer.title} answered what Deltaboard does not understand. Try again; if it stays so, tell its operator."
