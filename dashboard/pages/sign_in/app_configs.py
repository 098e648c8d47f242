"""Django's configurations of the applications that allauth needs, without what they would add to a project.

They register no checks, create no permissions and content types, and demand no middleware: nothing of theirs is stored
(settings.MIGRATION_MODULES), and of their views only the flow is used (allauth_flow.py).
"""

from __future__ import annotations

from django.apps import AppConfig


class ContentTypesConfig(AppConfig):
    """Models that those of AuthConfig refer to."""

    name = "django.contrib.contenttypes"


class AuthConfig(AppConfig):
    """The user model that allauth's models refer to. Nobody here is one."""

    name = "django.contrib.auth"


class AccountConfig(AppConfig):
    """Models that allauth's flow imports."""

    name = "allauth.account"


class SocialAccountConfig(AppConfig):
    """allauth's flow of OpenID Connect."""

    name = "allauth.socialaccount"

    def ready(self) -> None:
        """Register dashboard.pages.sign_in.provider."""
        from allauth.socialaccount.providers import registry

        registry.load()
