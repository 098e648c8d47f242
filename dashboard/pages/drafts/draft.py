"""What a draft is: whose, about what, and what was typed; and what one save of it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, urlencode

MAX_BYTES = 3 * 1024 * 1024
"""Of a text, and of what it began with: the API server takes no larger objects."""
MAX_FIELD_BYTES = 256 * 1024
"""Of what was typed into the form and is not in the text yet."""


_STATUS = "/status"


@dataclass(frozen=True, slots=True)
class Whose:
    """Whose drafts: a person's (empty while nobody signs in) in one browser."""

    owner: str
    browser: str


@dataclass(frozen=True, slots=True)
class Subject:
    """What a draft is about. Without a name: new objects of a kind; without a resource: of any kinds.

    Of a status the resource is written as in rules of access: ``mydemos.crddemo.k8s.io/status``.
    """

    resource: str
    namespace: str = ""
    name: str = ""

    @classmethod
    def of(cls, kind: str, namespace: str, name: str, *, status: bool) -> Subject:
        """One object of a kind, or its status."""
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
        """Why nothing is kept of it, as a sentence; empty where it may exist."""
        if len(self.resource) > 320 or max(len(self.namespace), len(self.name)) > 253:
            return "No object has a name as long as this."
        return "No object has such a name." if "\0" in self.resource + self.namespace + self.name else ""

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
        """Address that goes on with the draft `key`."""
        return f"{self.href}{'&' if '?' in self.href else '?'}draft={key}"


@dataclass(frozen=True, slots=True)
class Content:
    """What was typed, and what it began with."""

    text: str
    fields: tuple[tuple[str, str], ...] = ()
    """Inputs of the form, ``field.*`` and ``shown.*``, that are not in the text yet."""
    base_uid: str = ""
    base_version: str = ""
    base: str = ""
    """JSON; empty for new objects, or where a save leaves it as it was."""

    @property
    def problem(self) -> str:
        """Why it is too large to be kept, as a sentence; empty where it is not."""
        if max(_size(self.text), _size(self.base)) > MAX_BYTES:
            return "The text has more than 3 MiB, more than the API server takes, so it is not kept."
        if sum(_size(value) for pair in self.fields for value in pair) > MAX_FIELD_BYTES:
            return "What was typed into the form has more than 256 KiB, so it is not kept."
        return ""

    @classmethod
    def of(cls, post: Mapping[str, str]) -> Content:
        """What the form of an editing page sends. Line breaks are LF; a NUL, which no database keeps, becomes ␀."""
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
    seen: int
    """The draft's number that the tab's page was made of; 0 for a new one."""
    number: int
    pressed: bool = False
    """Whether a button was pressed: then it is the person's newest word, and not a save that came late."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a save."""

    draft: str
    """Its draft; another than the save's where that one had been written to by another tab."""
    number: int
    forked: bool = False
    """Whether another tab went on with the same draft, so that this text is now a draft of its own."""
    late: bool = False
    """Whether a newer save had come before it, or the draft is over; nothing was kept of this one."""
    others: int = 0
    """Other drafts that there are of the same object."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft that is kept."""

    key: str
    subject: Subject
    content: Content
    number: int
    made: datetime
    kept: datetime

    @property
    def href(self) -> str:
        """Address of the page that shows it."""
        return f"/drafts/{self.key}/"

    @property
    def when(self) -> str:
        """RFC 3339 of the last save."""
        return self.kept.isoformat(timespec="seconds").replace("+00:00", "Z")

    @property
    def begun(self) -> str:
        """RFC 3339 of the first save."""
        return self.made.isoformat(timespec="seconds").replace("+00:00", "Z")

    @property
    def resume_href(self) -> str:
        return self.subject.href_of(self.key)


def _unwritten(post: Mapping[str, str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, typed in post.items():
        shown = f"shown.{name.removeprefix('field.')}"
        if name.startswith("field.") and shown in post and _clean(typed) != _clean(post[shown]):
            found += [(_clean(name), _clean(typed)), (_clean(shown), _clean(post[shown]))]
        elif name.startswith(("new.", "newkey.")) and typed:  # an item or entry that is not added yet
            found.append((_clean(name), _clean(typed)))
    return found


def _clean(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "␀")


def _size(text: str) -> int:
    return len(text.encode(errors="replace"))
