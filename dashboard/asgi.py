"""ASGI application for daphne: a web process alone with REDIS_URL set, worker and web in one process without."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
django.setup(set_prefix=False)

from dashboard.server.access_token import load_access_token, log_access  # noqa: E402 - needs the settings
from dashboard.server.daphne import use_own_server_class  # noqa: E402 - needs the settings
from dashboard.server.wiring.web import build_application  # noqa: E402 - needs the settings

use_own_server_class()
token = load_access_token()
log_access(token)
application = build_application(token=token)
