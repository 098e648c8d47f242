"""Unix seconds as metav1.Time and metav1.MicroTime, and back."""

from __future__ import annotations

from datetime import UTC, datetime


def timestamp(seconds: float) -> str:
    """Unix seconds as metav1.Time."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def micro_timestamp(seconds: float) -> str:
    """Unix seconds as metav1.MicroTime."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def parse_timestamp(text: str) -> float:
    """Unix seconds of a metav1.Time or metav1.MicroTime. Raises ValueError for other text."""
    return datetime.fromisoformat(text).timestamp()
