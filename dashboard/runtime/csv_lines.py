"""Lines of CSV (RFC 4180) whose cells no spreadsheet runs as formulas."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

_SIGNS = r"=+\-@\uff1d\uff0b\uff0d\uff20"
"""Inside of a character class: signs, also of full width, that make a spreadsheet read a cell as a formula."""
_FORMULA = re.compile(rf"\A(?=[{_SIGNS}\t\r\n])|(?<=[;\t\r\n])(?=[\"\s]{{0,8}}[{_SIGNS}])")
"""Where a formula can begin (OWASP, CSV injection): at the start, and behind what separates cells where commas do not.

Spreadsheets of many countries split a line at semicolons, even within the quotation marks that commas need.
"""


def csv_line(cells: Iterable[object]) -> str:
    """The line of these cells, with its end."""
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()


def escape_formula(value: object) -> object:
    """The value as a cell that no spreadsheet runs: what starts like a formula gets an apostrophe in front."""
    return _FORMULA.sub("'", value) if isinstance(value, str) else value
