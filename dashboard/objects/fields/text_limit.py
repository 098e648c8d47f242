"""Limit of a text's length, for texts of any length that somebody else wrote."""

from __future__ import annotations


def limit_text(text: str, most: int) -> str:
    """`text` itself where it has at most `most` characters; else its beginning with an ellipsis, `most` in all."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
