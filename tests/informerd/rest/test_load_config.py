"""Tests of the choice of the cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from informerd.errors import ConfigError
from informerd.rest.load_config import ClusterConfig, current_cluster, load_cluster, load_kubeconfig
from tests.support.informerd.kubeconfigs import kubeconfig, refused


def load(home: Path, context: str | None = None, **environ: str) -> ClusterConfig | None:
    return load_cluster(environ=environ, home=home, context=context, in_cluster_dir=home / "serviceaccount")


# Which one


def test_kubeconfig_of_the_environment_comes_before_the_one_at_home(tmp_path: Path) -> None:
    kubeconfig(tmp_path / ".kube" / "config", "home")
    named = kubeconfig(tmp_path / "named", "prod")
    config = load(tmp_path, KUBECONFIG=str(named))
    assert config is not None
    assert (config.name, config.server) == ("prod", "https://prod.example:6443")
    assert config.why == f"KUBECONFIG={named}, current context prod"


def test_the_one_at_home_comes_next(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / ".kube" / "config", "home", context=", namespace: team-1")
    config = load(tmp_path, KUBERNETES_SERVICE_HOST="10.0.0.1", KUBERNETES_SERVICE_PORT="443")
    assert config is not None
    assert (config.name, config.namespace, config.user) == ("home", "team-1", "home-admin (token)")
    assert config.why == f"{path}, current context home"


@pytest.mark.parametrize("content", ["", "# nothing\n", "apiVersion: v1\nkind: Config\n", "contexts: null\n"])
def test_an_empty_one_at_home_is_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").write_text(content)
    assert load(tmp_path) is None


def test_then_the_pod_this_runs_in(tmp_path: Path) -> None:
    account = tmp_path / "serviceaccount"
    account.mkdir()
    for name, content in (("token", "abc\n"), ("ca.crt", "pem"), ("namespace", "deltaboard\n")):
        (account / name).write_text(content)
    proxy = "http://proxy:3128"
    config = load(tmp_path, KUBERNETES_SERVICE_HOST="fd00::1", KUBERNETES_SERVICE_PORT="443", HTTPS_PROXY=proxy)
    assert config is not None
    assert (config.name, config.server, config.namespace) == ("in-cluster", "https://[fd00::1]:443", "deltaboard")
    assert config.credentials.token_file == account / "token"
    assert config.tls.ca_file == account / "ca.crt"
    assert config.proxy == proxy


def test_a_pod_without_a_token_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no service account token"):
        load(tmp_path, KUBERNETES_SERVICE_HOST="10.0.0.1", KUBERNETES_SERVICE_PORT="443")


def test_a_service_account_that_cannot_be_read_is_a_config_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = tmp_path / "serviceaccount"
    account.mkdir()
    (account / "token").write_text("abc")
    (account / "namespace").write_bytes(b"\xff")
    with pytest.raises(ConfigError, match="namespace: cannot be read"):
        load(tmp_path, KUBERNETES_SERVICE_HOST="10.0.0.1", KUBERNETES_SERVICE_PORT="443")

    def forbidden(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", forbidden)
    with pytest.raises(ConfigError, match="config: cannot be looked at: Permission denied"):
        load(tmp_path)


def test_then_none(tmp_path: Path) -> None:
    assert load(tmp_path) is None


def test_a_program_of_a_few_lines_takes_what_its_own_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigError, match="no cluster is configured: set KUBECONFIG"):
        current_cluster()
    kubeconfig(tmp_path / ".kube" / "config", "home")
    assert current_cluster().name == "home"
    other = kubeconfig(tmp_path / "other", "other")
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path / '.kube' / 'config'}:{other}")
    assert (current_cluster().name, current_cluster("other").name) == ("home", "other")


def test_kubeconfig_that_names_no_file_is_an_error_and_not_another_cluster(tmp_path: Path) -> None:
    kubeconfig(tmp_path / ".kube" / "config", "home")
    with pytest.raises(ConfigError, match=r"KUBECONFIG=/nowhere/config: no such file"):
        load(tmp_path, KUBECONFIG="/nowhere/config")


def test_an_empty_variable_is_as_none(tmp_path: Path) -> None:
    kubeconfig(tmp_path / ".kube" / "config", "home")
    config = load(tmp_path, KUBECONFIG="")
    assert config is not None
    assert config.name == "home"


# Contexts and merging


def test_of_several_files_the_first_wins_entry_by_entry(tmp_path: Path) -> None:
    first = kubeconfig(tmp_path / "1", "prod", user="token: first", current=False)
    second = kubeconfig(tmp_path / "2", "prod", user="token: second\nas: jane")
    third = kubeconfig(tmp_path / "3", "other")
    config = load(tmp_path, KUBECONFIG=f"{first}:{second}:{tmp_path / 'missing'}:{third}")
    assert config is not None
    assert (config.name, config.credentials.token, config.credentials.impersonation) == ("prod", "first", None)
    other = load(tmp_path, "other", KUBECONFIG=f"{first}:{second}:{third}")
    assert other is not None
    assert (other.name, other.why.rpartition(", ")[2]) == ("other", "context other")


def test_an_unknown_context_is_told_which_there_are(tmp_path: Path) -> None:
    paths = f"{kubeconfig(tmp_path / '1', 'prod')}:{kubeconfig(tmp_path / '2', 'test')}"
    with pytest.raises(ConfigError, match="there is no context 'dev'; there are: prod, test"):
        load(tmp_path, "dev", KUBECONFIG=paths)


def test_a_context_without_any_kubeconfig_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no context 'dev'"):
        load(tmp_path, "dev")


def test_no_current_context_asks_for_one(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "config", "prod", current=False)
    assert "choose one with --context: prod" in refused(path)


def test_a_current_context_that_does_not_exist(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "config", "prod")
    path.write_text(path.read_text().replace("current-context: prod", "current-context: gone"))
    assert refused(path) == f"{path}: current-context 'gone' does not exist; there are: prod"


@pytest.mark.parametrize(("key", "column"), [("cluster", 22), ("user", 34)])
def test_a_context_that_names_what_does_not_exist_is_shown_where(tmp_path: Path, key: str, column: int) -> None:
    path = kubeconfig(tmp_path / "config", "prod")
    old = "{cluster: prod, user: prod-admin}"
    new = {"cluster": "{cluster: gone, user: prod-admin}", "user": "{cluster: prod, user: gone}"}[key]
    path.write_text(path.read_text().replace(old, new))
    there = {"cluster": "prod", "user": "prod-admin"}[key]
    assert refused(path) == (
        f"{path}, line 6, column {column}: contexts[0].context.{key} names 'gone', which does not exist; "
        f"there are: {there}"
    )


def test_a_kubeconfigs_path_may_be_text(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "config")
    assert load_kubeconfig(str(path)) == load_kubeconfig(path)
