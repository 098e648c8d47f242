"""Repeatable random numbers: each question has its own generator, so earlier questions do not change the answer."""

from __future__ import annotations

import random


class RandomSource:
    """Random numbers of one seed. Two with the same seed give the same answers to the same questions, in any order."""

    def __init__(self, seed: int | str) -> None:
        self._seed = seed

    def rng_for(self, *question: object) -> random.Random:
        """The dice of a question, such as ("kubelet", "shop/web-1", 3)."""
        return random.Random(f"{self._seed}:{':'.join(map(str, question))}")  # noqa: S311 - a demo's chances

    def uniform(self, shortest: float, longest: float, *question: object) -> float:
        """A number in between."""
        return self.rng_for(*question).uniform(shortest, longest)

    def name_suffix(self, *question: object) -> str:
        """Five letters that end the name of an object, as the API server makes them."""
        return "".join(self.rng_for(*question).choices("bcdfghjklmnpqrstvwxz2456789", k=5))
