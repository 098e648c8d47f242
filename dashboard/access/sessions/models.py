"""Tables of sessions, and of the logout tokens that were used."""

from __future__ import annotations

from django.db import models


class Session(models.Model):
    """One browser that somebody has signed in with. A session that has ended has no row."""

    key_hash = models.CharField(max_length=64, primary_key=True)
    """SHA-256 of the cookie's key in hexadecimal; nobody can make the key of it."""
    person = models.CharField(max_length=254, db_index=True)
    groups = models.JSONField(default=list)
    uid = models.CharField(max_length=254, default="", db_default="")
    issuer = models.CharField(max_length=64)
    """Name of the issuer in DELTABOARD_OIDC."""
    subject = models.CharField(max_length=255)
    """``sub`` of the ID token."""
    sid = models.CharField(max_length=255, default="", db_default="")
    """``sid`` of the ID token; empty where it had none."""
    device = models.CharField(max_length=64)
    created = models.FloatField()
    """Unix seconds, as all times here."""
    last_used = models.FloatField()
    expires = models.FloatField(db_index=True)

    class Meta:
        indexes = (
            models.Index(fields=("issuer", "sid"), name="sessions_of_sid"),
            models.Index(fields=("issuer", "subject"), name="sessions_of_subject"),
        )

    def __str__(self) -> str:
        return f"{self.person} on {self.device}"


class UsedLogoutToken(models.Model):
    """A logout token that was used, until it expires."""

    issuer = models.CharField(max_length=64)
    token = models.CharField(max_length=64)
    """SHA-256 of its ``jti`` in hexadecimal."""
    expires = models.FloatField(db_index=True)
    """Unix seconds."""

    class Meta:
        constraints = (models.UniqueConstraint(fields=("issuer", "token"), name="sessions_logout_token_once"),)

    def __str__(self) -> str:
        return f"{self.issuer} {self.token}"
