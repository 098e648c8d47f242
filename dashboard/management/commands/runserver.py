"""Command ``manage.py runserver``: daphne's with autoreloader, limited to this machine.

Worker, replicas and demo cluster start with the server, hence in the reloaded process only; when that ends for a
reload, the demo cluster ends with it, because its standard input closes.
"""

from __future__ import annotations

import os
import sys
from typing import Any, NoReturn

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from dashboard.management.exit_message import exit_with_message
from dashboard.management.startup_message import start_line
from dashboard.server.access_token import load_access_token
from dashboard.server.daphne import CannotListen, bind_socket, install_reactor
from dashboard.server.guard import BindRefused

install_reactor()

from daphne.management.commands.runserver import Command as DaphneCommand  # noqa: E402 - after the reactor

from dashboard.server.daphne_server import DaphneServer  # noqa: E402 - after the reactor


class LongLivedServer(DaphneServer):
    """Daphne's server without its default of closing every websocket after a day."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "websocket_timeout": -1})

    def listen_error(self, failure: Any) -> NoReturn:
        """End the process with a message; under the autoreloader this is a thread that could not end it otherwise."""
        sys.stderr.write(f"Deltaboard cannot listen: {failure.getErrorMessage()}\n")
        sys.stderr.flush()
        os._exit(1)


class Command(DaphneCommand):  # type: ignore[misc]
    server_cls = LongLivedServer

    def handle(self, *args: Any, **options: Any) -> Any:
        options["use_static_handler"] = False  # WhiteNoise serves static files, here as in production
        return super().handle(*args, **options)

    def run(self, **options: Any) -> None:
        """Check the address before the autoreloader starts: a later error would only end its thread."""
        try:
            bind_socket(
                self.addr,
                int(self.port),
                signs_in=settings.DELTABOARD_SIGN_IN != "token",
                port_hint="runserver PORT",
            ).close()
            load_access_token()
        except (BindRefused, CannotListen, ImproperlyConfigured) as error:
            exit_with_message(self.stderr, error)
        super().run(**options)

    def inner_run(self, *args: Any, **options: Any) -> None:
        """Serve, in the process that the autoreloader starts."""
        self.stdout.write(start_line(self.addr, int(self.port), load_access_token()))
        super().inner_run(*args, **options)
