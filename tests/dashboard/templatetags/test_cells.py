"""Tests of the cells of a row: the reason beside a status."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from dashboard.live.rendering.cells import all_columns, row_line
from dashboard.objects.health.status_words import MAX_REASON
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.kinds.row import Row
from dashboard.templatetags.cells import cells
from tests.support.objects.rows import made, row_of


def status_cell(**changed: Any) -> str:
    row: Row = row_of("pods", made("Pod", "web", namespace="shop"))
    columns = all_columns("pods")
    place = next(index for index, column in columns if column.id == "status")
    values = (*row.cells[:place], changed["status"], *row.cells[place + 1 :])
    row = msgspec.structs.replace(row, cells=values, **changed)
    return next(part for part in cells(row_line(KINDS["pods"], row, columns)).split("<td ") if "c-status" in part)


def test_a_word_that_sounds_well_has_the_reason_beside_it() -> None:
    cell = status_cell(status="Running", tone="warn", reason='not ready: <app> "x" ' + "y" * 200)
    assert 'class="status warn"' in cell
    shown = re.search(r'<small class="why" title="(.*?)">(.*?)</small>', cell)
    assert shown is not None
    assert shown[1].endswith("y" * 200)
    assert shown[2].startswith("not ready: &lt;app&gt; &quot;x&quot; yyy")
    assert len(shown[2].replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')) == MAX_REASON


@pytest.mark.parametrize(
    ("status", "tone", "reason"),
    [("CrashLoopBackOff", "bad", "crash loop: app"), ("Running", "ok", ""), ("Running", "busy", "starting")],
)
def test_other_words_stand_alone_and_have_the_reason_as_a_title(status: str, tone: str, reason: str) -> None:
    cell = status_cell(status=status, tone=tone, reason=reason)
    assert "why" not in cell
    title = f' title="{reason}"' if reason else ""
    assert f'<span class="status {tone}"{title}>' in cell
