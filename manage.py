#!/usr/bin/env python
"""Django's command line."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from dashboard.management.exit_message import exit_if_nobody_reads


def main() -> None:
    """Run a command; a setting that is missing or wrong is one line, not a trace."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        raise SystemExit(str(error)) from None
    except BrokenPipeError:
        exit_if_nobody_reads()
        raise


if __name__ == "__main__":
    main()
