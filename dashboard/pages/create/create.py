"""Creation of one object without HTTP: dry run first, never on top of an existing object."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dashboard.objects.fields.fields import ABSENT, Path, Value, get
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.manifests.document import Document, DocumentError, parse
from dashboard.objects.problems.problem import Mismatch, Problem, Refusal, locate, mismatch_refusal, unreadable_refusal
from dashboard.pages.authors.recorder import WriteRecorder
from dashboard.pages.create.send import Created, NameInUse, create_object, is_being_deleted
from dashboard.pages.edit.actions import refused_outcome
from dashboard.pages.edit.dry_run import review_dry_run
from dashboard.pages.writes.admission_changes import AdmissionChanges
from dashboard.pages.writes.object_client import ObjectClient
from dashboard.pages.writes.outcomes import Refused, Review, Submission
from dashboard.pages.writes.target import Base, Target, editable_part
from dashboard.runtime.background import run_in_thread_if_large
from informerd.errors import AlreadyExists, InformerdError
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
    is_going: bool = False
    """Whether it is being deleted."""


@dataclass(frozen=True, slots=True)
class ObjectCreator:
    """Creator of objects of one kind; `namespace` is the one of the page's address, empty where that leaves it open."""

    client: Client
    kind: KindInfo
    namespace: str
    write_recorder: WriteRecorder | None = None

    async def review(self, draft: Submission) -> Review | Exists | Refused:
        """Dry run."""
        read = await self._read(draft)
        if isinstance(read, Refused):
            return read
        document, (sent, target) = read, self._sent(read.value)
        try:
            stored = await ObjectClient(self.client, target).create(sent, dry_run=True)
        except AlreadyExists as error:
            return Exists(draft, target, is_being_deleted(error))
        except InformerdError as error:
            return refused_outcome(draft, error, document)
        return replace(await review_dry_run(draft, {}, sent, stored), again=True)

    async def create(
        self, draft: Submission, *, lost_answer: str = "", reviewed_changes: AdmissionChanges | None = None
    ) -> Created | Exists | Refused:
        """Create the object.

        `lost_answer` (retry.LOST_INPUT): no clear answer came before: it may exist, or have been deleted since.
        `reviewed_changes`: the admission changes that the review showed.
        """
        read = await self._read(draft)
        if isinstance(read, Refused):
            return read
        sent, target = self._sent(read.value)
        match await create_object(
            self.client,
            target,
            sent,
            lost_answer=lost_answer,
            reviewed_changes=reviewed_changes,
            write_recorder=self.write_recorder,
        ):
            case Created() as made:
                return made
            case NameInUse() as taken:
                return Exists(draft, target, taken.is_going)
            case refusal:
                return Refused(draft, locate(refusal, read))

    def target_of(self, value: dict[str, Value]) -> Target:
        """The target that the text names; without a name where the API server generates one."""
        namespace, name = get(value, ("metadata", "namespace")), get(value, _NAME)
        where = str(namespace) if namespace not in (ABSENT, None, "") else self.namespace or "default"
        return Target(self.kind, where if self.kind.namespaced else "", str(name) if isinstance(name, str) else "")

    async def _read(self, draft: Submission) -> Document | Refused:
        try:
            document = await run_in_thread_if_large(parse, draft.text, size=len(draft.text))
        except DocumentError as error:
            return Refused(draft, unreadable_refusal(error))
        problem = self.local_refusal(document)
        return document if problem is None else Refused(draft, locate(problem, document))

    def local_refusal(self, document: Document) -> Refusal | None:
        """Refusal by checks that need no API server; None where they pass."""
        wrong = self._mismatches(document.value)
        if wrong:
            return mismatch_refusal(wrong)
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
        found = ((path, get(value, path), expected, required) for path, expected, required in wanted)
        return tuple(
            Mismatch(path, here, expected or "no namespace", page_verb="makes")
            for path, here, expected, required in found
            if here != expected and (required or (here not in (ABSENT, None, "") and (expected or not self._open)))
        )

    @property
    def _open(self) -> bool:
        """Whether the text may choose the namespace."""
        return self.kind.namespaced and not self.namespace

    def _sent(self, value: dict[str, Value]) -> tuple[dict[str, Value], Target]:
        target = self.target_of(value)
        sent = editable_part(value)
        metadata = {**sent["metadata"], **({"namespace": target.namespace} if target.namespace else {})}
        return {**sent, "metadata": metadata}, target
