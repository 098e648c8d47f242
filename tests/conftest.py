"""Fixtures for all tests."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, nullcontext

import hypothesis
import pytest
from django.conf import settings
from django.template.base import Template

from tests.support import compile_once_hooks, program_output_report, python_gc_hooks
from tests.support.browser.chromium import chromium, new_context, page
from tests.support.controlplane import ControlPlane
from tests.support.external_program_guard import Guard
from tests.support.external_program_markers import mark
from tests.support.idle_controlplane import IDLE_CONTROLPLANE, freeze_before, thaw_for
from tests.support.long_tests import examples, is_left_out
from tests.support.pages.strict_templates import record_unresolved_names, unresolved
from tests.support.program import ROOT, Program
from tests.support.program_fork_server import (
    INFORMERD_MODULES,
    PAGE_SERVER_MODULES,
    PROGRAM_MODULES,
    WITH_WARNINGS,
    ProgramPool,
)  # fmt: skip
from tests.support.skip_if_missing import controlplane_binaries
from tests.support.timeout_report import pytest_runtest_teardown, pytest_timeout_set_timer
from tests.support.tls_connection_cleanup import abort_unanswered_close_notify
from tools.scenes.child_process import Child

__all__ = ["chromium", "new_context", "page", "pytest_runtest_teardown", "pytest_timeout_set_timer"]
"""The browser's fixtures are imported here and nowhere else: imported twice, they would start two Playwrights, and a
second one cannot be started while the first one runs."""


os.environ.setdefault("DELTABOARD_TOKEN", "off")  # for the dashboards that tests start; those of the token set it
os.environ.setdefault("DELTABOARD_HISTORY", "off")  # those of history set it, and where it is kept
abort_unanswered_close_notify()
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a script runs this in the background

LONGEST = (
    "distribution/test_deltaboard_wheel.py", "e2e/test_logs.py", "dashboard/pages/writes/test_read_only_mode.py",
    "e2e/test_moments.py", "e2e/test_history.py", "deploy/test_rights_of_the_accounts.py",
    "rights/test_random_rbac.py", "hostile/test_blocked_event_loop.py", "rights/test_hidden_objects.py",
    "e2e/test_production_faults.py", "dashboard/live/test_connection_browser.py", "accessibility/test_pages.py",
    "dashboard/live/test_reconnect_browser.py", "benchmarks/test_benchmarks.py",
    "benchmarks/test_whole_dashboard.py", "devcluster/test_kubectl.py",
    "dashboard/live/test_long_session_browser.py", "e2e/test_faults.py",
    "informerd/test_distribution.py", "e2e/test_drafts.py",
    "dashboard/management/test_commands.py", "devcluster/workload/demo/test_director.py",
    "accessibility/test_page_states.py", "informerd/faults/test_frozen_server.py", "informerd/test_list_and_watch.py",
    "e2e/test_consistency.py", "informerd/controllers/test_pod_operator.py", "rights/test_all_rights.py",
    "rights/test_open_pages.py",
)  # fmt: skip
"""Files whose tests take longest. They come first, so that in the end, where one worker has a file and another has
nothing left to do, it is a short one."""
assert all((ROOT / "tests" / name).exists() for name in LONGEST), "LONGEST names a file that is not there"


SERVED = frozenset({"demo", "place"})
"""Fixtures of tests that serve an API in their own process."""

# how long an example takes is no test's question
hypothesis.settings.register_profile("any machine", deadline=None, max_examples=examples(100))
hypothesis.settings.load_profile("any machine")

GUARD = Guard()
GUARD.install()

RERUNS = int(os.environ.get("RERUNS") or 0)
"""How often a test is run again that failed and that depends on when other programs get their turn. 0 but in .ci/run,
where one such failure among thousands of tests would refuse the work of many: it says each of them with its traceback,
and each is a defect to be mended, of the test or of what it tests."""


def pytest_configure(config: pytest.Config) -> None:
    """Add the hooks that have modules of their own. Nothing here records history, unless a test says where."""
    settings.DELTABOARD_HISTORY = False  # read before this file is, so that the variable comes too late
    for module in (python_gc_hooks, compile_once_hooks, program_output_report):
        config.pluginmanager.register(module)


@pytest.hookimpl(tryfirst=True)  # before -m picks among them
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that need another program by the fixtures they ask for, so that nobody has to, and leave those
    out that wait for a run of their own.

    Where several workers share the run, a file's tests are one's (``--dist loadfile``), so that what they share is set
    up once.
    """
    if left_out := {item for item in items if is_left_out(item)}:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    items.sort(key=length)
    for item in items:
        mark(item)
        if RERUNS and depends_on_turns(item):
            item.add_marker(pytest.mark.flaky(reruns=RERUNS))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """Let a test without a browser run event loops of its own after one with a browser. Freeze the shared API server
    after the last test that needs it for now.

    From its first use to the end of the run, Playwright's synchronous API leaves its event loop as the one that runs in
    this thread, although it runs only while a test waits for the browser, in a greenlet of its own. (Of the fixtures
    that outlive a test only `chromium` may therefore call Playwright.)
    """
    loop = asyncio._get_running_loop()
    try:
        if loop is None or uses_browser(item):
            return (yield)
        asyncio._set_running_loop(None)
        try:
            return (yield)
        finally:
            asyncio._set_running_loop(None if loop.is_closed() else loop)
    finally:
        freeze_before(item, nextitem)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Thaw the shared API server for a test that needs it, and let no test start a program that `make test-fast` takes
    for one without.
    """
    thaw_for(item)
    with guarded(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """The same for the test itself."""
    with guarded(item):
        return (yield)


def guarded(item: pytest.Item) -> AbstractContextManager[None]:
    """The guard, where the test has no marker of one that needs another program."""
    return nullcontext() if item.get_closest_marker("external") else GUARD.watching()


def length(item: pytest.Item) -> int:
    """Which place its file has among the longest; those after them are equal."""
    name = item.path.relative_to(ROOT / "tests").as_posix()
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


def uses_browser(item: pytest.Item) -> bool:
    """Whether it opens a page."""
    return "chromium" in getattr(item, "fixturenames", ())


def depends_on_turns(item: pytest.Item) -> bool:
    """Whether other programs have their part in it, or an API that it serves to itself."""
    return item.get_closest_marker("external") is not None or not SERVED.isdisjoint(getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session", autouse=True)
def plain_templates(django_test_environment: None) -> None:
    """Have templates rendered as they are outside of tests.

    Django's test client copies the context of every template that is rendered, which nobody here looks at; it costs a
    fifth of each page.
    """
    Template._render = lambda self, context: self.nodelist.render(context)  # type: ignore[attr-defined]
    record_unresolved_names()


@pytest.fixture(autouse=True)
def strict_templates() -> Iterator[None]:
    """Fail a test in which a template reads a name that no object has."""
    unresolved.clear()
    yield
    assert unresolved == []


@pytest.fixture(scope="session")
def page_server_pool() -> Iterator[ProgramPool]:
    """What page servers are forked from."""
    with ProgramPool(*PAGE_SERVER_MODULES) as pool:
        yield pool


@pytest.fixture(scope="session", autouse=True)
def program_pool() -> Iterator[None]:
    """Have all other programs forked as well."""
    with ProgramPool(*PROGRAM_MODULES) as pool, ProgramPool(*INFORMERD_MODULES, options=WITH_WARNINGS) as strict:
        Program.pools = (pool, strict)
        Child.pool = pool
        yield
    Program.pools, Child.pool = (), None


@pytest.fixture(scope="session", autouse=True)
def etcd_copy(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Have the run's API servers, those of all its workers, begin with the data of the first."""
    folder = tmp_path_factory.getbasetemp()
    ControlPlane.etcd_copy = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "etcd_copy"


@pytest.fixture(scope="session")
def controlplane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """The run's real API server, shared: use a namespace of your own, and never stop it."""
    for controlplane in _running(ControlPlane(tmp_path_factory.mktemp("controlplane"), controlplane_binaries())):
        IDLE_CONTROLPLANE.take(controlplane)
        yield controlplane
        IDLE_CONTROLPLANE.take(None)


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
