"""State of a page that its address carries: the filter and the other parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from urllib.parse import urlencode

Pairs = tuple[tuple[str, str], ...]
"""Names and values of an address's parameters."""


class UrlState(ABC):
    """A state that an address carries. Equal states have one address."""

    terms: tuple[object, ...]
    """The filter's terms, in one order for equal filters; str() writes each one."""
    input_text: str
    """The filter's text as it came, mistakes included."""

    @property
    def text(self) -> str:
        """The text of the filter box: as it was typed, or the terms as text."""
        return self.input_text or self.canonical

    @property
    def canonical(self) -> str:
        """The terms as text; parsing it gives the same terms."""
        return " ".join(str(term) for term in self.terms)

    def to_params(self) -> Pairs:
        """Names and values for an address, in a fixed order, defaults left out."""
        return tuple((name, value) for name, value in self.all_params() if value)

    def query_string(self) -> str:
        """The address's part behind the question mark; the same for equal states, empty for the plain page."""
        return urlencode(self.to_params(), safe=",:/*")

    @abstractmethod
    def all_params(self) -> Pairs:
        """All names in their order, with an empty value for a default."""
