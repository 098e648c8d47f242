"""Creation of one object without HTTP: dry run first, never on top of an existing object."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dashboard.objects.fields.field_access import ABSENT, Path, Value, get
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.manifests.document import Document, DocumentError, parse
from dashboard.objects.problems.write_refusal import (
    Mismatch,
    Problem,
    Refusal,
    locate,
    mismatch_refusal,
    uncertain_refusal,
    unreadable_refusal,
)
from dashboard.pages.authors.record_and_lookup import WriteRecorder
from dashboard.pages.edit.dry_run_review import review_dry_run
from dashboard.pages.edit.text_refusals import refusals_located
from dashboard.pages.writes.admission_changes import AdmissionChanges
from dashboard.pages.writes.create_object import (
    UNCERTAIN_TITLE,
    Created,
    NameInUse,
    create_object,
    is_being_deleted,
    may_be_ours,
)
from dashboard.pages.writes.editable_part import Base, editable_part
from dashboard.pages.writes.object_client import ObjectClient
from dashboard.pages.writes.outcomes import Outcome, OutcomeReached, Refused, Submission, returns_outcome
from dashboard.pages.writes.target import Target
from dashboard.runtime.thread_pools import run_in_thread_if_large
from informerd.errors import AlreadyExists
from informerd.rest.client import Client

EMPTY_BASE = Base("", "", {})
"""Start of a new object's text."""
_NAME: Path = ("metadata", "name")
_NAMELESS = Problem(
    "An object needs metadata.name, or metadata.generateName for a name that the API server completes.", path=_NAME
)


@dataclass(frozen=True, slots=True)
class Exists:
    """An object of this name exists. Nothing was written."""

    draft: Submission
    target: Target
    is_being_deleted: bool = False
    """Whether it is being deleted."""


@dataclass(frozen=True, slots=True)
class NewObjectRules:
    """What an object must be that a page creates; `namespace` is the one of the page's address, empty where that leaves
    it open.
    """

    kind: KindInfo
    namespace: str

    def local_refusal(self, document: Document) -> Refusal | None:
        """Refusal by checks that need no API server; None where they pass."""
        mismatches = self._mismatches(document.value)
        if mismatches:
            return mismatch_refusal(mismatches)
        metadata = document.value.get("metadata")
        if isinstance(metadata, dict) and (metadata.get("name") or metadata.get("generateName")):
            return None
        return Refusal((_NAMELESS,), 422, "The object has no name")

    def _mismatches(self, value: dict[str, Value]) -> tuple[Mismatch, ...]:
        resource = self.kind.resource
        wanted: tuple[tuple[Path, str, bool], ...] = (
            (("apiVersion",), resource.api_version, True),
            (("kind",), resource.kind, True),
            (("metadata", "namespace"), self.namespace if self.kind.namespaced else "", False),
        )
        values = ((path, get(value, path), expected, required) for path, expected, required in wanted)
        return tuple(
            Mismatch(path, here, expected or "no namespace", page_verb="makes")
            for path, here, expected, required in values
            if here != expected and (required or (here not in (ABSENT, None, "") and (expected or not self._open)))
        )

    @property
    def _open(self) -> bool:
        """Whether the text may choose the namespace."""
        return self.kind.namespaced and not self.namespace


@dataclass(frozen=True, slots=True)
class ObjectCreator(NewObjectRules):
    """Creator of objects of one kind."""

    client: Client
    write_recorder: WriteRecorder | None = None

    @property
    def rules(self) -> NewObjectRules:
        """The rules alone, for another process."""
        return NewObjectRules(self.kind, self.namespace)

    @returns_outcome
    async def review(self, draft: Submission) -> Exists | Outcome:
        """Dry run."""
        document = await self._check(draft)
        body, target = self._body_and_target(document.value)
        with refusals_located(draft, document):
            try:
                stored = await self._client_of(target).create(body, dry_run=True)
            except AlreadyExists as error:
                return Exists(draft, target, is_being_deleted(error))
        return replace(await review_dry_run(draft, {}, body, stored), is_recreation=True)

    @returns_outcome
    async def create(
        self, draft: Submission, *, lost_answer: str = "", reviewed_changes: AdmissionChanges | None = None
    ) -> Created | Exists | Outcome:
        """Create the object. The arguments are those of `create_object`."""
        document = await self._check(draft)
        body, target = self._body_and_target(document.value)
        match await create_object(
            self._client_of(target), body, lost_answer=lost_answer, reviewed_changes=reviewed_changes
        ):
            case Created() as created:
                return created
            case NameInUse(live=dict()):
                return Refused(draft, uncertain_refusal(UNCERTAIN_TITLE, may_be_ours(target)))
            case NameInUse(is_being_deleted=is_being_deleted):
                return Exists(draft, target, is_being_deleted)
            case refusal:
                return Refused(draft, locate(refusal, document))

    def _client_of(self, target: Target) -> ObjectClient:
        return ObjectClient(self.client, target, write_recorder=self.write_recorder)

    def target_of(self, value: dict[str, Value]) -> Target:
        """The target that the text names; without a name where the API server generates one."""
        namespace, name = get(value, ("metadata", "namespace")), get(value, _NAME)
        where = str(namespace) if namespace not in (ABSENT, None, "") else self.namespace or "default"
        return Target(self.kind, where if self.kind.namespaced else "", str(name) if isinstance(name, str) else "")

    async def _check(self, draft: Submission) -> Document:
        """The draft's document. Raises OutcomeReached where it is invalid, or cannot be an object of this page."""
        try:
            document = await run_in_thread_if_large(parse, draft.text, size=len(draft.text))
        except DocumentError as error:
            raise OutcomeReached(Refused(draft, unreadable_refusal(error))) from error
        problem = self.local_refusal(document)
        if problem is not None:
            raise OutcomeReached(Refused(draft, locate(problem, document)))
        return document

    def _body_and_target(self, value: dict[str, Value]) -> tuple[dict[str, Value], Target]:
        target = self.target_of(value)
        sent = editable_part(value)
        metadata = {**sent["metadata"], **({"namespace": target.namespace} if target.namespace else {})}
        return {**sent, "metadata": metadata}, target
