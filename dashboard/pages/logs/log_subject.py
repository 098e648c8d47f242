"""What a page of logs is about, and its addresses."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl

from dashboard.objects.kinds.catalog import KindInfo
from dashboard.runtime.text_with_links import incident_href


@dataclass(frozen=True, slots=True)
class LogSubject:
    """What a page of logs is about."""

    title: str
    href: str
    """Address of the page, without the parameters of LogsQuery."""
    object_href: str
    """Address of the object's details, or of the list."""
    kind: KindInfo | None = None
    """The object's; None for the pods of a list."""
    namespace: str = ""
    name: str = ""

    @property
    def incident_href(self) -> str:
        """Address of the object's time line; empty for the pods of a list."""
        return incident_href(self.kind.key, self.namespace, self.name) if self.kind is not None else ""

    @property
    def path(self) -> str:
        """`href` without what a list's query adds."""
        return self.href.partition("?")[0]

    @property
    def params(self) -> list[tuple[str, str]]:
        """Names and values of the list's query."""
        return parse_qsl(self.href.partition("?")[2])
