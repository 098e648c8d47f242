"""Making one new object: tried out first, never on top of one that exists. Functions without HTTP."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dashboard.authors.pen import Pen
from dashboard.creating.sending import Made, Taken, is_going, make
from dashboard.edits.actions import refused
from dashboard.edits.beside import Beside
from dashboard.edits.comparison import compared
from dashboard.edits.document import Document, DocumentError, parse
from dashboard.edits.editable import Base, Mismatch, Target, editable
from dashboard.edits.exchange import Exchange
from dashboard.edits.fields import ABSENT, Path, Value, get
from dashboard.edits.loop import off_loop
from dashboard.edits.outcomes import Draft, Refused, Review
from dashboard.edits.problems import Problem, Refusal, located, mismatched, unreadable
from dashboard.resources.kinds import KindInfo
from informerd.errors import AlreadyExists, InformerdError
from informerd.rest.client import Client

NOTHING = Base("", "", {})
"""What a new object begins with."""
_NAME: Path = ("metadata", "name")
_NAMELESS = Problem(
    "An object needs a name here, or metadata.generateName for one that the API server completes.", path=_NAME
)


@dataclass(frozen=True, slots=True)
class Exists:
    """There is one of this name already. Nothing was written."""

    draft: Draft
    target: Target
    is_going: bool = False
    """Whether it is being deleted."""


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes objects of one kind; `namespace` is the one of the page's address, empty where that leaves it open."""

    client: Client
    kind: KindInfo
    namespace: str
    pen: Pen | None = None

    async def review(self, draft: Draft) -> Review | Exists | Refused:
        """Dry run."""
        read = await self._read(draft)
        if isinstance(read, Refused):
            return read
        document, (sent, target) = read, self._sent(read.value)
        try:
            stored = await Exchange(self.client, target).create(sent, dry_run=True)
        except AlreadyExists as error:
            return Exists(draft, target, is_going(error))
        except InformerdError as error:
            return refused(draft, error, document)
        return replace(await compared(draft, {}, sent, stored), again=True)

    async def create(self, draft: Draft, *, lost: str = "", seen: Beside | None = None) -> Made | Exists | Refused:
        """Make it. `lost` (repeats.LOST): no clear answer came before: it may be there, or deleted since.

        `seen`: what the review showed beside the text.
        """
        read = await self._read(draft)
        if isinstance(read, Refused):
            return read
        sent, target = self._sent(read.value)
        match await make(self.client, target, sent, lost=lost, seen=seen, pen=self.pen):
            case Made() as made:
                return made
            case Taken() as taken:
                return Exists(draft, target, taken.is_going)
            case refusal:
                return Refused(draft, located(refusal, read))

    def target_of(self, value: dict[str, Value]) -> Target:
        """What the text names; without a name where the API server is to make one up."""
        namespace, name = get(value, ("metadata", "namespace")), get(value, _NAME)
        where = str(namespace) if namespace not in (ABSENT, None, "") else self.namespace or "default"
        return Target(self.kind, where if self.kind.namespaced else "", str(name) if isinstance(name, str) else "")

    async def _read(self, draft: Draft) -> Document | Refused:
        try:
            document = await off_loop(parse, draft.text, size=len(draft.text))
        except DocumentError as error:
            return Refused(draft, unreadable(error))
        problem = self.objection(document)
        return document if problem is None else Refused(draft, located(problem, document))

    def objection(self, document: Document) -> Refusal | None:
        """What is wrong with it before anybody asks the API server."""
        wrong = self._mismatches(document.value)
        if wrong:
            return mismatched(wrong)
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
            Mismatch(path, here, expected or "no namespace", doing="makes")
            for path, here, expected, required in found
            if here != expected and (required or (here not in (ABSENT, None, "") and (expected or not self._open)))
        )

    @property
    def _open(self) -> bool:
        """Whether the text may say which namespace it is."""
        return self.kind.namespaced and not self.namespace

    def _sent(self, value: dict[str, Value]) -> tuple[dict[str, Value], Target]:
        target = self.target_of(value)
        sent = editable(value)
        metadata = {**sent["metadata"], **({"namespace": target.namespace} if target.namespace else {})}
        return {**sent, "metadata": metadata}, target
