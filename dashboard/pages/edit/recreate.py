"""Re-creation of a deleted object from the user's text: an explicit choice, reviewed like every write."""

from __future__ import annotations

from dataclasses import replace

from dashboard.objects.problems.write_refusal import Refusal, locate
from dashboard.pages.edit.dry_run_review import review_dry_run
from dashboard.pages.edit.text_refusals import check_text, refusals_located
from dashboard.pages.writes.admission_changes import AdmissionChanges
from dashboard.pages.writes.create_object import Created, NameInUse, create_object
from dashboard.pages.writes.editable_part import Base, recreate_body
from dashboard.pages.writes.object_client import ObjectClient
from dashboard.pages.writes.outcomes import Outcome, Refused, Replaced, Saved, Submission, returns_outcome
from informerd.errors import AlreadyExists


@returns_outcome
async def review_recreation(client: ObjectClient, draft: Submission) -> Outcome:
    """Dry run of the creation."""
    document = await check_text(client.target, draft)
    body = recreate_body(document.value, client.target)
    with refusals_located(draft, document):
        try:
            stored = await client.create(body, dry_run=True)
        except AlreadyExists:
            return Replaced(draft, Base.of(await client.read()))
    return replace(await review_dry_run(draft, {}, body, stored), is_recreation=True)


@returns_outcome
async def recreate(
    client: ObjectClient,
    draft: Submission,
    *,
    lost_answer: str = "",
    reviewed_changes: AdmissionChanges | None = None,
) -> Outcome:
    """Create it; never on top of an existing object. The arguments are those of `create_object`."""
    document = await check_text(client.target, draft)
    body = recreate_body(document.value, client.target)
    with refusals_located(draft, document):
        created = await create_object(client, body, lost_answer=lost_answer, reviewed_changes=reviewed_changes)
        match created:
            case Created(_, version, warnings, confirmed, drift):
                return Saved(version, warnings=warnings, confirmed_by_read=confirmed, drift=drift)
            case NameInUse(live=dict() as live):
                return Replaced(draft, Base.of(live), unsure=True)
            case NameInUse():
                return Replaced(draft, Base.of(await client.read()))
            case Refusal() as refusal:
                return Refused(draft, locate(refusal, document))
