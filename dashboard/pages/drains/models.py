"""Table of node drains, so that every web process can show one, and detect that its process has ended."""

from __future__ import annotations

from django.db import models


class DrainRecord(models.Model):
    """One drain. Its process writes `state`, `pods`, `words` and `beat`; pages write only `wish`."""

    key = models.CharField(max_length=32, unique=True)
    server = models.CharField(max_length=500)
    """Address of the cluster."""
    node = models.CharField(max_length=253)
    uid = models.CharField(max_length=128)
    """Uid of the node."""
    by = models.CharField(max_length=254)
    acts_for = models.JSONField(null=True)
    """Name, groups and uid of whoever started it or took it over; null for drains of older versions."""
    grace = models.IntegerField(null=True)
    pods = models.JSONField(default=list)
    state = models.CharField(max_length=16)
    wish = models.CharField(max_length=16, default="")
    wished_by = models.CharField(max_length=254, default="", db_default="")
    """User of the last button, where a proxy signs users in."""
    words = models.TextField(default="")
    """Why it cannot continue, as a sentence."""
    runner = models.CharField(max_length=32)
    begun = models.FloatField()
    """Unix seconds, like `beat`."""
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
