"""Tables of bulk runs: the runs, and their objects in blocks, so that a beat writes only changed blocks."""

from __future__ import annotations

from django.db import models


class BulkRun(models.Model):
    """One run. Its process writes the progress and `beat`; pages write `wish`, and start phases."""

    key = models.CharField(max_length=32, unique=True)
    owner = models.CharField(max_length=254)
    browser = models.CharField(max_length=32)
    server = models.CharField(max_length=500)
    """Address of the cluster."""
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
    """Whether it covers all objects that matched the filter, and not selected rows.

    The database has its default too: during a rolling update, old web processes do not know the column.
    """
    runner = models.CharField(max_length=32, default="")
    made = models.FloatField(db_index=True)
    """Unix seconds, like `beat`."""
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
