"""Addresses and their views. What an address means is in each view's docstring and in docs/architecture.md."""

from __future__ import annotations

from django.urls import path, re_path

from dashboard.bulk import begin_page
from dashboard.bulk import files as bulk_files
from dashboard.bulk import list_page as bulk_list
from dashboard.bulk import pages as bulk
from dashboard.controllers import pages as controllers
from dashboard.creating import pages as creating
from dashboard.creating import several_editor
from dashboard.creating import several_pages as several
from dashboard.drafts import pages as drafts
from dashboard.drains.pages import drain
from dashboard.edits import editor_pages
from dashboard.edits import pages as edits
from dashboard.live import pages as live
from dashboard.live import why
from dashboard.quick import pages as quick
from dashboard.quick.evict_page import evict_pod
from dashboard.quick.may import may
from dashboard.removal import finalizer_page
from dashboard.removal import pages as removal
from dashboard.resources import completion, missing, namespaces, navigation, search, selected
from dashboard.resources import pages as resources

handler400 = "dashboard.access.too_much.bad_request"

_OBJECT = "resources/<str:resource>/<str:namespace>/<str:name>/"

urlpatterns = [
    path("", live.overview, name="overview"),
    path("feed/", live.feed, name="feed"),
    path("controllers/", controllers.controllers, name="controllers"),
    path("controllers/requeue/", controllers.requeue, name="requeue"),
    path("new/", several.several, name="several"),
    path("new/check/", several_editor.check_several, name="check-several"),
    path("new/schema/", several_editor.schema_of_kind, name="schema-of-kind"),
    path("drafts/", drafts.drafts, name="drafts"),
    path("drafts/keep/", drafts.keep, name="keep-draft"),
    path("drafts/throw/", drafts.throw_all, name="throw-drafts"),
    path("drafts/<str:key>/", drafts.draft, name="draft"),
    path("drafts/<str:key>/throw/", drafts.throw, name="throw-draft"),
    path("runs/", bulk_list.runs, name="runs"),
    path("kinds/", navigation.kinds, name="kinds"),
    path("kinds/counts/", navigation.counts, name="counts"),
    path("namespaces/", namespaces.names, name="namespaces"),
    path("freshness/", why.why, name="freshness"),
    path("search/", search.search, name="search"),
    path("theme/", live.theme, name="theme"),
    path("healthz", live.healthz, name="healthz"),
    path("readyz", live.readyz, name="readyz"),
    path("metrics", live.metrics, name="metrics"),
    path("resources/<str:resource>/", resources.object_list, name="list"),
    re_path(
        r"^resources/(?P<resource>[^/]+)/export\.(?P<suffix>csv|json|yaml)$", resources.object_export, name="export"
    ),
    path("resources/<str:resource>/matching/", selected.matching, name="matching"),
    path("resources/<str:resource>/selected/", selected.selected, name="selected"),
    re_path(
        r"^resources/(?P<resource>[^/]+)/selected\.(?P<suffix>csv|json|yaml)$",
        selected.selected_export,
        name="selected-export",
    ),
    re_path(r"^resources/(?P<resource>[^/]+)/complete$", completion.complete, name="complete"),
    path("resources/<str:resource>/new/", creating.new, name="new"),
    path("resources/<str:resource>/new/check/", creating.check_new, name="check-new"),
    re_path(r"^resources/(?P<resource>[^/]+)/schema$", editor_pages.schema_at, name="schema"),
    path("resources/<str:resource>/bulk/", begin_page.begin, name="bulk"),
    path("resources/<str:resource>/bulk/<str:key>/", bulk.run, name="bulk-run"),
    path("resources/<str:resource>/bulk/<str:key>/results.csv", bulk_files.results, name="bulk-results"),
    path("resources/<str:resource>/bulk/<str:key>/commands.txt", bulk_files.kubectl, name="bulk-commands"),
    path(_OBJECT, resources.object_detail, name="detail"),
    path(f"{_OBJECT}yaml/", resources.object_yaml, name="yaml"),
    path(f"{_OBJECT}edit/", edits.edit, name="edit"),
    path(f"{_OBJECT}edit/check/", edits.check, name="check"),
    path(f"{_OBJECT}edit/take/", editor_pages.take, name="take"),
    path(f"{_OBJECT}edit/status/", edits.edit, {"part": "status"}, name="edit-status"),
    path(f"{_OBJECT}edit/status/check/", edits.check, {"part": "status"}, name="check-status"),
    path(f"{_OBJECT}edit/status/take/", editor_pages.take, {"part": "status"}, name="take-status"),
    path(f"{_OBJECT}do/drain/", drain, name="drain"),
    path(f"{_OBJECT}do/evict/", evict_pod, name="evict"),
    path(f"{_OBJECT}do/<str:action>/", quick.act, name="act"),
    path(f"{_OBJECT}may/", may, name="may"),
    path(f"{_OBJECT}edit/owner/", editor_pages.owner, name="owner"),
    path(f"{_OBJECT}delete/", removal.delete, name="delete"),
    path(f"{_OBJECT}delete/finalizer/", finalizer_page.finalizer, name="finalizer"),
    re_path(r"^(?P<path>(?!static/)(?:.*/)?[^./]+/)$", missing.unknown_address),
]
