"""Check of one row of the audit log: whether its text and columns are what was sealed."""

from __future__ import annotations

import json
from typing import Any

from dashboard.pages.audit.entry import columns_of
from dashboard.pages.audit.models import AuditEntry
from dashboard.pages.audit.seal import Sealer


class Broken(Exception):
    """The audit log is not what was written; the message is a sentence that names the first entry that shows it."""


def sealed_content_of(sealer: Sealer, row: AuditEntry) -> Any:
    """The content of an entry that is what was sealed. Raises Broken."""
    try:
        content = json.loads(row.content)
        seq, key_id = content["seq"], content["key"]
    except (ValueError, KeyError, TypeError):
        raise Broken(f"Entry {row.seq} was changed: its text cannot be read.") from None
    if not sealer.knows(str(key_id)):
        raise Broken(
            f"Entry {row.seq} was sealed with a key that is not known here ({key_id}), or was changed: "
            "add the former secret to DELTABOARD_AUDIT_KEY."
        )
    if sealer.hash(row.previous, row.content, key_id) != row.hash:
        raise Broken(f"Entry {row.seq} was changed, or inserted by somebody without the key.")
    if seq != row.seq:
        raise Broken(f"Entry {row.seq} is not in its place: it was written as entry {seq}.")
    for name, value in columns_of(content).items():
        if getattr(row, name) != value:
            raise Broken(f"Entry {row.seq} was changed: its column {name} differs from what was sealed.")
    return content
