"""ASGI application for daphne: a web process alone with REDIS_URL set, worker and web in one process without."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
django.setup(set_prefix=False)

from dashboard.server.wiring.web import build_application  # noqa: E402 - needs the settings

application = build_application()
