"""Random objects and random changes of them, from a seed."""

from __future__ import annotations

import random
from typing import Any

NAMES = ("a", "b", "name", "port", "x-y", "app.kubernetes.io/name", "8080", "yes", "n", "labels")
WORDS = (
    "a", "on", "y", "1", "0x1", "1e3", "10.0.0.1", "two\nlines", "two\nlines\n", "ends in blanks \n\n", " indented",
    "# no comment", "a: b", "é😀", '"quoted"', "it's", "{", "[a", "*x", "&y", "!t", "%", "@", "`", "|", ">", "", "null",
    "~", "12:30:45", "2024-01-01", "\t", "\x85x", "\u2028", "key:", "?", "-", "---", ".", "=", "<<", "1_000", ".inf",
    "\n", "x\n  y\n z", "0644", "\x07", "1.0", "x" * 300 + " y",
)  # fmt: skip
NUMBERS = (0, 1, -5, 2**63, 1.5, -0.25, 1e30)

Json = Any


def random_object(rng: random.Random) -> dict[str, Json]:
    """An object with the four top fields that all have."""
    return {
        "apiVersion": "v1",
        "kind": "Thing",
        "metadata": {"name": "thing", "labels": {name: rng.choice(WORDS) for name in rng.sample(NAMES, 3)}},
        "spec": {f"{name}{rng.randrange(3)}": random_value(rng, 1) for name in rng.sample(NAMES, 4)},
    }


def random_value(rng: random.Random, depth: int = 0) -> Json:
    """Any JSON value, at most four levels deep."""
    chance = rng.random()
    if depth < 4 and chance < 0.25:
        return {f"{rng.choice(NAMES)}{rng.randrange(3)}": random_value(rng, depth + 1) for _ in range(rng.randrange(5))}
    if depth < 4 and chance < 0.45:
        return [random_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return rng.choice([None, True, False, rng.choice(NUMBERS), rng.choice(WORDS), rng.choice(WORDS)])


def changed(rng: random.Random, value: Json, depth: int = 0) -> Json:
    """The value with some of it changed, added or taken out; never in place."""
    if isinstance(value, dict):
        return _changed_map(rng, value, depth)
    if isinstance(value, list):
        return _changed_list(rng, value, depth)
    return random_value(rng, depth) if rng.random() < 0.25 else value


def _changed_map(rng: random.Random, value: dict[str, Json], depth: int) -> dict[str, Json]:
    result = {}
    for name, item in value.items():
        chance = rng.random()
        if chance < 0.1 and depth:
            continue
        result[name] = changed(rng, item, depth + 1) if chance < 0.6 else item
    if depth and rng.random() < 0.3:
        result[rng.choice(NAMES)] = random_value(rng, depth + 1)
    return result


def _changed_list(rng: random.Random, value: list[Json], depth: int) -> list[Json]:
    result = []
    for item in value:
        chance = rng.random()
        if chance < 0.1:
            continue
        result.append(changed(rng, item, depth + 1) if chance < 0.4 else item)
        if rng.random() < 0.1:
            result.append(random_value(rng, depth + 1))
    return result
