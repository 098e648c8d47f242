"""The tables: runs, and their objects in blocks, so that a beat writes only what has changed since the last one."""

from __future__ import annotations

from django.db import models


class BulkRun(models.Model):
    """One run. Who runs it writes how far it is and `beat`; pages write `wish`, and begin phases."""

    key = models.CharField(max_length=32, unique=True)
    owner = models.CharField(max_length=254)
    browser = models.CharField(max_length=32)
    server = models.CharField(max_length=500)
    """The cluster's address."""
    resource = models.JSONField()
    order = models.JSONField(null=True)
    state = models.CharField(max_length=16)
    total = models.IntegerField()
    counts = models.JSONField(default=dict)
    groups = models.JSONField(default=list)
    wish = models.CharField(max_length=16, default="")
    heard = models.CharField(max_length=16, default="")
    words = models.TextField(default="")
    rate = models.FloatField(default=0.0)
    back = models.TextField(default="")
    matching = models.BooleanField(default=False, db_default=False)
    """Whether it is over all that matched there, and not over rows that somebody selected.

    The database has its default, too: while web processes are replaced, those of before know no such column."""
    runner = models.CharField(max_length=32, default="")
    made = models.FloatField(db_index=True)
    """Unix seconds, as is `beat`."""
    beat = models.FloatField()

    class Meta:
        indexes = (models.Index(fields=("owner", "browser"), name="bulk_whose"),)

    def __str__(self) -> str:
        return f"run over {self.total} objects"


class BulkBlock(models.Model):
    """Some objects of a run, in its order."""

    run = models.ForeignKey(BulkRun, on_delete=models.CASCADE, related_name="blocks")
    place = models.IntegerField()
    items = models.JSONField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("run", "place"), name="bulk_block_place"),)

    def __str__(self) -> str:
        return f"block {self.place}"
