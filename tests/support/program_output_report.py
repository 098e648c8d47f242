"""Report of a failure with the end of the output of each program that the test and its fixtures have started."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import pytest

from tests.support.program import Program

LONGEST = 6_000
"""Characters of each program's output that are shown, its last ones."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add a section for each program to the report of a failure."""
    report = yield
    if report.failed:
        report.sections += program_sections()
    return report


def program_sections() -> Iterator[tuple[str, str]]:
    """A title and a text for each program that was started and not ended in order."""
    for program in tuple(Program.started):
        if not program.log.exists():
            continue
        state = "running" if program.running() else f"ended with {program.process and program.process.poll()}"
        yield f"output of {' '.join(program.arguments)[:200]}, {state}", program.output[-LONGEST:]
