"""Table of the drafts: typed texts that are not saved to the cluster."""

from __future__ import annotations

from django.db import models


class KeptDraft(models.Model):
    """A draft of one object, or of new ones. The texts are stored as typed; see dashboard.pages.drafts.draft."""

    key = models.CharField(max_length=32, unique=True)
    owner = models.CharField(max_length=254)
    browser = models.CharField(max_length=32)
    resource = models.CharField(max_length=320)
    namespace = models.CharField(max_length=253)
    name = models.CharField(max_length=253)
    tab = models.CharField(max_length=32)
    number = models.BigIntegerField()
    text = models.TextField()
    fields = models.JSONField(default=list)
    base_uid = models.CharField(max_length=128)
    base_version = models.CharField(max_length=64)
    base = models.TextField()
    made = models.DateTimeField()
    kept = models.DateTimeField(db_index=True)
    over = models.BooleanField(default=False)
    """Saved or discarded: only its number is left, so that no late save brings it back."""

    class Meta:
        indexes = (models.Index(fields=("owner", "browser", "resource", "name"), name="drafts_whose_and_what"),)

    def __str__(self) -> str:
        return f"{self.resource} {self.namespace}/{self.name}"
