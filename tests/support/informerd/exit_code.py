"""Exit code of a program's main function, returned or raised."""

from __future__ import annotations

from collections.abc import Callable


def code_of(main: Callable[[], int]) -> object:
    """The exit code, be it returned or raised by argparse."""
    try:
        return main()
    except SystemExit as ended:
        return ended.code
