"""Django's configuration of the application."""

from __future__ import annotations

from pathlib import Path

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.core.exceptions import ImproperlyConfigured


class DashboardConfig(AppConfig):
    """Registers what ``manage.py check --deploy`` looks at, and the rules for the health of custom resources."""

    name = "dashboard"

    def ready(self) -> None:
        """Register both. Raises ImproperlyConfigured where DELTABOARD_HEALTH has a rule that cannot be used."""
        from dashboard.objects.health import InvalidHealthRules, add_rules, read_rules
        from dashboard.server.deploy_checks import check_cookies

        checks.register(checks.Tags.security, deploy=True)(check_cookies)
        try:
            add_rules(read_rules(Path(settings.DELTABOARD_HEALTH)) if settings.DELTABOARD_HEALTH else {})
        except InvalidHealthRules as error:
            raise ImproperlyConfigured(f"DELTABOARD_HEALTH: {error}") from None
