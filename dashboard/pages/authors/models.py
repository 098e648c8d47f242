"""The one table: writes that the API server took, each with who asked for it."""

from __future__ import annotations

from django.db import models


class Authored(models.Model):
    """One write, by what the object itself says of it afterwards."""

    uid = models.CharField(max_length=128)
    version = models.CharField(max_length=64)
    """The resourceVersion that it made; empty of a deletion."""
    at = models.CharField(max_length=40)
    """When, by the API server: the time of our entry in managedFields, RFC 3339; empty of a deletion."""
    owner = models.CharField(max_length=254)
    browser = models.CharField(max_length=32)
    made = models.FloatField(db_index=True)
    """Unix seconds."""

    class Meta:
        indexes = (models.Index(fields=("uid",), name="authored_uid"),)

    def __str__(self) -> str:
        return f"{self.uid} at {self.version or 'its end'}"
