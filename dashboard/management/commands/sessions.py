"""Command ``manage.py sessions``: lists the sessions of people who signed in by OIDC, and ends them."""

from __future__ import annotations

import asyncio
import time
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import DEFAULT_DB_ALIAS, DatabaseError

from dashboard.access.sessions import store
from dashboard.access.sessions.session import lifetime_from_settings
from dashboard.live.replication.channel_layer import ChannelLayerHealth, Sender
from dashboard.live.replication.rejected_messages import RejectedMessages
from dashboard.management.exit_message import exit_with_message, one_line
from dashboard.pages.sessions.registry import GROUP, IDS_IN_MESSAGE, EndedSessions, ended_message
from dashboard.runtime.invisible_characters import escape_to_one_line
from dashboard.server.wiring.channel_layer import build_channel_layer
from informerd.clock import SystemClock


class Command(BaseCommand):
    help = "List the sessions of people who signed in, or end them; their open pages close within seconds."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("list", help="list all sessions, the one used last first")
        end = actions.add_parser("end", help="end all sessions of somebody, or of everybody")
        end.add_argument("user", nargs="?", default="", help="name of the person, as `list` shows it")
        end.add_argument("--all", action="store_true", help="end everybody's sessions")

    def handle(self, *_: Any, action: str, user: str = "", **options: Any) -> None:
        try:
            if action == "list":
                self._list()
            elif bool(user) == options["all"]:
                exit_with_message(self.stderr, "Name one person, or everybody with --all.", code=2)
            else:
                self._end(user)
        except DatabaseError as error:
            exit_with_message(self.stderr, f"The database cannot be used: {one_line(error)}")

    def _list(self) -> None:
        for session in store.all_sessions(DEFAULT_DB_ALIAS, time.time(), lifetime_from_settings()):
            used = datetime.fromtimestamp(session.last_used, UTC).isoformat(timespec="seconds")
            words = f"{session.person.name}  {session.device}  {session.issuer}  last used {used}"
            self.stdout.write(escape_to_one_line(words))

    def _end(self, user: str) -> None:
        """Without a user everybody's."""
        if user:
            ended = store.end_of_person(DEFAULT_DB_ALIAS, user)
            number, batches = len(ended), range(0, len(ended), IDS_IN_MESSAGE)
            messages = [EndedSessions(ended[begin : begin + IDS_IN_MESSAGE]) for begin in batches]
        else:
            number, messages = store.end_all(DEFAULT_DB_ALIAS), [EndedSessions(is_everybody=True)]
        if settings.REDIS_URL:
            asyncio.run(_send(messages))
        self.stdout.write("1 session was ended." if number == 1 else f"{number} sessions were ended.")


async def _send(messages: list[EndedSessions]) -> None:
    """Tell the web processes; what does not reach them they find out by themselves."""
    sender = Sender(build_channel_layer(RejectedMessages(SystemClock())), ChannelLayerHealth())
    for message in messages:
        await sender.to_group(GROUP, ended_message(message))
