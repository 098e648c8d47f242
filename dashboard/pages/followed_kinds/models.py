"""Table of the kinds that somebody has chosen to be followed always."""

from __future__ import annotations

from django.db import models


class FollowedKind(models.Model):
    """A kind that is followed whoever views it, beside those of the settings."""

    key = models.CharField(max_length=320, unique=True)
    """``plural.group``."""
    owner = models.CharField(max_length=254)
    """The user who chose it; empty where there is no sign-in."""
    made = models.FloatField()
    """Unix seconds."""

    def __str__(self) -> str:
        return self.key
