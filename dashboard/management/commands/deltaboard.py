"""Command ``manage.py deltaboard``: worker and web server in one process."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand
from django.db import DatabaseError

from dashboard.management.exit_message import exit_with_message, one_line
from dashboard.management.open_browser import open_browser
from dashboard.management.pending_migrations import pending_migrations
from dashboard.management.startup_message import page_address, start_line
from dashboard.runtime.invisible_characters import escape_to_one_line
from dashboard.runtime.malloc_tuning import tune_process
from dashboard.runtime.process_watchdog import watch_process
from dashboard.runtime.project_files import COMMAND
from dashboard.server.access_token import load_access_token
from dashboard.server.daphne import CannotListen, bind_socket, install_reactor, serve, stop_with_reactor
from dashboard.server.guard import BindRefused


class Command(BaseCommand):
    help = "Run Deltaboard: worker and web server in one process."
    requires_system_checks: list[str] = []  # nothing that changes between two starts of the same version

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--port",
            type=int,
            default=settings.DELTABOARD_PORT,
            help="TCP port, 0 for a free one (default: %(default)s, or PORT)",
        )
        parser.add_argument("--bind", default="127.0.0.1", help="address to listen on (default: %(default)s)")
        parser.add_argument("--context", default="", help="context of the kubeconfig (default: its current context)")
        parser.add_argument(
            "--no-token", action="store_true", help="let every account of this machine open the dashboard"
        )
        parser.add_argument("--browser", action="store_true", help="open the dashboard in the browser")

    def handle(self, *_: Any, port: int, bind: str, context: str, no_token: bool, browser: bool, **__: Any) -> None:
        try:
            listening = bind_socket(bind, port, signs_in=settings.DELTABOARD_SIGN_IN != "token")
            token = None if no_token else load_access_token()
        except (BindRefused, CannotListen, ImproperlyConfigured) as error:
            exit_with_message(self.stderr, error)
        self._say_pending_migrations()
        tune_process()
        install_reactor()  # before anything that imports daphne's server

        from dashboard.server.wiring.web import build_application, build_web_process

        try:
            live = build_web_process(context=context)
        except ImproperlyConfigured as error:
            exit_with_message(self.stderr, error)
        host, real_port = listening.getsockname()[:2]

        async def started() -> None:
            watch_process(settings.DELTABOARD_BLOCKED_SECONDS)
            live.start()
            stop_with_reactor(live.stop)
            self._say(start_line(host, real_port, token))
            if browser and not open_browser(page_address(host, real_port, token)):
                self._say("No browser could be started: open the address above.")
            await live.connection.cluster_chosen.wait()
            self._say(live.connection.summary)

        serve(build_application(live, token=token), listening, on_started=started)

    def _say(self, line: str) -> None:
        self.stdout.write(escape_to_one_line(line))
        sys.stdout.flush()

    def _say_pending_migrations(self) -> None:
        """One line where migrations are missing; the server starts all the same."""
        try:
            pending = pending_migrations()
        except DatabaseError as error:
            reason = f"The database cannot be used: {one_line(error)}. Pages work, drafts are not kept"
            self.stderr.write(f"{reason} ({COMMAND} doctor names it).")
            return
        if pending:
            self.stderr.write(f"{len(pending)} migrations are not applied yet: run {COMMAND} migrate.")
