"""Tables of the audit log: its entries, and the head of their chain."""

from __future__ import annotations

from django.db import models

MAX_PERSON = 254
MAX_NAME = 253
MAX_RESOURCE = 320


class AuditEntry(models.Model):
    """One entry. `content` is what its hash seals; the other columns repeat parts of it, to be searched."""

    seq = models.BigIntegerField(primary_key=True)
    """Position in the chain, from 1, without gaps."""
    type = models.CharField(max_length=10)
    """``intent``, ``outcome`` or ``checkpoint``, see dashboard.pages.audit.entry."""
    record = models.CharField(max_length=32)
    """What an intent and its outcome have in common."""
    at = models.FloatField(db_index=True)
    """Unix seconds."""
    server = models.CharField(max_length=500)
    """Address of the cluster."""
    person = models.CharField(max_length=MAX_PERSON)
    verb = models.CharField(max_length=32)
    resource = models.CharField(max_length=MAX_RESOURCE)
    """The kind's key, ``deployments.apps``."""
    namespace = models.CharField(max_length=MAX_NAME)
    name = models.CharField(max_length=MAX_NAME)
    uid = models.CharField(max_length=128, db_index=True)
    outcome = models.CharField(max_length=10)
    """Of an outcome: see dashboard.pages.audit.entry.OutcomeWord; empty else."""
    content = models.TextField()
    """Canonical JSON, in ASCII."""
    previous = models.CharField(max_length=64)
    """The hash of the entry before it."""
    hash = models.CharField(max_length=64)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("record", "type"), name="audit_once"),)

    def __str__(self) -> str:
        return f"entry {self.seq}: {self.type}"


class AuditHead(models.Model):
    """The one row that says where the chain ends. Whoever appends locks it first."""

    seq = models.BigIntegerField()
    hash = models.CharField(max_length=64)
    seal = models.CharField(max_length=64)
    """Seals the others, so that nobody without the key can take entries off the end, or have retention do it."""
    bytes = models.BigIntegerField()
    """Characters of all `content`, an estimate of the table's size."""

    def __str__(self) -> str:
        return f"the chain ends with entry {self.seq}"
