"""Table of the authors: writes that the API server accepted, each with its user."""

from __future__ import annotations

from django.db import models


class Authored(models.Model):
    """One write, identified by the object's own fields after it."""

    uid = models.CharField(max_length=128)
    version = models.CharField(max_length=64)
    """The resourceVersion that it created; empty for a deletion."""
    at = models.CharField(max_length=40)
    """RFC 3339 time of our entry in managedFields, from the API server; empty for a deletion."""
    owner = models.CharField(max_length=254)
    browser = models.CharField(max_length=32)
    made = models.FloatField(db_index=True)
    """Unix seconds."""

    class Meta:
        indexes = (models.Index(fields=("uid",), name="authored_uid"),)

    def __str__(self) -> str:
        return f"{self.uid} at {self.version or 'its end'}"
