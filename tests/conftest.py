"""Fixtures that every test may ask for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser import chromium, new_context, page
from tests.controlplane import ControlPlane
from tests.hanging import pytest_runtest_teardown, pytest_timeout_set_timer
from tests.program import ROOT
from tests.require import controlplane_binaries

__all__ = ["chromium", "new_context", "page", "pytest_runtest_teardown", "pytest_timeout_set_timer"]
"""The browser's fixtures are imported here and nowhere else: imported twice, they would start two Playwrights, and a
second one cannot be started while the first one runs."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need the control plane by the fixture they ask for, so that nobody has to.

    Tests with a browser run last: while Playwright's synchronous API is open it holds the thread's event loop, and
    every asynchronous test after that would fail. Where several workers share the run, a file's tests are one's.
    """
    items.sort(key=uses_browser)
    for item in items:
        kind = "browser" if uses_browser(item) else "plain"
        item.add_marker(pytest.mark.xdist_group(f"{item.path.relative_to(ROOT)} {kind}"))
        if any(name.endswith("controlplane") for name in getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.controlplane)


def uses_browser(item: pytest.Item) -> bool:
    """Whether it opens a page."""
    return "chromium" in getattr(item, "fixturenames", ())


@pytest.fixture(scope="session")
def controlplane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """The run's real API server, shared: use a namespace of your own, and never stop it."""
    yield from _running(ControlPlane(tmp_path_factory.mktemp("controlplane"), controlplane_binaries()))


@pytest.fixture
def own_controlplane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A real API server for one test that kills, pauses or restarts it (ready after about 4 s)."""
    yield from _running(ControlPlane(tmp_path_factory.mktemp("own_controlplane"), controlplane_binaries()))


def _running(controlplane: ControlPlane) -> Iterator[ControlPlane]:
    try:
        controlplane.start()
        yield controlplane
    finally:
        controlplane.stop()
