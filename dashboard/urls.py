"""Addresses and their views. What an address means is in each view's docstring and in docs/architecture.md."""

from __future__ import annotations

from django.urls import path, re_path

from dashboard.controllers import pages as controllers
from dashboard.edits import pages as edits
from dashboard.live import pages as live
from dashboard.resources import missing, search
from dashboard.resources import pages as resources

_OBJECT = "resources/<str:resource>/<str:namespace>/<str:name>/"

urlpatterns = [
    path("", live.overview, name="overview"),
    path("feed/", live.feed, name="feed"),
    path("controllers/", controllers.controllers, name="controllers"),
    path("controllers/requeue/", controllers.requeue, name="requeue"),
    path("search/", search.search, name="search"),
    path("theme/", live.theme, name="theme"),
    path("healthz", live.healthz, name="healthz"),
    path("readyz", live.readyz, name="readyz"),
    path("metrics", live.metrics, name="metrics"),
    path("resources/<str:resource>/", resources.object_list, name="list"),
    re_path(
        r"^resources/(?P<resource>[^/]+)/export\.(?P<suffix>csv|json|yaml)$", resources.object_export, name="export"
    ),
    path(_OBJECT, resources.object_detail, name="detail"),
    path(f"{_OBJECT}yaml/", resources.object_yaml, name="yaml"),
    path(f"{_OBJECT}edit/", edits.edit, name="edit"),
    path(f"{_OBJECT}edit/check/", edits.check, name="check"),
    path(f"{_OBJECT}delete/", edits.delete, name="delete"),
    re_path(r"^(?P<path>(?!static/)(?:.*/)?[^./]+/)$", missing.unknown_address),
]
