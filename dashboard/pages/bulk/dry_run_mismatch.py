"""Difference between the stored object and its dry run: a policy or webhook may treat the two differently.

Each object of the run has a fingerprint, which detects a difference. The details come from a comparison with the
reviewed version, which the API server still has for some minutes (etcd compacts every five).
"""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.objects.fields.field_access import ABSENT, Value
from dashboard.objects.merge.diff import Change, changes
from dashboard.pages.bulk.run import Item
from dashboard.pages.writes.admission_changes import drift_from_dry_run
from dashboard.pages.writes.editable_part import editable_part, fingerprint
from dashboard.pages.writes.object_client import ObjectClient

MOST_DIGESTS = 40
"""Most fields of a change whose values are stored."""
MAX_DIGEST_TEXT = 2_000
"""Most characters of these fields' names: there may be 10,000 objects."""
_DIGEST = 12
LARGE_DRIFT = "The result differs from the review. The change has too many fields to say in which."
UNKNOWN_DRIFT = "The result differs from the review, but the details could not be found out."


def fingerprint_of(stored: dict[str, Value]) -> str:
    """Fingerprint of an object, without its status and the fields that only the API server writes."""
    return fingerprint(editable_part(stored))[: 2 * _DIGEST]


def digest_fields(changes: Sequence[Change]) -> tuple[tuple[str, str], ...]:
    """Each changed field with a digest of its new value; empty where there are very many, or their names very long."""
    if len(changes) > MOST_DIGESTS or sum(len(each.field) for each in changes) > MAX_DIGEST_TEXT:
        return ()
    return tuple((each.field, "" if each.now is ABSENT else fingerprint(each.now)[:_DIGEST]) for each in changes)


async def describe_drift(client: ObjectClient, item: Item, stored: dict[str, Value]) -> str:
    """The difference, in sentences; empty where there is none, or where the reviewed state is unknown."""
    if not item.stored_fingerprint or fingerprint_of(stored) == item.stored_fingerprint:
        return ""
    if not item.field_digests:
        return LARGE_DRIFT
    was = await client.read_version(item.version)
    if was is None:
        return UNKNOWN_DRIFT
    digests = digest_fields(changes(editable_part(was), editable_part(stored)))
    return (drift_from_dry_run(dict(item.field_digests), dict(digests)).words if digests else "") or UNKNOWN_DRIFT
