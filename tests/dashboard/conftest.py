"""Fixtures of browser tests on the live path: a server that a test controls, and pages of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.browser.page_server_program import PageServer
from tests.support.program_fork_server import ProgramPool


@pytest.fixture
def server(page_server_pool: ProgramPool) -> Iterator[PageServer]:
    program = PageServer(page_server_pool)
    try:
        yield program.open()
    finally:
        if program.running():
            program.resume()
        program.__exit__()
