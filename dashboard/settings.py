"""Django's settings, the only module that reads the environment.

docs/settings.md has the table; a test compares them.

Without a single variable set this is a dashboard for one person on one machine: bound to 127.0.0.1, SQLite, the
in-memory channel layer, a generated SECRET_KEY that is kept beside the database. REDIS_URL makes it the production
form: several processes that share Redis, a database and a SECRET_KEY.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from dashboard.runtime import project_files
from dashboard.runtime.concurrency_limit import Limits, read_limits
from dashboard.runtime.environment import (
    Environment,
    read_address,
    read_limit,
    read_listen_address,
    read_positive,
    read_seconds,
)
from dashboard.runtime.namespace_names import read_namespaces
from dashboard.runtime.oidc_issuers import Issuer, read_issuers
from dashboard.runtime.on_demand_kind_limits import OnDemandLimits
from dashboard.runtime.production_clusters import ProductionClusters, read_production
from dashboard.runtime.proxy_settings import ProxyPeers, read_header_name, read_peers, read_proxy_secret
from dashboard.runtime.secret_file import NotPrivate, load_or_create_secret
from dashboard.runtime.shard import WHOLE, Shard, read_shard
from dashboard.runtime.tracing import has_packages, read_ratio
from devcluster.workload_size import read_pods, read_rate, read_seed

env = Environment()

# --- Forms of running -------------------------------------------------------------------------------------------

DEBUG: bool = env.bool("DEBUG", default=False)
VAR_DIR = Path(env.str("DELTABOARD_VAR", default=str(project_files.default_state_folder())))
"""Folder for the generated secret key and the SQLite file."""

REDIS_URL: str = env.str("REDIS_URL", default="")
"""Set in the production form: web processes have no worker, `manage.py informerd` is the worker."""

SECRET_KEY: str = env.str("SECRET_KEY", default="")
if not SECRET_KEY:
    if REDIS_URL and not DEBUG:
        raise ImproperlyConfigured(
            "SECRET_KEY must be set when REDIS_URL is: all processes need the same one. "
            "Create one with: python -c 'import secrets; print(secrets.token_urlsafe(50))'"
        )
    try:
        SECRET_KEY = load_or_create_secret(VAR_DIR / "secret_key")
    except NotPrivate as not_private:
        raise ImproperlyConfigured(str(not_private)) from None
    except OSError as error:
        raise ImproperlyConfigured(
            f"DELTABOARD_VAR: the secret key cannot be stored in {VAR_DIR}: {error.strerror}. "
            "Name a writable folder, or set SECRET_KEY and DATABASE_URL"
        ) from error

DELTABOARD_FEED_KEY: list[str] = env.list("DELTABOARD_FEED_KEY", default=[])
"""Secrets of the messages between worker and web processes: the first encrypts, all decrypt. Empty: SECRET_KEY."""
if any(len(key) < 32 for key in DELTABOARD_FEED_KEY):
    raise ImproperlyConfigured(
        "DELTABOARD_FEED_KEY has a key of fewer than 32 characters, which could be guessed. "
        "Create one with: python -c 'import secrets; print(secrets.token_urlsafe(50))'"
    )

# --- Which cluster ----------------------------------------------------------------------------------------------

DELTABOARD_KINDS: list[str] = env.list(
    "DELTABOARD_KINDS",
    default=["pods", "mydemos", "events", "namespaces", "nodes", "deployments", "replicasets"],
)
DELTABOARD_CONTROLLERS: list[str] | None = env.list("DELTABOARD_CONTROLLERS", default=None)
"""None: the cluster's default, which is crddemo on the demo cluster and nothing elsewhere."""
DELTABOARD_NAMESPACES: tuple[str, ...] = env.read("DELTABOARD_NAMESPACES", read_namespaces, default="")
"""Namespaces that are listed and watched. Empty: all, or those that the account may list."""
DELTABOARD_SHARD: Shard = env.read("DELTABOARD_SHARD", read_shard, default="")
"""The part of the namespaces that this worker watches: 1/3 is the first of three, any/3 one that no other worker has.
Empty: all (docs/scale.md).
"""
if DELTABOARD_SHARD != WHOLE and DELTABOARD_NAMESPACES:
    raise ImproperlyConfigured(
        f"DELTABOARD_SHARD={DELTABOARD_SHARD} divides all namespaces of a cluster, so DELTABOARD_NAMESPACES cannot "
        "name some: leave one of them out"
    )
if DELTABOARD_SHARD != WHOLE and not REDIS_URL:
    raise ImproperlyConfigured(
        f"DELTABOARD_SHARD={DELTABOARD_SHARD} is one of several workers', which need Redis: set REDIS_URL"
    )
DELTABOARD_CLUSTER: str = env.one_of("DELTABOARD_CLUSTER", ("", "demo"), default="")
DELTABOARD_CONTEXT: str = env.str("DELTABOARD_CONTEXT", default="")
DELTABOARD_CLUSTER_COLOUR: str = env.one_of(
    "DELTABOARD_CLUSTER_COLOUR",
    ("", "red", "orange", "amber", "green", "teal", "blue", "violet", "grey"),
    default="",
)
DELTABOARD_READ_ONLY: bool = env.bool("DELTABOARD_READ_ONLY", default=False)
"""Whether nothing may be written to the cluster through Deltaboard."""
if DELTABOARD_READ_ONLY and DELTABOARD_CONTROLLERS:
    raise ImproperlyConfigured(
        f"DELTABOARD_CONTROLLERS={','.join(DELTABOARD_CONTROLLERS)} cannot run with DELTABOARD_READ_ONLY=on, "
        "because controllers write to the cluster: leave one of them out"
    )
if DELTABOARD_SHARD.is_any and DELTABOARD_READ_ONLY:
    raise ImproperlyConfigured(
        f"DELTABOARD_SHARD={DELTABOARD_SHARD} writes Leases to the cluster, which DELTABOARD_READ_ONLY=on refuses: "
        "give each worker a number"
    )
DELTABOARD_PRODUCTION: ProductionClusters = env.read("DELTABOARD_PRODUCTION", read_production, default="off")
"""Clusters whose pages say that they are production, and ask for a name to be typed before what destroys."""
DELTABOARD_HEALTH: str = env.str("DELTABOARD_HEALTH", default="")
"""YAML file of rules for the health of custom resources, see docs/health.md. They come before the shipped ones."""
DELTABOARD_SAMPLES: str = env.str("DELTABOARD_SAMPLES", default="")
"""Folder of YAML files with samples of custom resources, which pages that create one offer (docs/settings.md)."""
DEMO_PODS: int = env.read("DEMO_PODS", read_pods, default="120")
DEMO_RATE: float = env.read("DEMO_RATE", read_rate, default="5")
DEMO_SEED: int | None = env.read("DEMO_SEED", read_seed, default="")
SECRET_VARIABLES = frozenset({
    "SECRET_KEY", "DELTABOARD_AUDIT_KEY", "DELTABOARD_FEED_KEY", "DELTABOARD_TRUST_PROXY_SECRET",
    "DELTABOARD_PROMETHEUS_TOKEN", "DATABASE_URL", "REDIS_URL",
    "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
})  # fmt: skip
"""Variables that no other program needs to have."""
CLUSTER_ENVIRON = {name: value for name, value in os.environ.items() if name not in SECRET_VARIABLES}
"""Variables that informerd.rest.load_config reads for KUBECONFIG and the in-cluster configuration, and that it hands to
credential plugins."""

# --- Who may come in --------------------------------------------------------------------------------------------

ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
DELTABOARD_TOKEN: bool = env.bool("DELTABOARD_TOKEN", default=True)
"""Whether browsers and scripts must show the access token. No effect behind a proxy that names the user."""
DELTABOARD_TRUST_PROXY_USER: str = env.read("DELTABOARD_TRUST_PROXY_USER", read_header_name, default="")
DELTABOARD_TRUST_PROXY_GROUPS: str = env.read("DELTABOARD_TRUST_PROXY_GROUPS", read_header_name, default="")
DELTABOARD_TRUST_PROXY_PEERS: ProxyPeers = env.read(
    "DELTABOARD_TRUST_PROXY_PEERS", read_peers, default="127.0.0.0/8,::1"
)
DELTABOARD_TRUST_PROXY_SECRET: str = env.read("DELTABOARD_TRUST_PROXY_SECRET", read_proxy_secret, default="")
DELTABOARD_OIDC: tuple[Issuer, ...] = env.read("DELTABOARD_OIDC", read_issuers, default="")
"""Issuers that sign people in, from the YAML file that the environment names (docs/sign-in.md)."""
DELTABOARD_SIGN_IN: str = env.one_of("DELTABOARD_SIGN_IN", ("", "token", "proxy", "oidc"), default="")
"""How Deltaboard knows who asks. Empty in the environment: by the proxy where one is named, by OIDC where issuers are,
else by the token."""
DELTABOARD_SIGN_IN = DELTABOARD_SIGN_IN or (
    "proxy" if DELTABOARD_TRUST_PROXY_USER else "oidc" if DELTABOARD_OIDC else "token"
)
DELTABOARD_SESSION_HOURS: int = env.read("DELTABOARD_SESSION_HOURS", read_positive, default="24")
DELTABOARD_SESSION_IDLE_HOURS: int = env.read("DELTABOARD_SESSION_IDLE_HOURS", read_positive, default="8")
DELTABOARD_RIGHTS: str = env.one_of("DELTABOARD_RIGHTS", ("", "person", "account"), default="")
"""Whose rights in the cluster people have: their own, or those of Deltaboard's account. Empty in the environment: their
own where people sign in. The holder of the token is nobody whom the cluster knows."""
DELTABOARD_RIGHTS = DELTABOARD_RIGHTS or ("account" if DELTABOARD_SIGN_IN == "token" else "person")
for _name, _value in (
    ("DELTABOARD_TRUST_PROXY_SECRET", DELTABOARD_TRUST_PROXY_SECRET),
    ("DELTABOARD_TRUST_PROXY_GROUPS", DELTABOARD_TRUST_PROXY_GROUPS),
    ("DELTABOARD_SIGN_IN=proxy", DELTABOARD_SIGN_IN == "proxy"),
):
    if _value and not DELTABOARD_TRUST_PROXY_USER:
        raise ImproperlyConfigured(
            f"{_name} has no effect without DELTABOARD_TRUST_PROXY_USER: "
            "name the header in which the proxy sends the user"
        )
if DELTABOARD_TRUST_PROXY_USER and DELTABOARD_SIGN_IN != "proxy":
    raise ImproperlyConfigured(
        f"DELTABOARD_TRUST_PROXY_USER has no effect with DELTABOARD_SIGN_IN={DELTABOARD_SIGN_IN}: leave one of them out"
    )
if DELTABOARD_SIGN_IN == "oidc" and not DELTABOARD_OIDC:
    raise ImproperlyConfigured(
        "DELTABOARD_SIGN_IN=oidc has no effect without DELTABOARD_OIDC: name a YAML file of issuers (docs/sign-in.md)"
    )
if DELTABOARD_OIDC and DELTABOARD_SIGN_IN != "oidc":
    raise ImproperlyConfigured(
        f"DELTABOARD_OIDC has no effect with DELTABOARD_SIGN_IN={DELTABOARD_SIGN_IN}: leave one of them out"
    )
if DELTABOARD_RIGHTS == "person" and DELTABOARD_SIGN_IN == "token":
    raise ImproperlyConfigured(
        "DELTABOARD_RIGHTS=person has no effect with DELTABOARD_SIGN_IN=token: whoever has the token has no name. "
        "Let people sign in, by OIDC or a proxy"
    )
DELTABOARD_AUDIT: str = env.one_of("DELTABOARD_AUDIT", ("", "off", "on", "stdout"), default="")
"""Whether the audit log is written, to the database or to stdout, too. Empty in the environment: where
people sign in."""
DELTABOARD_AUDIT = DELTABOARD_AUDIT or ("off" if DELTABOARD_SIGN_IN == "token" else "on")
DELTABOARD_AUDIT_KEY: list[str] = env.list("DELTABOARD_AUDIT_KEY", default=[])
"""Secrets that seal the audit log: the first seals, all verify. Empty: SECRET_KEY."""
if any(len(key) < 32 for key in DELTABOARD_AUDIT_KEY):
    raise ImproperlyConfigured(
        "DELTABOARD_AUDIT_KEY has a key of fewer than 32 characters, which could be guessed. "
        "Create one with: python -c 'import secrets; print(secrets.token_urlsafe(50))'"
    )
DELTABOARD_AUDIT_MEGABYTES: int = env.read("DELTABOARD_AUDIT_MEGABYTES", read_limit, default="1024")
DELTABOARD_AUDIT_DAYS: int = env.read("DELTABOARD_AUDIT_DAYS", read_limit, default="365")
DELTABOARD_SOCKETS: int = env.read("DELTABOARD_SOCKETS", read_positive, default="2000")
DELTABOARD_SOCKETS_PER_USER: int = env.read("DELTABOARD_SOCKETS_PER_USER", read_positive, default="100")
DELTABOARD_USAGE_SECONDS: int = env.read("DELTABOARD_USAGE_SECONDS", read_limit, default="30")
"""Seconds between two polls of the metrics API; 0: none."""
DELTABOARD_PROMETHEUS: str = env.read("DELTABOARD_PROMETHEUS", read_address, default="")
"""Address of a Prometheus that knows what containers used before a worker was started."""
DELTABOARD_PROMETHEUS_TOKEN: str = env.str("DELTABOARD_PROMETHEUS_TOKEN", default="")
if DELTABOARD_PROMETHEUS_TOKEN and not DELTABOARD_PROMETHEUS:
    raise ImproperlyConfigured(
        "DELTABOARD_PROMETHEUS_TOKEN has no effect without DELTABOARD_PROMETHEUS: name the address of a Prometheus"
    )
DELTABOARD_HISTORY: bool = env.bool("DELTABOARD_HISTORY", default=True)
"""Whether each version of what is followed is recorded (docs/history.md)."""
if DELTABOARD_SHARD != WHOLE and DELTABOARD_HISTORY:
    raise ImproperlyConfigured(
        f"DELTABOARD_SHARD={DELTABOARD_SHARD}: a worker of a shard does not record history. Set DELTABOARD_HISTORY=off "
        "for it, and start one more worker with manage.py informerd --record-only"
    )
DELTABOARD_HISTORY_KINDS: list[str] = env.list("DELTABOARD_HISTORY_KINDS", default=[])
"""Kinds that are recorded; those with a minus sign are not. Without a name that has none: all that are followed."""
DELTABOARD_HISTORY_SIZE: int = env.read("DELTABOARD_HISTORY_SIZE", read_limit, default="2048")
"""MiB; 0: no limit."""
DELTABOARD_HISTORY_AGE: int = env.read("DELTABOARD_HISTORY_AGE", read_limit, default="0")
"""Days; 0: no limit."""
DELTABOARD_TERMINAL_IDLE_MINUTES: int = env.read("DELTABOARD_TERMINAL_IDLE_MINUTES", read_positive, default="30")
"""Minutes in which nobody types, after which a terminal is closed."""
DELTABOARD_TERMINAL_CONTENTS: bool = env.bool("DELTABOARD_TERMINAL_CONTENTS", default=False)
"""Whether what is typed and shown in terminals is recorded in the audit log."""
if DELTABOARD_TERMINAL_CONTENTS and DELTABOARD_AUDIT == "off":
    raise ImproperlyConfigured(
        "DELTABOARD_TERMINAL_CONTENTS=on has no effect without the audit log: set DELTABOARD_AUDIT=on, or leave it out"
    )
DELTABOARD_DEBUG_IMAGE: str = env.str("DELTABOARD_DEBUG_IMAGE", default="busybox:1.37")
"""Image that the form for a debug container begins with."""
DELTABOARD_ON_DEMAND = OnDemandLimits(
    kinds=env.read("DELTABOARD_ON_DEMAND_KINDS", read_positive, default="100"),
    mebibytes=env.read("DELTABOARD_ON_DEMAND_MEMORY", read_positive, default="512"),
    kinds_per_user=env.read("DELTABOARD_ON_DEMAND_KINDS_PER_USER", read_positive, default="50"),
)
DELTABOARD_PORT: int = env.int("PORT", default=8000)
DELTABOARD_METRICS: str = env.read("DELTABOARD_METRICS", read_listen_address, default="")
"""Where a web process serves /metrics a second time, to whoever reaches it."""
DELTABOARD_TRACES: str = env.read(
    "DELTABOARD_TRACES", partial(read_address, example="http://collector:4318"), default=""
)
"""Collector of OpenTelemetry traces (docs/traces.md). Empty: there are none."""
if DELTABOARD_TRACES and not has_packages():
    raise ImproperlyConfigured(
        "DELTABOARD_TRACES needs packages that are not installed. "
        "Install them with: pip install 'deltaboard[traces]', or leave DELTABOARD_TRACES out"
    )
DELTABOARD_TRACES_RATIO: float = env.read("DELTABOARD_TRACES_RATIO", read_ratio, default="0.01")
"""Part of the deltas that is traced."""
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", default=[])
CSRF_COOKIE_NAME = "deltaboard_csrf"
CSRF_COOKIE_SAMESITE = "Strict"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SECURE: bool = env.bool("CSRF_COOKIE_SECURE", default=False) or (
    bool(CSRF_TRUSTED_ORIGINS) and all(origin.startswith("https://") for origin in CSRF_TRUSTED_ORIGINS)
)
"""For all cookies of ours, too: see dashboard.access.lasting_cookie."""
SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
SESSION_COOKIE_NAME, SESSION_COOKIE_PATH = (
    ("__Host-deltaboard_sign_in", "/") if CSRF_COOKIE_SECURE else ("deltaboard_sign_in", "/accounts/")
)
"""Of a sign-in that goes on. Browsers take a __Host- cookie from this very host alone: from another host of the domain,
somebody could have a person finish a sign-in that they began themselves.
"""
SESSION_COOKIE_AGE = 600
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE
"""Django's session holds what allauth must know while somebody signs in, at no other address and in no database. Who
has signed in has one of dashboard.access.sessions."""
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "manifest-src": [SELF],
        "require-trusted-types-for": ["'script'"],
        "trusted-types": ["deltaboard", "'allow-duplicates'"],  # each bundle has static/js/page/trusted_html.js
    }
}

# --- The application --------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "dashboard",
    "dashboard.access.sessions",
    "dashboard.pages.audit",
    "dashboard.pages.authors",
    "dashboard.pages.followed_kinds",
    "dashboard.pages.bulk",
    "dashboard.pages.drafts",
    "dashboard.pages.drains",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
]
if DELTABOARD_SIGN_IN == "oidc":
    INSTALLED_APPS += [
        "dashboard.pages.sign_in.app_configs.ContentTypesConfig",
        "dashboard.pages.sign_in.app_configs.AuthConfig",
        "dashboard.pages.sign_in.app_configs.AccountConfig",
        "dashboard.pages.sign_in.app_configs.SocialAccountConfig",
        "dashboard.pages.sign_in",
    ]
MIGRATION_MODULES: dict[str, str | None] = dict.fromkeys(("contenttypes", "auth", "account", "socialaccount"))
"""allauth needs these models to be loaded. They have no tables: nobody's account or token is stored."""
SOCIALACCOUNT_ADAPTER = "dashboard.pages.sign_in.allauth_adapter.IssuerAdapter"
SOCIALACCOUNT_LOGIN_ON_GET = True
SOCIALACCOUNT_STORE_TOKENS = False
MIDDLEWARE = [
    "dashboard.server.middleware.Security",
    "dashboard.server.middleware.ContentSecurityPolicy",
    "dashboard.server.static_files.StaticFiles",
    "dashboard.server.middleware.GZip",
    "dashboard.server.middleware.Common",
    "dashboard.server.middleware.LargeForms",
    "dashboard.server.middleware.Csrf",
    "django_htmx.middleware.HtmxMiddleware",
    "dashboard.server.moment_pages.MomentPages",
    "dashboard.server.middleware.NestingRefusal",
    "dashboard.server.quota_refusal.QuotaRefusal",
]
SILENCED_SYSTEM_CHECKS = ["security.W001", "security.W002", "security.W003"]
"""`check --deploy` looks for Django's own names in MIDDLEWARE: ours are subclasses of its SecurityMiddleware and
CsrfViewMiddleware, and Security sends X-Frame-Options. tests/dashboard/server/test_middleware.py sees them at work."""
ROOT_URLCONF = "dashboard.urls"
ASGI_APPLICATION = "dashboard.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "dashboard.runtime.invisible_escaping_templates.VisibleTemplates",
        "NAME": "django",
        "DIRS": [project_files.TEMPLATES],
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]
DATABASES = {"default": env.database("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'deltaboard.sqlite3'}")}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["ENGINE"] = "dashboard.runtime.private_sqlite"
if DATABASES["default"]["ENGINE"].endswith("postgresql"):  # drafts are asked for in threads, which must not be held up
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 5)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

DELTABOARD_CHANNEL_PREFIX: str = env.str("DELTABOARD_CHANNEL_PREFIX", default="deltaboard")
CHANNEL_LAYERS: dict[str, dict[str, object]] = {
    "default": {
        "BACKEND": "dashboard.live.replication.redis_channel_layer.RedisChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL], "prefix": DELTABOARD_CHANNEL_PREFIX},
    }
    if REDIS_URL
    else {"BACKEND": "channels.layers.InMemoryChannelLayer", "CONFIG": {"capacity": 1000}}
}

DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * 1024 * 1024
"""Maximum bytes of a form: an edit sends its text of up to 3 MiB and the original; a longer text is still returned."""
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5000
"""Maximum inputs of a form: dashboard.pages.forms has 150 fields and the open sections, up to five inputs each."""

# --- How much one user may ask for: for each user / in all ------------------------------------------------------

DELTABOARD_LIMIT_CHECKS: Limits = env.read("DELTABOARD_LIMIT_CHECKS", read_limits, default="2/4")
DELTABOARD_LIMIT_FORMS: Limits = env.read("DELTABOARD_LIMIT_FORMS", read_limits, default="6/24")
DELTABOARD_LIMIT_EXPORTS: Limits = env.read("DELTABOARD_LIMIT_EXPORTS", read_limits, default="2/4")
DELTABOARD_LIMIT_PAGES: Limits = env.read("DELTABOARD_LIMIT_PAGES", read_limits, default="4/8")
DELTABOARD_LIMIT_VIEWS: Limits = env.read("DELTABOARD_LIMIT_VIEWS", read_limits, default="20/100")
DELTABOARD_LIMIT_TERMINALS: Limits = env.read("DELTABOARD_LIMIT_TERMINALS", read_limits, default="10/200")
DELTABOARD_LIMIT_BODIES: Limits = env.read("DELTABOARD_LIMIT_BODIES", read_limits, default="64/256")
DELTABOARD_MAX_BODY: int = env.int("DELTABOARD_MAX_BODY", default=20)

STATIC_URL = "/static/"
STATICFILES_DIRS = [project_files.STATIC]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "dashboard.server.static_urls.VersionedStorage"},
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

LANGUAGE_CODE = "en-gb"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

# --- A process that is stuck ------------------------------------------------------------------------------------

DELTABOARD_BLOCKED_SECONDS: int = env.read("DELTABOARD_BLOCKED_SECONDS", read_seconds, default="30")

# --- Logging: one line a change of state ------------------------------------------------------------------------

DELTABOARD_LOG_LEVEL: str = env.one_of("DELTABOARD_LOG_LEVEL", ("DEBUG", "INFO", "WARNING", "ERROR"), default="INFO")
DELTABOARD_LOG_FORMAT: str = env.one_of("DELTABOARD_LOG_FORMAT", ("plain", "json"), default="plain")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {
            "class": "dashboard.runtime.log_output.PlainFormatter",
            "format": "{asctime} {levelname:<7} {name}: {message}",
            "style": "{",
        },
        "json": {
            "()": "pythonjsonlogger.json.JsonFormatter",
            "fmt": ["levelname", "name", "message"],
            "style": "sequence",
            "timestamp": "time",
            "json_ensure_ascii": True,
            "rename_fields": {"levelname": "level", "name": "logger"},
        },
    },
    "filters": {
        "worth a line": {"()": "dashboard.runtime.log_output.RoutineFilter"},
        "context": {"()": "dashboard.runtime.log_context.ContextFilter"},
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": DELTABOARD_LOG_FORMAT,
            "filters": ["worth a line", "context"],
        }
    },
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "informerd": {"level": DELTABOARD_LOG_LEVEL},
        "dashboard": {"level": DELTABOARD_LOG_LEVEL},
        "django": {"level": "WARNING"},
        "channels_redis": {
            "level": "CRITICAL"
        },  # a trace a second while Redis is away; dashboard.live.replication.channel_layer says it once
        "daphne": {"level": "WARNING"},
        "mydemo-controller": {
            "level": "INFO" if DELTABOARD_LOG_LEVEL == "DEBUG" else "ERROR"
        },  # crddemo: some lines an object, as its program prints them
    },
}
