"""Chance that can be repeated: each question has its own dice, whatever was asked before and in which order."""

from __future__ import annotations

import random


class Dice:
    """Of one seed. Two with the same seed give the same answers to the same questions, in whatever order."""

    def __init__(self, seed: int | str) -> None:
        self._seed = seed

    def of(self, *question: object) -> random.Random:
        """The dice of a question, such as ("kubelet", "shop/web-1", 3)."""
        return random.Random(f"{self._seed}:{':'.join(map(str, question))}")  # noqa: S311 - a demo's chances

    def between(self, shortest: float, longest: float, *question: object) -> float:
        """A number in between."""
        return self.of(*question).uniform(shortest, longest)

    def suffix(self, *question: object) -> str:
        """Five letters that end the name of an object, as the API server makes them."""
        return "".join(self.of(*question).choices("bcdfghjklmnpqrstvwxz2456789", k=5))
