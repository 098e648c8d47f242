"""``manage.py runserver``: daphne's, autoreloader included, kept to this machine.

Worker, replicas and demo cluster start with the first request, hence in the reloaded process only; when that ends for a
reload, the demo cluster ends with it, because its standard input closes.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from dashboard.access.addresses import BindRefused, check_bind
from dashboard.serving import install_reactor

install_reactor()

from daphne.management.commands.runserver import Command as DaphneCommand  # noqa: E402 - after the reactor
from daphne.server import Server  # noqa: E402 - after the reactor


class LongLivedServer(Server):  # type: ignore[misc]
    """Daphne's server, which leaves open pages open: its default closes every websocket after a day."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "websocket_timeout": -1})


class Command(DaphneCommand):  # type: ignore[misc]
    server_cls = LongLivedServer

    def handle(self, *args: Any, **options: Any) -> Any:
        options["use_static_handler"] = False  # WhiteNoise serves static files, here as in production
        return super().handle(*args, **options)

    def inner_run(self, *args: Any, **options: Any) -> Any:
        try:
            check_bind(self.addr, proxy_user_header=settings.DELTABOARD_TRUST_PROXY_USER)
        except BindRefused as error:
            raise CommandError(str(error)) from None
        return super().inner_run(*args, **options)
