"""The one table: drains of nodes, so that every web process can show one, and say when the one that ran it ended."""

from __future__ import annotations

from django.db import models


class DrainRecord(models.Model):
    """One drain. Who runs it writes `state`, `pods`, `words` and `beat`; pages write `wish` only."""

    key = models.CharField(max_length=32, unique=True)
    server = models.CharField(max_length=500)
    """The cluster's address."""
    node = models.CharField(max_length=253)
    uid = models.CharField(max_length=128)
    """The node's."""
    by = models.CharField(max_length=254)
    grace = models.IntegerField(null=True)
    pods = models.JSONField(default=list)
    state = models.CharField(max_length=16)
    wish = models.CharField(max_length=16, default="")
    wished_by = models.CharField(max_length=254, default="", db_default="")
    """Who pressed last, where a proxy says so."""
    words = models.TextField(default="")
    """What keeps it from going on, as a sentence."""
    runner = models.CharField(max_length=32)
    begun = models.FloatField()
    """Unix seconds, as is `beat`."""
    beat = models.FloatField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("server", "uid"),
                condition=models.Q(state__in=("running", "paused")),
                name="drains_one_a_node",
            ),
        )

    def __str__(self) -> str:
        return f"drain of {self.node}"
