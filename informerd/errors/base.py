"""Root of the error tree, and the errors that any part of the library may raise."""

from __future__ import annotations


class InformerdError(Exception):
    """The root: everything this library raises on purpose is one of these."""


class InvalidCall(InformerdError, ValueError):
    """A call that cannot be made as it was asked for; says why and what is missing. Nothing was sent."""


class CallRefused(InvalidCall):
    """The observer of the client refused a call, for the reason that it says as sentences. Nothing was sent."""


class MissingExtra(InformerdError, ImportError):
    """`part` needs a package that is not installed: the one of informerd's `extra`."""

    def __init__(self, part: str, extra: str) -> None:
        super().__init__(f"{part} needs a package that is not installed: pip install 'informerd[{extra}]'")
        self.part = part
        self.extra = extra


class NotInTime(InformerdError, TimeoutError):
    """The awaited event did not come within the time limit."""
