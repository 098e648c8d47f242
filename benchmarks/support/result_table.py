"""Result of a benchmark, as a table of ratios for people and as JSON for programs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True)
class Line:
    """One measurement: its figures by name (units in the name), and ratios to others of the same run."""

    name: str
    figures: dict[str, float]
    ratios: dict[str, str] = field(default_factory=dict)


def print_table(title: str, lines: Sequence[Line]) -> None:
    """A Markdown table; one column a figure or ratio."""
    names = list(dict.fromkeys(name for line in lines for name in (*line.figures, *line.ratios)))
    print(f"\n{title}\n\n| | {' | '.join(names)} |\n| --- |{' --- |' * len(names)}")
    for line in lines:
        cells = [_cell(line, name) for name in names]
        print(f"| {line.name} | {' | '.join(cells)} |")


def _cell(line: Line, name: str) -> str:
    if name in line.ratios:
        return line.ratios[name]
    if name not in line.figures:
        return ""
    return f"{line.figures[name]:,.3g}" if line.figures.get(name, 0) < 100 else f"{line.figures[name]:,.0f}"


def main(title: str, measure: Callable[[argparse.Namespace], list[Line]], parser: argparse.ArgumentParser) -> None:
    """Run one benchmark as a program: `--json` for programs, else the table."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    lines = measure(arguments)
    if arguments.json:
        print(json.dumps({"benchmark": title, "lines": [asdict(line) for line in lines]}))
    else:
        print_table(title, lines)
