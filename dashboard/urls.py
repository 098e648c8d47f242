"""URL patterns and their views; each view's docstring and docs/architecture.md describe the addresses."""

from __future__ import annotations

from django.urls import path, re_path

from dashboard.pages.audit import views as audit_views
from dashboard.pages.bulk import run_download_views, run_list_views, start_views
from dashboard.pages.bulk import views as bulk_views
from dashboard.pages.controllers import views as controller_views
from dashboard.pages.create import views as create_views
from dashboard.pages.create.many import editor_json_views as many_editor_views
from dashboard.pages.create.many import views as create_many_views
from dashboard.pages.delete import finalizer_views
from dashboard.pages.delete import views as delete_views
from dashboard.pages.details import views as detail_views
from dashboard.pages.drafts import views as draft_views
from dashboard.pages.drains.views import drain
from dashboard.pages.edit import editor_json_views as editor_views
from dashboard.pages.edit import views as edit_views
from dashboard.pages.evictions.views import evict_pod
from dashboard.pages.feed import views as feed_views
from dashboard.pages.followed_kinds import views as followed_kind_views
from dashboard.pages.history import list_comparison_views
from dashboard.pages.history import views as history_views
from dashboard.pages.incident import views as incident_views
from dashboard.pages.layout import (
    all_kinds_views,
    command_palette,
    freshness_panel_views,
    kinds_sidebar,
    namespaces,
    not_found,
    theme_views,
)
from dashboard.pages.lists import selection_views
from dashboard.pages.lists import views as list_views
from dashboard.pages.lists.completion import views as completion_views
from dashboard.pages.logs import views as log_views
from dashboard.pages.moment import views as moment_views
from dashboard.pages.overview import views as overview_views
from dashboard.pages.quick_actions import views as quick_action_views
from dashboard.pages.quick_actions.menu_views import action_menu
from dashboard.pages.sessions import views as session_views
from dashboard.pages.sign_in import views as sign_in_views
from dashboard.pages.terminal import views as terminal_views
from dashboard.pages.whoami import views as whoami_views
from dashboard.server import monitoring_views, status_views

handler400 = "dashboard.server.bad_request.bad_request"

_PODS = {"resource": "pods"}
_DASH = {"namespace": "-"}
_OBJECT = "resources/<str:resource>/<str:namespace>/<str:name>/"

urlpatterns = [
    path("", overview_views.overview, name="overview"),
    path("feed/", feed_views.feed, name="feed"),
    path("logs/", log_views.selection_logs, name="selection-logs"),
    path("logs/lines/", log_views.log_lines, name="selection-log-lines"),
    path("logs/logs.txt", log_views.log_download, {"suffix": "txt"}, name="selection-log-download"),
    path("logs/logs.ndjson", log_views.log_download, {"suffix": "ndjson"}, name="selection-log-download"),
    path("why/<str:resource>/<str:namespace>/<str:name>/", incident_views.incident, name="incident"),
    path("moment/step/", moment_views.step, name="moment-step"),
    path("why/<str:resource>/<str:name>/", incident_views.incident_without_namespace, _DASH, name="incident-by-name"),
    path("controllers/", controller_views.controllers, name="controllers"),
    path("controllers/requeue/", controller_views.requeue, name="requeue"),
    path("new/", create_many_views.create_many, name="several"),
    path("new/check/", many_editor_views.check_many, name="check-several"),
    path("new/schema/", many_editor_views.schema_of_kind, name="schema-of-kind"),
    path("drafts/", draft_views.drafts, name="drafts"),
    path("drafts/keep/", draft_views.keep, name="keep-draft"),
    path("drafts/throw/", draft_views.discard_all, name="throw-drafts"),
    path("drafts/<str:key>/", draft_views.draft, name="draft"),
    path("drafts/<str:key>/throw/", draft_views.discard, name="throw-draft"),
    path("audit/", audit_views.audit, name="audit"),
    re_path(r"^audit/export\.(?P<suffix>csv|jsonl)$", audit_views.audit_download, name="audit-export"),
    path("runs/", run_list_views.run_list, name="runs"),
    path("kinds/", kinds_sidebar.kind_list, name="kinds"),
    path("kinds/all/", all_kinds_views.every_kind, name="all-kinds"),
    path("kinds/counts/", kinds_sidebar.kind_counts, name="counts"),
    path("namespaces/", namespaces.namespaces_json, name="namespaces"),
    path("freshness/", freshness_panel_views.freshness, name="freshness"),
    path("search/", command_palette.search, name="search"),
    path("whoami/", whoami_views.whoami, name="whoami"),
    path("status/", status_views.status, name="status"),
    path("theme/", theme_views.theme, name="theme"),
    path("sign-in/", sign_in_views.sign_in, name="sign-in"),
    path("accounts/sign-out/", sign_in_views.sign_out, name="sign-out"),
    path("accounts/logout/<str:provider_id>/", sign_in_views.back_channel_logout, name="back-channel-logout"),
    path("accounts/<str:provider_id>/sign-in/", sign_in_views.begin, name="openid_connect_login"),
    path("accounts/<str:provider_id>/callback/", sign_in_views.callback, name="openid_connect_callback"),
    path("sessions/", session_views.sessions, name="sessions"),
    path("sessions/end/", session_views.end_sessions, name="end-sessions"),
    path("healthz", monitoring_views.healthz, name="healthz"),
    path("readyz", monitoring_views.readyz, name="readyz"),
    path("metrics", monitoring_views.metrics, name="metrics"),
    path("resources/<str:resource>/", list_views.object_list, name="list"),
    path("resources/<str:resource>/follow-always/", followed_kind_views.follow_always, name="follow-always"),
    path("resources/<str:resource>/list-again/", list_views.list_again, name="list-again"),
    re_path(
        r"^resources/(?P<resource>[^/]+)/export\.(?P<suffix>csv|json|yaml)$", list_views.object_export, name="export"
    ),
    path("resources/<str:resource>/matching/", selection_views.matching_uids, name="matching"),
    path("resources/<str:resource>/selected/", selection_views.missing_uids, name="selected"),
    re_path(
        r"^resources/(?P<resource>[^/]+)/selected\.(?P<suffix>csv|json|yaml)$",
        selection_views.selected_export,
        name="selected-export",
    ),
    re_path(r"^resources/(?P<resource>[^/]+)/complete$", completion_views.complete_filter, name="complete"),
    path("resources/<str:resource>/history/", history_views.deleted_objects, name="deleted-objects"),
    path("resources/<str:resource>/compare/", list_comparison_views.compare_list, name="compare-list"),
    re_path(
        r"^resources/(?P<resource>[^/]+)/compare\.(?P<suffix>csv|json)$",
        list_comparison_views.compare_list_export,
        name="compare-list-export",
    ),
    path("resources/<str:resource>/new/", create_views.new, name="new"),
    path("resources/<str:resource>/new/check/", create_views.check_new, name="check-new"),
    re_path(r"^resources/(?P<resource>[^/]+)/schema$", editor_views.schema_at, name="schema"),
    path("resources/<str:resource>/bulk/", start_views.start_run, name="bulk"),
    path("resources/<str:resource>/bulk/<str:key>/", bulk_views.run, name="bulk-run"),
    path("resources/<str:resource>/bulk/<str:key>/results.csv", run_download_views.results_csv, name="bulk-results"),
    path(
        "resources/<str:resource>/bulk/<str:key>/commands.txt", run_download_views.commands_text, name="bulk-commands"
    ),
    path(_OBJECT, detail_views.object_detail, name="detail"),
    path(f"{_OBJECT}logs/", log_views.object_logs, name="logs"),
    path(f"{_OBJECT}logs/lines/", log_views.log_lines, name="log-lines"),
    path(f"{_OBJECT}logs/logs.txt", log_views.log_download, {"suffix": "txt"}, name="log-download"),
    path(f"{_OBJECT}logs/logs.ndjson", log_views.log_download, {"suffix": "ndjson"}, name="log-download"),
    path("resources/pods/<str:namespace>/<str:name>/terminal/", terminal_views.terminal, _PODS, name="terminal"),
    path(
        "resources/pods/<str:namespace>/<str:name>/terminal/debug/", terminal_views.add_container, _PODS, name="debug"
    ),
    path(f"{_OBJECT}history/", history_views.object_history, name="history"),
    path(f"{_OBJECT}yaml/", detail_views.object_yaml, name="yaml"),
    path(f"{_OBJECT}edit/", edit_views.edit, name="edit"),
    path(f"{_OBJECT}edit/check/", edit_views.check, name="check"),
    path(f"{_OBJECT}edit/take/", editor_views.take_theirs, name="take"),
    path(f"{_OBJECT}edit/status/", edit_views.edit, {"part": "status"}, name="edit-status"),
    path(f"{_OBJECT}edit/status/check/", edit_views.check, {"part": "status"}, name="check-status"),
    path(f"{_OBJECT}edit/status/take/", editor_views.take_theirs, {"part": "status"}, name="take-status"),
    path(f"{_OBJECT}do/drain/", drain, name="drain"),
    path(f"{_OBJECT}do/evict/", evict_pod, name="evict"),
    path(f"{_OBJECT}do/<str:action>/", quick_action_views.quick_action, name="act"),
    path(f"{_OBJECT}may/", action_menu, name="may"),
    path(f"{_OBJECT}edit/owner/", editor_views.field_owner, name="owner"),
    path(f"{_OBJECT}delete/", delete_views.delete, name="delete"),
    path(f"{_OBJECT}delete/finalizer/", finalizer_views.remove_finalizer, name="finalizer"),
    re_path(  # no file: Django would lead from one of an unknown format to it, with a slash
        r"^resources/(?P<resource>[^/]+)/(?P<name>(?!export\.|selected\.)[^/]+)/$",
        detail_views.object_without_namespace,
        _DASH,
        name="detail-by-name",
    ),
    re_path(r"^(?P<path>(?!static/)(?:.*/)?[^./]+/)$", not_found.unknown_address),
]
