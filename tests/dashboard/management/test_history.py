"""Tests of ``manage.py history``."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import override_settings

from dashboard.live.history.part import HistoryUnavailable, Part
from dashboard.live.history.sqlite_parts import SqliteParts
from dashboard.live.history.version import Operation
from tests.dashboard.management.test_commands import running, unconfigured
from tests.support.live.history import Log, history_database, whole_object
from tests.support.program import run_program


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def log(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """A history of two parts, which the command has."""
    with history_database(request.param, tmp_path) as parts:
        monkeypatch.setattr("dashboard.management.commands.history.build_parts", lambda read_seconds: parts)
        log = Log(parts, "c1")
        for number in range(120):
            log.change("pods", Operation.ADDED, whole_object(f"pod-{number}", number + 1, text="x" * number))
        log.tick("pods")
        log.begin_part()
        while log.carry_step():
            pass
        log.change("nodes", Operation.ADDED, whole_object("n", 500))
        log.tick("nodes")
        yield log
        log.close()


def run(command: str) -> str:
    out = io.StringIO()
    call_command("history", command, stdout=out)
    return out.getvalue()


def test_sizes_by_kind_and_day(log: Log) -> None:
    head, *lines, total = run("sizes").splitlines()
    assert head.split()[:3] == ["cluster", "day", "kind"]
    assert [line.split()[:5] for line in lines] == [
        ["c1", "2027-01-15", "nodes", "1", "0"],
        ["c1", "2027-01-15", "pods", "120", "120"],
    ]
    assert total.startswith("2 parts take ")


def test_a_history_is_compacted_and_still_sound(log: Log) -> None:
    before = log.parts.sizes()
    assert run("compact").startswith("2 parts took ")
    after = log.parts.sizes()
    oldest = min(before)
    assert after[oldest] <= before[oldest]
    assert run("verify") == "241 versions of 241 objects in 2 parts are as they were written.\n"
    log.change("pods", Operation.MODIFIED, whole_object("pod-1", 900))
    log.tick("pods")
    assert log.reader.recorded_until("pods") == log.now


def test_a_part_that_cannot_be_compacted_is_named_and_keeps_no_other_from_it(
    log: Log, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log.begin_part()
    while log.carry_step():
        pass
    oldest, second, _ = sorted(log.parts.sizes())
    compact, compacted = log.parts.compact, list[Part]()

    def compact_unless_oldest(part: Part) -> None:
        if part == oldest:
            raise HistoryUnavailable("it was read all the time")
        compact(part)
        compacted.append(part)

    monkeypatch.setattr(log.parts, "compact", compact_unless_oldest)
    with pytest.raises(SystemExit) as ended:
        run("compact")
    assert ended.value.code == 1
    assert capsys.readouterr().err == f"Part {oldest.id} of c1 stays as it is: it was read all the time.\n"
    assert compacted == [second]


def test_damage_is_told(log: Log, capsys: pytest.CaptureFixture[str]) -> None:
    log.writer.connection.execute("UPDATE {version} SET data = ? WHERE object = 5", b"damaged")
    log.writer.connection.execute("UPDATE {version} SET resource_version = ? WHERE object = 6", "77")
    log.writer.connection.commit()
    with pytest.raises(SystemExit) as ended:
        run("verify")
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert "the version is damaged" in said
    assert "not 77" in said
    assert said.count("Part ") == 2


@pytest.mark.long
@pytest.mark.program
def test_what_a_dashboard_recorded_that_was_killed_is_sound(tmp_path: Path) -> None:
    environ = unconfigured(tmp_path) | {"DELTABOARD_HISTORY": "on", "DEMO_PODS": "30", "DEMO_RATE": "50"}
    with running(environ, "deltaboard", "--port", "0") as program:
        folder = tmp_path / "var" / "history"

        def has_recorded() -> bool:
            return any(
                "mydemos" in line for line in run_program("manage.py", "history", "sizes", env=environ).stdout.split()
            )

        program.wait_for(lambda: any(folder.glob("*/*.sqlite3")))
        program.wait_for(has_recorded)
        program.kill()
    verified = run_program("manage.py", "history", "verify", env=environ)
    assert verified.returncode == 0, verified.stderr
    assert " in 1 parts are as they were written." in verified.stdout


def test_an_empty_history_says_so(tmp_path: Path) -> None:
    with override_settings(VAR_DIR=tmp_path):
        said = run("verify")
    assert said == "The history is empty.\n"


def test_a_database_that_does_not_answer_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:

    (tmp_path / "file").write_text("")
    monkeypatch.setattr(
        "dashboard.management.commands.history.build_parts", lambda read_seconds: SqliteParts(tmp_path / "file")
    )
    with pytest.raises(SystemExit) as ended:
        run("sizes")
    assert ended.value.code == 2
    assert "The history cannot be read: " in capsys.readouterr().err
