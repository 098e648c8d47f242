"""Fixtures of the browser tests: a whole dashboard on the run's real API server."""

from __future__ import annotations

from tests.e2e.conftest import cluster, dashboard, namespace

__all__ = ["cluster", "dashboard", "namespace"]
