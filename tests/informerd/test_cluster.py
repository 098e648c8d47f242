"""Which cluster is chosen, and what a kubeconfig that cannot be used is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from informerd.cluster import ClusterConfig, Impersonation, load_cluster, load_kubeconfig
from informerd.errors import ConfigError

PEM = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t"  # -----BEGIN CERTIFICATE-----


def kubeconfig(
    path: Path,
    name: str = "prod",
    *,
    cluster: str = "",
    user: str = "token: t",
    context: str = "",
    current: bool = True,
) -> Path:
    """Write a kubeconfig with one context; `cluster`, `user` and `context` are lines added to each part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "\n".join(
            [
                "apiVersion: v1",
                "kind: Config",
                f"current-context: {name}" if current else "preferences: {}",
                "contexts:",
                f"- name: {name}",
                f"  context: {{cluster: {name}, user: {name}-admin{context}}}",
                "clusters:",
                f"- name: {name}",
                "  cluster:",
                f"    server: https://{name}.example:6443",
                *(f"    {line}" for line in cluster.splitlines()),
                "users:",
                f"- name: {name}-admin",
                "  user:",
                *(f"    {line}" for line in user.splitlines()),
            ]
        )
        + "\n"
    )
    return path


def load(home: Path, context: str | None = None, **environ: str) -> ClusterConfig | None:
    return load_cluster(environ=environ, home=home, context=context, in_cluster_dir=home / "serviceaccount")


def refused(path: Path, context: str | None = None) -> str:
    with pytest.raises(ConfigError) as error:
        load_kubeconfig(path, context)
    return str(error.value)


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


def test_then_none(tmp_path: Path) -> None:
    assert load(tmp_path) is None


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


# Broken files


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("clusters: [\n", "line 2, column 1: invalid YAML"),
        ("apiVersion: v1\n  kind: Config\n", "line 2, column 7: invalid YAML: mapping values are not allowed here"),
        ("a: 1\n\tb: 2\n", "line 2, column 1: invalid YAML"),
        ("- a\n- b\n", "line 1, column 1: this is a list, where a mapping is expected"),
        ("just words\n", "line 1, column 1: this is text, where a mapping is expected"),
        ("kind: Pod\n", "line 1, column 7: kind is Pod, not Config: this is no kubeconfig"),
        ("contexts: prod\n", "line 1, column 11: contexts must be a list, not text"),
        ("contexts:\n- prod\n", "line 2, column 3: contexts[0] must be a mapping, not text"),
        ("contexts:\n- context: {}\n", "line 2, column 3: contexts[0].name is missing"),
        ("contexts:\n- name: 12\n", "line 2, column 9: contexts[0].name must be text, not a number; put it in quotes"),
        ("current-context: true\n", "line 1, column 18: current-context must be text, not true; put it in quotes"),
        ("users: []\nusers: []\n", "line 2, column 1: users stands here twice"),
        ("a: *nothing\n", "line 1, column 4: invalid YAML: found undefined alias 'nothing'"),
    ],
)
def test_a_broken_file_is_shown_with_line_and_column(tmp_path: Path, content: str, expected: str) -> None:
    path = tmp_path / "config"
    path.write_text(content)
    assert refused(path).startswith(f"{path}, {expected}")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_bytes(b"a: 1\nb: \xff\xfe\n")
    assert refused(path) == f"{path}, line 2, column 1: this is not UTF-8 text"
    path.write_bytes(b"a: 1\nb: 1\x00\n")
    assert refused(path).startswith(f"{path}, line 2, column 1: invalid YAML")


def test_a_folder_in_place_of_a_file(tmp_path: Path) -> None:
    assert refused(tmp_path) == f"{tmp_path}: cannot be read: Is a directory"


@pytest.mark.parametrize(
    ("lines", "place", "expected"),
    [
        (
            "insecure-skip-tls-verify: maybe",
            "11, column 31",
            "insecure-skip-tls-verify must be true or false, not text",
        ),
        ("certificate-authority-data: '%%%'", "11, column 33", "certificate-authority-data is not base64"),
        ("certificate-authority-data: aGVsbG8=", "11, column 33", "certificate-authority-data holds no PEM text"),
        ("certificate-authority: missing.pem", "11, column 28", "certificate-authority names"),
        (
            f"certificate-authority-data: {PEM}\ninsecure-skip-tls-verify: true",
            "12, column 31",
            "insecure-skip-tls-verify cannot be true beside a certificate-authority",
        ),
        ("proxy-url: socks5://127.0.0.1:1080", "11, column 16", "proxy-url must begin with http:// or https://"),
    ],
)
def test_a_cluster_that_cannot_be_honoured_is_refused(tmp_path: Path, lines: str, place: str, expected: str) -> None:
    path = kubeconfig(tmp_path / "config", cluster=lines)
    assert refused(path).startswith(f"{path}, line {place}: clusters[0].cluster.{expected}")


@pytest.mark.parametrize(
    ("lines", "place", "expected"),
    [
        (f"client-certificate-data: {PEM}", "14, column 5", ".client-key is missing beside"),
        (f"client-key-data: {PEM}", "14, column 5", ".client-certificate is missing beside"),
        ("token: t\nusername: u\npassword: p", "14, column 5", " has more than one credential: token, password"),
        ("auth-provider: {name: gcp}", "14, column 20", ".auth-provider is no longer supported"),
        ("as-groups: [admins]", "14, column 16", ".as-groups needs a user to act as"),
        ("as: jane\nas-groups: admins", "15, column 16", ".as-groups must be a list, not text"),
        ("exec: {apiVersion: client.authentication.k8s.io/v1}", "14, column 11", ".exec.command is missing"),
        ("exec: {command: x, apiVersion: v1}", "14, column 36", ".exec.apiVersion must be client.authentication"),
        (
            "exec: {command: x, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Sometimes}",
            "14, column 86",
            ".exec.interactiveMode must be Never, IfAvailable or Always",
        ),
        (
            "exec: {command: x, apiVersion: client.authentication.k8s.io/v1, args: [1]}",
            "14, column 76",
            ".exec.args[0] must be text, not a number",
        ),
    ],
)
def test_a_user_that_cannot_be_honoured_is_refused(tmp_path: Path, lines: str, place: str, expected: str) -> None:
    path = kubeconfig(tmp_path / "config", user=lines)
    assert refused(path).startswith(f"{path}, line {place}: users[0].user{expected}")


@pytest.mark.parametrize(
    ("server", "expected"),
    [
        ("''", "is missing"),
        ("prod.example:6443", "must begin with https:// or http:// and name a host"),
        ("https://", "must begin with https:// or http:// and name a host"),
        ("https://prod:port", "is no address"),
        ("https://me:secret@prod", "must not hold a user name"),
    ],
)
def test_a_server_that_is_no_address(tmp_path: Path, server: str, expected: str) -> None:
    path = kubeconfig(tmp_path / "config")
    path.write_text(path.read_text().replace("https://prod.example:6443", server))
    assert refused(path).startswith(f"{path}, line 10, column 13: clusters[0].cluster.server {expected}")


# What is honoured


def test_paths_are_relative_to_the_file_that_names_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "conf"
    path = kubeconfig(
        folder / "config",
        cluster="certificate-authority: ca.pem",
        user="client-certificate: ../c.pem\nclient-key: k.pem\ntokenFile: token",
    )
    for name in ("conf/ca.pem", "c.pem", "conf/k.pem"):
        (tmp_path / name).write_text("pem")
    monkeypatch.chdir(tmp_path)
    config = load_kubeconfig(path.relative_to(tmp_path))
    assert config.tls.ca_file == folder / "ca.pem"
    assert config.tls.cert_file == folder / "../c.pem"
    assert config.tls.key_file == folder / "k.pem"
    assert config.credentials.token_file == folder / "token"
    assert config.user == "prod-admin (client certificate and token)"


def test_everything_about_the_connection_is_read(tmp_path: Path) -> None:
    path = kubeconfig(
        tmp_path / "config",
        cluster=f"certificate-authority-data: {PEM}\ntls-server-name: other\nproxy-url: http://u:p@proxy:3128",
    )
    config = load_kubeconfig(path)
    assert config.tls.ca_data == b"-----BEGIN CERTIFICATE-----"
    assert (config.tls.server_name, config.proxy) == ("other", "http://u:p@proxy:3128")


def test_impersonation_is_read(tmp_path: Path) -> None:
    user = "token: t\nas: jane\nas-uid: '7'\nas-groups: [a, b]\nas-user-extra: {scopes: [view, 'do/it']}"
    config = load_kubeconfig(kubeconfig(tmp_path / "config", user=user))
    assert config.credentials.impersonation == Impersonation(
        user="jane", groups=("a", "b"), uid="7", extra=(("scopes", ("view", "do/it")),)
    )
    assert config.user == "prod-admin (token), acting as jane"


def test_a_plugin_is_read_with_its_environment(tmp_path: Path) -> None:
    user = (
        "exec:\n  apiVersion: client.authentication.k8s.io/v1\n  command: ./bin/login\n  args: [get, token]\n"
        "  env: [{name: PROFILE, value: prod}]\n  installHint: get it\n  provideClusterInfo: true"
    )
    path = kubeconfig(tmp_path / "config", user=user)
    plugin = load_kubeconfig(path, environ={"HOME": "/h"}).credentials.plugin
    assert plugin is not None
    assert (plugin.command, plugin.args) == (str(tmp_path / "bin/login"), ("get", "token"))
    assert (plugin.env, plugin.environ) == ((("PROFILE", "prod"),), {"HOME": "/h"})
    assert (plugin.install_hint, plugin.provide_cluster_info, plugin.interactive) == ("get it", True, False)


def test_json_and_merge_keys_are_yaml_too(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(
        '{"current-context": "a", "contexts": [{"name": "a", "context": {"cluster": "c"}}],'
        ' "clusters": [{"name": "c", "cluster": {"server": "http://h/k8s/clusters/c-1/"}}]}'
    )
    config = load_kubeconfig(path)
    assert (config.server, config.user) == ("http://h/k8s/clusters/c-1", "anonymous")
    path.write_text(
        "base: &base {server: 'https://one', tls-server-name: n}\ncurrent-context: a\ncontexts:\n"
        "- {name: a, context: {cluster: c}}\nclusters:\n- {name: c, cluster: {<<: *base, server: 'https://two'}}\n"
    )
    config = load_kubeconfig(path)
    assert (config.server, config.tls.server_name) == ("https://two", "n")


def test_secrets_stay_out_of_repr(tmp_path: Path) -> None:
    path = kubeconfig(
        tmp_path / "config", user="username: u\npassword: hidden-1", cluster="proxy-url: http://u:hidden-2@p"
    )
    assert "hidden" not in repr(load_kubeconfig(path))


def test_the_environments_proxy_serves_where_the_file_names_none(tmp_path: Path) -> None:
    environ = {"HTTPS_PROXY": "proxy:3128", "NO_PROXY": "other.example"}
    path = kubeconfig(tmp_path / "config")
    assert load_kubeconfig(path, environ=environ).proxy == "http://proxy:3128"
    assert load_kubeconfig(path).proxy == ""
    named = kubeconfig(tmp_path / "named", cluster="proxy-url: http://named:1")
    assert load_kubeconfig(named, environ={**environ, "NO_PROXY": "*"}).proxy == "http://named:1"
