"""Errors about objects that cannot be decoded, or do not fit a projection."""

from __future__ import annotations

import re

import msgspec

from informerd.errors.base import InformerdError

_PLACE = re.compile(r" - at `\$\.?(.*)`$")
_MISSING = re.compile(r"^Object missing required field `(.*?)`")


class UnexpectedObject(InformerdError):
    """The API server sent an object of another kind, or one that the projection does not fit; says which and where."""


class Unreadable(msgspec.Struct, frozen=True):
    """One object that the API server has and this process cannot read, as it was when it came last."""

    key: str
    resource_version: str
    problem: str
    """Why, as a sentence."""
    since: float
    """Since when, in Unix seconds."""
    uid: str = ""


class UnreadableObject(UnexpectedObject):
    """The API server has the object, and nobody here can say what is in it: its JSON is nested too deeply, or broken.

    It says nothing of whether the object is what it was. `unreadable` has its key, version and the problem.
    """

    def __init__(self, resource: str, unreadable: Unreadable) -> None:
        super().__init__(f"{resource} {unreadable.key} cannot be read: {unreadable.problem}")
        self.resource = resource
        self.unreadable = unreadable
        self.key = unreadable.key
        self.problem = unreadable.problem


class ProjectionMismatch(UnexpectedObject):
    """A projection does not fit an object: its fields have their defaults there, all but the head.

    `key` is the object's, `field` the path of what does not fit, as far as it is known.
    """

    def __init__(self, projection: str, resource: str, key: str, problem: str) -> None:
        super().__init__(f"{projection} does not fit {resource} {key}: {problem}")
        self.projection = projection
        self.resource = resource
        self.key = key
        self.problem = problem
        self.field = _field_at_fault(problem)


def _field_at_fault(problem: str) -> str:
    """The field that a sentence of msgspec's names, as in: Expected `int`, got `str` - at `$.spec.port`."""
    place = _PLACE.search(problem)
    missing = _MISSING.search(problem)
    steps = [place[1]] if place and place[1] else []
    return ".".join([*steps, missing[1]] if missing else steps)


UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for bytes that are no JSON of the expected form: also for text that is no UTF-8, and for
documents nested so deeply that they can only be meant to harm."""
