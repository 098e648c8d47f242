"""Trial of a generated example: dry runs on the API server, and repairs from its answers.

Nothing is created: each request is a dry run (KEP-576), with the right to create that the page needs anyway.
"""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, replace
from typing import Literal

from dashboard.objects.fields.field_access import Value
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.problems.write_refusal import Problem, Refusal, refusal_of
from dashboard.objects.schemas.samples.repair import repairs
from dashboard.objects.schemas.schema import Schema
from informerd.errors import AlreadyExists, ApiError, Forbidden, InformerdError
from informerd.rest.client import Client

MAX_REPAIRS = 4
"""Maximum repairs of one example; each is tried by one dry run."""
TIME_LIMIT = 2.0
"""Seconds that a page waits for all dry runs of its example."""
_REFUSING_CODES = frozenset((400, 403, 409, 422))
_REFUSED_VALUE = re.compile(r'^Invalid value: (?:"(?:[^"\\]|\\.)*"|-?[0-9.]+|true|false|null): ')
"""Beginning of a message that differs with each value, although the problem is the same."""
_NO_DRY_RUN = "does not support dry run"
_TITLE = "The API server tried this example and does not accept it yet"


@dataclass(frozen=True, slots=True)
class Trial:
    """Result of a trial."""

    value: dict[str, Value]
    """The example that was accepted, else the one with the fewest problems."""
    state: Literal["accepted", "refused", "untried"]
    refusal: Refusal | None = None
    """What is left to the person, with status 200: in the API server's words, each problem with its field."""
    reason: str = ""
    """Why it was not tried, as sentences."""


async def try_example(client: Client, kind: KindInfo, schema: Schema, value: dict[str, Value], namespace: str) -> Trial:
    """The example, repaired where the API server says how. Never raises for what the API server answers, or does not;
    ends after TIME_LIMIT seconds with what is known then.
    """
    search = _Search(client, kind, schema, namespace)
    try:
        async with asyncio.timeout(TIME_LIMIT):
            return await search.run(value)
    except TimeoutError:
        if search.best is not None:
            return search.best
        return Trial(value, "untried", reason=f"The API server did not answer within {TIME_LIMIT:g} s.")


class _Search:
    """The trials of one example. `best` is the result so far, once there is one."""

    def __init__(self, client: Client, kind: KindInfo, schema: Schema, namespace: str) -> None:
        self.best: Trial | None = None
        self._client, self._kind, self._schema, self._namespace = client, kind, schema, namespace
        self._tried: set[str] = set()

    async def run(self, value: dict[str, Value]) -> Trial:
        best = self.best = await self._trial(value)
        for _ in range(MAX_REPAIRS):
            if best.refusal is None:
                break
            candidate = await asyncio.to_thread(self._untried_repair, best.value, best.refusal.problems)
            if candidate is None:
                break
            trial = await self._trial(candidate)
            if trial.state == "untried":
                break
            if _is_progress(best, trial):
                best = self.best = trial
        return best

    def _untried_repair(self, value: dict[str, Value], problems: tuple[Problem, ...]) -> dict[str, Value] | None:
        untried = (each for each in repairs(self._schema, value, problems) if _key(each) not in self._tried)
        return next(untried, None)

    async def _trial(self, value: dict[str, Value]) -> Trial:
        self._tried.add(_key(value))
        try:
            await self._client.create(self._kind.resource, value, self._namespace, dry_run=True, patient=False)
        except AlreadyExists:  # which the API server finds after all of its checks
            return Trial(value, "accepted")
        except InformerdError as error:
            refusal = refusal_of(error)
            if not _is_about_the_example(error, refusal):
                return Trial(value, "untried", reason=_reason(refusal))
            return Trial(value, "refused", replace(refusal, code=200, title=_TITLE, retry_after=None))
        return Trial(value, "accepted")


def _is_about_the_example(error: InformerdError, refusal: Refusal) -> bool:
    """Whether it refuses what the example has, and not the request: a missing right says nothing about the example."""
    is_access = isinstance(error, Forbidden) and refusal.title.startswith("You may not")
    refuses = isinstance(error, ApiError) and error.code in _REFUSING_CODES
    return refuses and not is_access and _NO_DRY_RUN not in str(error)


def _reason(refusal: Refusal) -> str:
    words = (part for problem in refusal.problems for part in (problem.words, problem.server_message))
    return " ".join(each for each in (f"{refusal.title}.", *words) if each)


def _is_progress(before: Trial, after: Trial) -> bool:
    """Whether a problem is gone, and not in exchange for several others."""
    if after.refusal is None or before.refusal is None:
        return after.refusal is None
    old, new = _problem_keys(before.refusal), _problem_keys(after.refusal)
    return not old <= new and len(new) <= max(len(old), 2)


def _problem_keys(refusal: Refusal) -> set[tuple[str, str]]:
    return {(problem.field, _REFUSED_VALUE.sub("", problem.server_message)) for problem in refusal.problems}


def _key(value: dict[str, Value]) -> str:
    return json.dumps(value, sort_keys=True)
