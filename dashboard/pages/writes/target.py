"""Target of a write: the object that an address names, and the part of it that is edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dashboard.cluster.kubectl_commands import kubectl_arguments
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.runtime.text_with_links import object_href

Editable = Literal["spec", "status"]
"""Part of an object that a page edits: all but the status, or the status alone."""


@dataclass(frozen=True, slots=True)
class Target:
    """The object that an address names."""

    kind: KindInfo
    namespace: str
    """Empty for cluster-scoped objects."""
    name: str
    part: Editable = "spec"
    subresource: str = ""
    """Subresource of a write: ``status`` for the status of kinds that have that subresource, else empty."""

    @property
    def edit_href(self) -> str:
        """Address of the page that edits this part."""
        return f"{self.href}edit/status/" if self.part == "status" else f"{self.href}edit/"

    @property
    def href(self) -> str:
        """Address of its details."""
        return object_href(self.kind.key, self.namespace, self.name)

    @property
    def words(self) -> str:
        """``Mydemo default/alpha``."""
        return self.kind.object_title(self.namespace, self.name)

    @property
    def part_words(self) -> str:
        """``Mydemo default/alpha``, ``The status of Mydemo default/alpha``."""
        return f"The status of {self.words}" if self.part == "status" else self.words

    @property
    def edit_command(self) -> str:
        """``edit`` of the same, for kubectl."""
        options = [f"--subresource={self.subresource}"] if self.subresource else []
        return kubectl_arguments(
            "edit", names=[f"{self.kind.key}/{self.name}"], namespace=self.namespace, options=options
        )
