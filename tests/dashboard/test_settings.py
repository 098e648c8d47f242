"""Tests that docs/settings.md and dashboard/settings.py agree, and of the secret key."""

from __future__ import annotations

import ast
import json
import os
import re
import stat
import subprocess
from pathlib import Path

import pytest

from dashboard.runtime.secret_file import load_or_create_secret
from tests.support.program import ROOT, run_program

SETTINGS = ROOT / "dashboard" / "settings.py"
TABLE_ROW = re.compile(r"^\| `(?P<name>[A-Z_]+)` \| (?P<default>[^|]+) \|", re.MULTILINE)


def documented() -> dict[str, str]:
    """Variables of the first table with their default as it is written there."""
    text = (ROOT / "docs" / "settings.md").read_text().partition("\n## ")[0]
    return {row["name"]: row["default"].strip() for row in TABLE_ROW.finditer(text)}


def read_by_settings() -> dict[str, ast.expr]:
    """Variables that settings.py reads with the expression of their default."""
    found: dict[str, ast.expr] = {}
    for node in ast.walk(ast.parse(SETTINGS.read_text())):
        if isinstance(node, ast.Call) and re.fullmatch(r"env\.\w+", ast.unparse(node.func)):
            name = node.args[0]
            assert isinstance(name, ast.Constant)
            found[str(name.value)] = next(each.value for each in node.keywords if each.arg == "default")
    return found


def shown(default: object) -> str:
    if isinstance(default, bool):
        return f"`{'on' if default else 'off'}`"
    if isinstance(default, list):
        default = ",".join(default)
    return f"`{default}`" if default != "" else "empty"


def run_settings(code: str, **env: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in documented()}
    program = f"import dashboard.settings as settings; {code}"
    return run_program("-c", program, env={**kept, **env})


def test_the_table_names_the_variables_that_are_read_and_no_others() -> None:
    assert set(documented()) == set(read_by_settings())


def test_the_table_names_the_defaults() -> None:
    table = documented()
    for name, default in read_by_settings().items():
        if name in {"SECRET_KEY", "DATABASE_URL", "DELTABOARD_VAR", "DELTABOARD_CONTROLLERS"}:
            continue  # made from VAR_DIR, see below, or chosen with the cluster
        assert table[name] == shown(ast.literal_eval(default)), name


@pytest.mark.program
def test_what_is_kept_is_kept_in_the_var_folder(tmp_path: Path) -> None:
    code = "print(settings.SECRET_KEY, settings.DATABASES['default']['NAME'])"
    first = run_settings(code, DELTABOARD_VAR=str(tmp_path / "deep" / "var"))
    second = run_settings(code, DELTABOARD_VAR=str(tmp_path / "deep" / "var"))
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    key, database = first.stdout.split()
    assert len(key) >= 50
    assert database == str(tmp_path / "deep" / "var" / "deltaboard.sqlite3")


@pytest.mark.program
@pytest.mark.parametrize(
    ("secure", "cookie"), [("on", "__Host-deltaboard_sign_in /"), ("off", "deltaboard_sign_in /accounts/")]
)
def test_over_https_browsers_bind_the_cookie_of_a_sign_in_to_the_host(tmp_path: Path, secure: str, cookie: str) -> None:
    code = "print(settings.SESSION_COOKIE_NAME, settings.SESSION_COOKIE_PATH)"
    assert run_settings(code, DELTABOARD_VAR=str(tmp_path), CSRF_COOKIE_SECURE=secure).stdout.strip() == cookie


@pytest.mark.program
def test_without_any_variable_nothing_is_exposed(tmp_path: Path) -> None:
    shown_settings = run_settings(
        "print(settings.DEBUG, settings.ALLOWED_HOSTS, settings.CHANNEL_LAYERS['default']['BACKEND'])",
        DELTABOARD_VAR=str(tmp_path),
    )
    assert shown_settings.stdout.strip() == (
        "False ['localhost', '127.0.0.1', '[::1]'] channels.layers.InMemoryChannelLayer"
    )


@pytest.mark.program
def test_the_production_form_needs_a_secret_key_of_its_own(tmp_path: Path) -> None:
    environ = {"REDIS_URL": "redis://127.0.0.1:1", "DELTABOARD_VAR": str(tmp_path)}
    refused = run_settings("", **environ)
    assert refused.returncode != 0
    assert "SECRET_KEY must be set" in refused.stderr
    assert list(tmp_path.iterdir()) == []
    assert run_settings("", **environ, DEBUG="on").returncode == 0
    taken = run_settings("print(settings.SECRET_KEY)", **environ, SECRET_KEY="mine")
    assert taken.stdout.strip() == "mine"


@pytest.mark.program
@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PORT", "eighty", "PORT cannot be read: 'eighty' is not a whole number"),
        ("DELTABOARD_VAR", "/dev/null/var", "DELTABOARD_VAR: the secret key cannot be stored in /dev/null/var: "),
        ("DATABASE_URL", "oracle-of-delphi://user:hunter2@x", "DATABASE_URL is not a database address"),
        ("DATABASE_URL", "nonsense", "DATABASE_URL is not a database address"),
        ("DATABASE_URL", "postgres://user:hunter2@host:port/name", "DATABASE_URL is not a database address"),
        ("DEMO_PODS", "many", "DEMO_PODS cannot be read: 'many' is not a whole number from 1 to 50000"),
        ("DEMO_PODS", "0", "DEMO_PODS cannot be read: '0' is not a whole number from 1 to 50000"),
        ("DEMO_RATE", "nan", "DEMO_RATE cannot be read: 'nan' is not a number of changes a second from 0 to 1000"),
        ("DELTABOARD_SOCKETS", "0", "DELTABOARD_SOCKETS cannot be read: '0' is not a whole number from 1"),
        ("DELTABOARD_SOCKETS_PER_USER", "ten", "DELTABOARD_SOCKETS_PER_USER cannot be read: 'ten' is not a whole"),
        (
            "DELTABOARD_HEALTH",
            "/dev/null/x.yaml",
            "DELTABOARD_HEALTH: /dev/null/x.yaml cannot be read: Not a directory",
        ),
        ("DEMO_SEED", "x", "DEMO_SEED cannot be read: 'x' is not a whole number"),
        ("DEBUG", "enable", "DEBUG cannot be read: 'enable' is neither on nor off"),
        ("DELTABOARD_TOKEN", "secret", "DELTABOARD_TOKEN cannot be read: 'secret' is neither on nor off"),
        (
            "DELTABOARD_TRUST_PROXY_USER",
            "X_User",
            "DELTABOARD_TRUST_PROXY_USER cannot be read: 'X_User' is not a header",
        ),
        ("DELTABOARD_TRUST_PROXY_PEERS", "proxy", "DELTABOARD_TRUST_PROXY_PEERS cannot be read: 'proxy' does not"),
        ("DELTABOARD_TRUST_PROXY_SECRET", "hunter2", "DELTABOARD_TRUST_PROXY_SECRET has no effect without"),
        ("DELTABOARD_TRUST_PROXY_GROUPS", "X-Groups", "DELTABOARD_TRUST_PROXY_GROUPS has no effect without"),
        ("DELTABOARD_SIGN_IN", "proxy", "DELTABOARD_SIGN_IN=proxy has no effect without DELTABOARD_TRUST_PROXY_USER"),
        ("DELTABOARD_SIGN_IN", "ldap", "DELTABOARD_SIGN_IN is 'ldap', but must be one of token, proxy, oidc"),
        (
            "DELTABOARD_SIGN_IN",
            "oidc",
            "DELTABOARD_SIGN_IN=oidc has no effect without DELTABOARD_OIDC: name a YAML file",
        ),
        ("DELTABOARD_OIDC", "/dev/null/x", "DELTABOARD_OIDC cannot be read: /dev/null/x: cannot be read: Not a direct"),
        ("DELTABOARD_OIDC", "/none.yaml", "DELTABOARD_OIDC cannot be read: there is no file /none.yaml: write one"),
        ("DELTABOARD_OIDC", "/dev/null", "DELTABOARD_OIDC cannot be read: /dev/null: the file is empty: list issuers"),
        ("DELTABOARD_SESSION_HOURS", "0", "DELTABOARD_SESSION_HOURS cannot be read: '0' is not a whole number from 1"),
        ("DELTABOARD_SESSION_IDLE_HOURS", "x", "DELTABOARD_SESSION_IDLE_HOURS cannot be read: 'x' is not a whole"),
        ("DELTABOARD_RIGHTS", "person", "DELTABOARD_RIGHTS=person has no effect with DELTABOARD_SIGN_IN=token"),
        ("DELTABOARD_AUDIT", "maybe", "DELTABOARD_AUDIT is 'maybe', but must be one of off, on, stdout"),
        ("DELTABOARD_AUDIT_KEY", "hunter2", "DELTABOARD_AUDIT_KEY has a key of fewer than 32 characters"),
        ("DELTABOARD_AUDIT_DAYS", "-1", "DELTABOARD_AUDIT_DAYS cannot be read: '-1' is not a whole number from 1, nor"),
        ("DELTABOARD_AUDIT_MEGABYTES", "1 GB", "DELTABOARD_AUDIT_MEGABYTES cannot be read: '1 GB' is not a whole"),
        (
            "DELTABOARD_NAMESPACES",
            "team-a,Team_B",
            "DELTABOARD_NAMESPACES cannot be read: 'Team_B' is no name of a namespace. Write names of",
        ),
        ("DELTABOARD_SHARD", "4/3", "DELTABOARD_SHARD cannot be read: '4/3' is no shard. Write 1/3 for the first of"),
        ("DELTABOARD_SHARD", "1/3", "DELTABOARD_SHARD=1/3 is one of several workers', which need Redis: set REDIS_URL"),
        ("CSRF_COOKIE_SECURE", "2", "CSRF_COOKIE_SECURE cannot be read: '2' is neither on nor off"),
        ("DELTABOARD_CLUSTER", "prod", "DELTABOARD_CLUSTER is 'prod', but must be one of demo"),
        ("DELTABOARD_CLUSTER_COLOUR", "pink", "DELTABOARD_CLUSTER_COLOUR is 'pink', but must be one of red, "),
        ("DELTABOARD_READ_ONLY", "yess", "DELTABOARD_READ_ONLY cannot be read: 'yess' is neither on nor off"),
        ("DELTABOARD_PRODUCTION", "on,live", "DELTABOARD_PRODUCTION cannot be read: 'on' cannot stand among names"),
        (
            "DELTABOARD_TRACES",
            "collector:4318",
            "DELTABOARD_TRACES cannot be read: 'collector:4318' is not an address such as http://collector:4318",
        ),
        ("DELTABOARD_TRACES_RATIO", "1%", "DELTABOARD_TRACES_RATIO cannot be read: '1%' is not a number from 0 to 1"),
        ("DELTABOARD_LOG_FORMAT", "xml", "DELTABOARD_LOG_FORMAT is 'xml', but must be one of plain, json"),
        ("DELTABOARD_LOG_LEVEL", "loud", "DELTABOARD_LOG_LEVEL is 'loud', but must be one of DEBUG, "),
    ],
)
def test_a_value_that_means_nothing_is_one_line_that_names_its_variable(
    tmp_path: Path, name: str, value: str, said: str
) -> None:
    environ = {**os.environ, "DELTABOARD_VAR": str(tmp_path), name: value}
    answer = run_program("manage.py", "deltaboard", env=environ)
    assert answer.returncode == 1
    assert answer.stderr.startswith(said)
    assert len(answer.stderr.splitlines()) == 1
    assert "hunter2" not in answer.stderr


@pytest.mark.program
def test_issuers_are_the_sign_in_and_no_other_beside_them(tmp_path: Path) -> None:
    issuers = tmp_path / "issuers.yaml"
    issuers.write_text("issuers: [{name: main, issuer: 'https://idp.example', client_id: deltaboard}]")
    environ = {"DELTABOARD_VAR": str(tmp_path), "DELTABOARD_OIDC": str(issuers)}
    is_there = "'AccountConfig' in str(settings.INSTALLED_APPS)"
    code = f"print(settings.DELTABOARD_SIGN_IN, settings.DELTABOARD_RIGHTS, {is_there})"
    assert run_settings(code, **environ).stdout == "oidc person True\n"
    for other in ({"DELTABOARD_SIGN_IN": "token"}, {"DELTABOARD_TRUST_PROXY_USER": "X-User"}):
        assert "DELTABOARD_OIDC has no effect with DELTABOARD_SIGN_IN=" in run_settings("", **environ, **other).stderr


@pytest.mark.program
def test_lines_of_the_log_are_json_where_that_is_asked_for(tmp_path: Path) -> None:
    code = (
        "import logging.config; logging.config.dictConfig(settings.LOGGING); "
        "logging.getLogger('informerd.cache.health').warning('%s → stale', 'pods', extra={'resource': 'pods'})"
    )
    written = run_settings(code, DELTABOARD_VAR=str(tmp_path), DELTABOARD_LOG_FORMAT="json").stderr
    line = json.loads(written)
    assert line.pop("time")
    message = "pods → stale"
    assert line == {"level": "WARNING", "logger": "informerd.cache.health", "message": message, "resource": "pods"}
    plain = run_settings(code, DELTABOARD_VAR=str(tmp_path)).stderr
    assert plain.endswith("WARNING informerd.cache.health: pods → stale\n")


@pytest.mark.program
def test_the_namespaces_are_sorted_and_named_once(tmp_path: Path) -> None:
    answer = run_settings(
        "print(settings.DELTABOARD_NAMESPACES)", DELTABOARD_VAR=str(tmp_path), DELTABOARD_NAMESPACES=" b , a,,b "
    )
    assert answer.stdout.strip() == "('a', 'b')"


@pytest.mark.program
def test_a_terminal_obeys_nothing_in_a_line_of_json(tmp_path: Path) -> None:
    code = (
        "import logging.config; logging.config.dictConfig(settings.LOGGING); "
        r"logging.getLogger('dashboard').warning('denied: %s', '\x9b\x7f\u2028\u202e')"
    )
    written = run_settings(code, DELTABOARD_VAR=str(tmp_path), DELTABOARD_LOG_FORMAT="json").stderr
    assert r'"message": "denied: \u009b\u007f\u2028\u202e"' in written


@pytest.mark.program
@pytest.mark.parametrize("value", ["$ecret", "$HOME", "a$HOME", r"\$x", "$$"])
def test_a_dollar_sign_is_a_dollar_sign(tmp_path: Path, value: str) -> None:
    environ = {"REDIS_URL": "redis://127.0.0.1:1", "DELTABOARD_VAR": str(tmp_path), "ecret": "another"}
    taken = run_settings("print(settings.SECRET_KEY)", **environ, SECRET_KEY=value)
    assert taken.stdout.strip() == value


@pytest.mark.program
def test_spaces_around_values_do_not_count(tmp_path: Path) -> None:
    code = "print(settings.ALLOWED_HOSTS, settings.DELTABOARD_KINDS, repr(settings.DELTABOARD_TRUST_PROXY_USER))"
    environ = {"ALLOWED_HOSTS": " a.example, b.example ,", "DELTABOARD_KINDS": "pods ,nodes"}
    taken = run_settings(code, DELTABOARD_VAR=str(tmp_path), DELTABOARD_TRUST_PROXY_USER=" ", **environ)
    assert taken.stdout.strip() == "['a.example', 'b.example'] ['pods', 'nodes'] ''"


@pytest.mark.program
@pytest.mark.parametrize(
    ("value", "on"),
    [
        ("on", True),
        (" True ", True),
        ("YES", True),
        ("1", True),
        ("off", False),
        ("no", False),
        ("0", False),
        ("", False),
    ],
)
def test_a_switch_is_on_or_off(tmp_path: Path, value: str, on: bool) -> None:
    taken = run_settings("print(settings.DEBUG)", DELTABOARD_VAR=str(tmp_path), DEBUG=value)
    assert taken.stdout.strip() == str(on), taken.stderr


@pytest.mark.program
@pytest.mark.parametrize("command", ["deltaboard", "informerd"])
def test_controllers_do_not_start_where_nothing_may_be_written(tmp_path: Path, command: str) -> None:
    environ = {**os.environ, "DELTABOARD_VAR": str(tmp_path), "DELTABOARD_READ_ONLY": "on"}
    answer = run_program("manage.py", command, env={**environ, "DELTABOARD_CONTROLLERS": "crddemo"})
    assert answer.returncode == 1
    assert answer.stderr.startswith("DELTABOARD_CONTROLLERS=crddemo cannot run with DELTABOARD_READ_ONLY=on, because")
    assert answer.stderr.endswith("leave one of them out\n")
    assert len(answer.stderr.splitlines()) == 1
    code = "print(settings.DELTABOARD_READ_ONLY, settings.DELTABOARD_CONTROLLERS)"
    none = run_settings(code, DELTABOARD_VAR=str(tmp_path), DELTABOARD_READ_ONLY="on", DELTABOARD_CONTROLLERS="")
    assert none.stdout.strip() == "True []", none.stderr


@pytest.mark.program
def test_production_settings_pass_djangos_deployment_check(tmp_path: Path) -> None:
    environ = {
        **os.environ,
        "DELTABOARD_VAR": str(tmp_path),
        "REDIS_URL": "redis://127.0.0.1:1",
        "SECRET_KEY": "".join(chr(ord("!") + number) for number in range(60)),
        "ALLOWED_HOSTS": "deltaboard.example.com",
        "CSRF_TRUSTED_ORIGINS": "https://deltaboard.example.com",
    }
    checked = run_program("manage.py", "check", "--deploy", "--fail-level", "WARNING", env=environ)
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.startswith("System check identified no issues")


@pytest.mark.program
def test_manage_says_what_is_missing_in_one_line(tmp_path: Path) -> None:
    environ = {**os.environ, "REDIS_URL": "redis://127.0.0.1:1", "DELTABOARD_VAR": str(tmp_path), "SECRET_KEY": ""}
    answer = run_program("manage.py", "informerd", env=environ)
    assert answer.returncode == 1
    assert answer.stderr.startswith("SECRET_KEY must be set")
    assert len(answer.stderr.splitlines()) == 1


def test_the_kept_secret_is_readable_by_its_owner_only_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "secret_key"
    secret = load_or_create_secret(path)
    assert load_or_create_secret(path) == secret
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("found", ["", "   \n"])
def test_an_empty_secret_file_is_replaced(tmp_path: Path, found: str) -> None:
    path = tmp_path / "secret_key"
    path.write_text(found)
    path.chmod(0o600)
    secret = load_or_create_secret(path)
    assert len(secret) >= 50
    assert path.read_text() == secret


@pytest.mark.program
def test_a_secret_key_that_others_can_read_ends_the_start(tmp_path: Path) -> None:
    (tmp_path / "secret_key").write_text("x" * 60)
    (tmp_path / "secret_key").chmod(0o644)
    refused = run_settings("", DELTABOARD_VAR=str(tmp_path), SECRET_KEY="")
    assert refused.returncode != 0
    assert "can be read by other accounts of this machine" in refused.stderr


@pytest.mark.program
def test_a_feed_key_that_could_be_guessed_is_refused_and_not_repeated(tmp_path: Path) -> None:
    environ = {"DELTABOARD_VAR": str(tmp_path), "SECRET_KEY": "mine"}
    refused = run_settings("", **environ, DELTABOARD_FEED_KEY=f"{'a' * 32},too-short")
    assert refused.returncode != 0
    assert "DELTABOARD_FEED_KEY has a key of fewer than 32 characters" in refused.stderr
    assert "too-short" not in refused.stderr
    keys = ["a" * 32, "b" * 32]
    taken = run_settings("print(settings.DELTABOARD_FEED_KEY)", **environ, DELTABOARD_FEED_KEY=", ".join(keys))
    assert taken.stdout.strip() == str(keys)


@pytest.mark.program
@pytest.mark.parametrize(
    ("environ", "mode"),
    [
        ({}, "off"),
        ({"DELTABOARD_AUDIT": "on"}, "on"),
        ({"DELTABOARD_TRUST_PROXY_USER": "X-User"}, "on"),
        ({"DELTABOARD_TRUST_PROXY_USER": "X-User", "DELTABOARD_AUDIT": "stdout"}, "stdout"),
        ({"DELTABOARD_TRUST_PROXY_USER": "X-User", "DELTABOARD_AUDIT": "off"}, "off"),
    ],
)
def test_what_people_do_is_recorded_where_they_sign_in(tmp_path: Path, environ: dict[str, str], mode: str) -> None:
    answer = run_settings("print(settings.DELTABOARD_AUDIT)", **environ, DELTABOARD_VAR=str(tmp_path))
    assert answer.stdout.strip() == mode


@pytest.mark.program
@pytest.mark.parametrize("missing", ["opentelemetry", "opentelemetry.exporter"])
def test_traces_without_their_packages_end_the_start(tmp_path: Path, missing: str) -> None:
    without = f"import sys; sys.modules['{missing}'] = None; import runpy; sys.argv = ['manage.py', 'deltaboard']; "
    environ = {**os.environ, "DELTABOARD_VAR": str(tmp_path), "DELTABOARD_TRACES": "http://127.0.0.1:1"}
    answer = run_program("-c", without + "runpy.run_path('manage.py', run_name='__main__')", env=environ)
    assert answer.returncode == 1
    assert answer.stderr == (
        "DELTABOARD_TRACES needs packages that are not installed. "
        "Install them with: pip install 'deltaboard[traces]', or leave DELTABOARD_TRACES out\n"
    )
