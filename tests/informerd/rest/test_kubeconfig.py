"""Tests of kubeconfig files: each setting is honoured, or refused with its position."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from informerd.errors import ConfigError
from informerd.rest.load_config import Impersonation, load_kubeconfig
from tests.support.informerd.kubeconfigs import kubeconfig, refused

PEM = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t"  # -----BEGIN CERTIFICATE-----


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("clusters: [\n", "line 2, column 1: invalid YAML"),
        ("apiVersion: v1\n  kind: Config\n", "line 2, column 7: invalid YAML: mapping values are not allowed here"),
        ("a: 1\n\tb: 2\n", "line 2, column 1: invalid YAML"),
        ("- a\n- b\n", "line 1, column 1: this is a list, where a mapping is expected"),
        ("just words\n", "line 1, column 1: this is text, where a mapping is expected"),
        ("kind: Pod\n", "line 1, column 7: kind is Pod, not Config: this is not a kubeconfig"),
        ("contexts: prod\n", "line 1, column 11: contexts must be a list, not text"),
        ("contexts:\n- prod\n", "line 2, column 3: contexts[0] must be a mapping, not text"),
        ("contexts:\n- context: {}\n", "line 2, column 3: contexts[0].name is missing"),
        ("contexts:\n- name: 12\n", "line 2, column 9: contexts[0].name must be text, not a number; put it in quotes"),
        ("current-context: true\n", "line 1, column 18: current-context must be text, not true; put it in quotes"),
        ("users: []\nusers: []\n", "line 2, column 1: users appears twice"),
        ("a: *nothing\n", "line 1, column 4: invalid YAML: found undefined alias 'nothing'"),
    ],
)
def test_a_broken_file_is_shown_with_line_and_column(tmp_path: Path, content: str, expected: str) -> None:
    path = tmp_path / "config"
    path.write_text(content)
    assert refused(path).startswith(f"{path}, {expected}")


def test_the_trace_of_a_broken_file_ends_with_ours_and_shows_nothing_of_the_parser(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text("clusters: [\n")
    with pytest.raises(ConfigError) as caught:
        load_kubeconfig(path)
    assert "ruamel" not in "".join(traceback.format_exception(caught.value))


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
            "insecure-skip-tls-verify cannot be true together with a certificate-authority",
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
        (f"client-certificate-data: {PEM}", "14, column 5", ".client-key is missing for"),
        (f"client-key-data: {PEM}", "14, column 5", ".client-certificate is missing for"),
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
        ("https://prod:port", "is not an address"),
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
