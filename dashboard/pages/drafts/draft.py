"""Drafts: their owner, subject and content, and the saves that write them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, urlencode

MAX_BYTES = 3 * 1024 * 1024
"""Longest text of a draft or its base: the API server takes no larger objects."""
MAX_FIELD_BYTES = 256 * 1024
"""Longest form input that is not in the text yet."""


_STATUS = "/status"


@dataclass(frozen=True, slots=True)
class Subject:
    """Subject of a draft. Without a name: new objects of a kind; without a resource: of any kinds.

    For a status the resource is written as in RBAC rules: ``mydemos.crddemo.k8s.io/status``.
    """

    resource: str
    namespace: str = ""
    name: str = ""

    @classmethod
    def of(cls, kind: str, namespace: str, name: str, *, status: bool) -> Subject:
        """The subject for one object of a kind, or for its status."""
        return cls(f"{kind}{_STATUS}" if status else kind, namespace, name)

    @property
    def kind(self) -> str:
        """The resource's own key."""
        return self.resource.removesuffix(_STATUS)

    @property
    def is_status(self) -> bool:
        return self.resource.endswith(_STATUS)

    @property
    def problem(self) -> str:
        """Why it can have no draft, as a sentence; empty where it can."""
        if len(self.resource) > 320 or max(len(self.namespace), len(self.name)) > 253:
            return "The name is too long for any object."
        return "The name is not valid for any object." if "\0" in self.resource + self.namespace + self.name else ""

    @property
    def is_new(self) -> bool:
        return not self.name

    @property
    def href(self) -> str:
        """Address of the page that edits it."""
        if not self.resource:
            return "/new/"
        kind = f"/resources/{quote(self.kind)}/"
        if self.is_new:
            return f"{kind}new/?{urlencode({'namespace': self.namespace})}" if self.namespace else f"{kind}new/"
        edit = f"{kind}{quote(self.namespace or '-', safe='')}/{quote(self.name, safe='')}/edit/"
        return f"{edit}status/" if self.is_status else edit

    def href_of(self, key: str) -> str:
        """Address that continues with the draft `key`."""
        return f"{self.href}{'&' if '?' in self.href else '?'}draft={key}"


@dataclass(frozen=True, slots=True)
class Content:
    """What was typed, and the base that the edit started from."""

    text: str
    fields: tuple[tuple[str, str], ...] = ()
    """Inputs of the form, ``field.*`` and ``shown.*``, that are not in the text yet."""
    base_uid: str = ""
    base_version: str = ""
    base: str = ""
    """JSON; empty for new objects, or where a save leaves it unchanged."""

    @property
    def problem(self) -> str:
        """Why it is too large to store, as a sentence; empty where it is not."""
        if max(_size(self.text), _size(self.base)) > MAX_BYTES:
            return "The text is larger than 3 MiB, the API server's limit, so it is not saved as a draft."
        if sum(_size(value) for pair in self.fields for value in pair) > MAX_FIELD_BYTES:
            return "The form input is larger than 256 KiB, so it is not saved as a draft."
        return ""

    @classmethod
    def of(cls, post: Mapping[str, str]) -> Content:
        """The content of a posted editor form. Line breaks are LF; a NUL, which no database stores, becomes ␀."""
        return cls(
            _clean(post.get("yaml", "")),
            tuple(_unwritten(post)),
            _clean(post.get("base_uid", ""))[:128],
            _clean(post.get("base_version", ""))[:64],
            post.get("base", "").replace("\0", "␀"),
        )


@dataclass(frozen=True, slots=True)
class Save:
    """One save of a draft. Numbers grow with each save of a tab."""

    draft: str
    tab: str
    base_number: int
    """Number of the draft from which the tab's page was made; 0 for a new one."""
    number: int
    by_button: bool = False
    """Whether a button was pressed: then it is the user's newest text, and not a late automatic save."""


@dataclass(frozen=True, slots=True)
class SaveResult:
    """Result of a save."""

    draft: str
    """Its draft; a new one where another tab had written to the save's draft."""
    number: int
    is_fork: bool = False
    """Whether another tab continued the same draft, so that this text is now a draft of its own."""
    is_late: bool = False
    """Whether a newer save came first, or the draft has ended; then nothing of this save is stored."""
    other_count: int = 0
    """Other drafts of the same object."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A stored draft."""

    key: str
    subject: Subject
    content: Content
    number: int
    created_at: datetime
    saved_at: datetime
    difference: str = ""
    """What it changes, where other drafts have the same subject: ``changes: spec.port to 9090 and 3 more``."""

    @property
    def href(self) -> str:
        """Address of the page that shows it."""
        return f"/drafts/{self.key}/"

    @property
    def saved_at_text(self) -> str:
        """RFC 3339 time of the last save."""
        return self.saved_at.isoformat(timespec="seconds").replace("+00:00", "Z")

    @property
    def created_at_text(self) -> str:
        """RFC 3339 time of the first save."""
        return self.created_at.isoformat(timespec="seconds").replace("+00:00", "Z")

    @property
    def resume_href(self) -> str:
        return self.subject.href_of(self.key)


def _unwritten(post: Mapping[str, str]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for name, typed in post.items():
        shown = f"shown.{name.removeprefix('field.')}"
        if name.startswith("field.") and shown in post and _clean(typed) != _clean(post[shown]):
            pairs += [(_clean(name), _clean(typed)), (_clean(shown), _clean(post[shown]))]
        elif name.startswith(("new.", "newkey.")) and typed:  # an item or entry that is not added yet
            pairs.append((_clean(name), _clean(typed)))
    return pairs


def _clean(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "␀")


def _size(text: str) -> int:
    return len(text.encode(errors="replace"))
