"""Fixtures with the two clusters, for all of the programs."""

from __future__ import annotations

from tests.support.cluster_terminal import demo_terminal, real_terminal, terminal

__all__ = ["demo_terminal", "real_terminal", "terminal"]
