"""Django's configuration of the application."""

from __future__ import annotations

from django.apps import AppConfig
from django.core import checks


class DashboardConfig(AppConfig):
    """Registers what ``manage.py check --deploy`` looks at."""

    name = "dashboard"

    def ready(self) -> None:
        """Register our own checks."""
        from dashboard.server.deploy_checks import check_cookies

        checks.register(checks.Tags.security, deploy=True)(check_cookies)
