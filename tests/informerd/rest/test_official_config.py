"""Tests of configurations of the official client, honoured by this one or refused."""

from __future__ import annotations

import json
import ssl
import sys
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from kubernetes.aio.client import Configuration

from informerd.clock import SystemClock
from informerd.errors import ConfigError, CredentialsError, MissingExtra
from informerd.rest.client import Client
from informerd.rest.credentials import Credentials
from informerd.rest.official_config import cluster_from_official, load_official_kubeconfig
from tests.support.controlplane import ControlPlane
from tests.support.informerd.stub_servers import scripted


async def echo(request: web.Request) -> web.Response:
    return web.json_response({"gitVersion": request.headers.get("Authorization", "nobody")})


async def sent(configuration: Configuration) -> str:
    """The Authorization header that a request with this configuration carries."""
    async with scripted(echo) as server:
        configuration.host = server.url
        async with Client(cluster_from_official(configuration)) as client:
            return await client.version()


async def test_it_speaks_to_a_real_api_server(controlplane: ControlPlane) -> None:
    config = await load_official_kubeconfig(controlplane.kubeconfig)
    assert (config.name, config.namespace) == ("local", "default")
    async with Client(config) as client:
        review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
        answer = await client.request("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", body=review)
        assert answer.object()["status"]["userInfo"]["username"] == "admin"


@pytest.mark.parametrize(
    ("settings", "header"),
    [
        ({"api_key": {"BearerToken": "Bearer abc"}}, "Bearer abc"),
        ({"api_key": {"BearerToken": "Bearer abc\n"}}, "Bearer abc"),
        ({"api_key": {"authorization": "abc"}, "api_key_prefix": {"authorization": "Bearer"}}, "Bearer abc"),
        ({"username": "ann", "password": "secret"}, "Basic YW5uOnNlY3JldA=="),
        ({"access_token": "abc"}, "Bearer abc"),
        ({}, "nobody"),
    ],
)
async def test_its_credentials_are_sent(settings: dict[str, Any], header: str) -> None:
    assert await sent(Configuration(**settings)) == header


async def test_a_token_that_the_official_side_refreshes_is_used_with_the_next_request() -> None:
    configuration = Configuration(api_key={"BearerToken": "Bearer old"})
    async with scripted(echo) as server:
        configuration.host = server.url
        async with Client(cluster_from_official(configuration)) as client:
            assert await client.version() == "Bearer old"
            configuration.api_key["BearerToken"] = "Bearer new"
            assert await client.version() == "Bearer new"


async def test_its_refresh_hook_is_called_be_it_a_coroutine_or_not() -> None:
    def plain(configuration: Configuration) -> None:
        configuration.api_key["BearerToken"] = "Bearer plain"

    async def coroutine(configuration: Configuration) -> None:
        configuration.api_key["BearerToken"] = "Bearer coroutine"

    for hook, header in ((plain, "Bearer plain"), (coroutine, "Bearer coroutine")):
        configuration = Configuration()
        vars(configuration)["refresh_api_key_hook"] = hook
        assert await sent(configuration) == header


async def test_a_hook_that_fails_or_gives_no_header_is_a_credentials_error() -> None:
    def broken(configuration: Configuration) -> None:
        raise OSError("the token file is gone")

    configuration = Configuration(api_key={"BearerToken": "x"})
    vars(configuration)["refresh_api_key_hook"] = broken
    with pytest.raises(CredentialsError, match="OSError: the token file is gone"):
        await sent(configuration)
    with pytest.raises(CredentialsError, match="line breaks"):
        await sent(Configuration(api_key={"BearerToken": "Bearer a\r\nX: y"}))


def test_certificates_names_and_proxies_are_taken_over(tmp_path: Path) -> None:
    configuration = Configuration(
        host="https://api.example:6443/", ssl_ca_cert=str(tmp_path / "ca"), cert_file=str(tmp_path / "both"),
        tls_server_name="api.internal", proxy="http://proxy.example:3128",
    )  # fmt: skip
    config = cluster_from_official(configuration, name="mine", namespace="n")
    assert (config.name, config.server, config.namespace) == ("mine", "https://api.example:6443", "n")
    assert (config.tls.ca_file, config.tls.cert_file) == (tmp_path / "ca", tmp_path / "both")
    assert config.tls.key_file == tmp_path / "both"
    assert (config.tls.server_name, config.proxy) == ("api.internal", "http://proxy.example:3128")
    by_environment = cluster_from_official(
        Configuration(host="https://api.example"), environ={"HTTPS_PROXY": "http://other.example:1"}
    )
    assert by_environment.proxy == "http://other.example:1"


async def test_an_authority_given_as_data_is_trusted_be_it_pem_or_der(controlplane: ControlPlane) -> None:
    pem = controlplane.ca_file.read_text()
    first = pem[: pem.index("-----END CERTIFICATE-----")] + "-----END CERTIFICATE-----\n"
    for data in (pem, ssl.PEM_cert_to_DER_cert(first)):
        config = cluster_from_official(Configuration(host=controlplane.server, ca_cert_data=data))
        assert config.tls.ca_data.startswith(b"-----BEGIN CERTIFICATE-----")
        assert (await Credentials(config, clock=SystemClock()).for_request()).context is not None


def test_without_verification_no_authority_is_asked_for() -> None:
    config = cluster_from_official(Configuration(host="https://x", verify_ssl=False, ssl_ca_cert="/nowhere"))
    assert config.tls.insecure
    assert config.tls.ca_file is None


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"host": "api.example"}, "host must begin with https"),
        ({"host": "https://x", "proxy": "socks5://x:1"}, "proxy must be http"),
        ({"host": "https://x", "proxy_headers": {"X": "y"}}, "proxy_headers is not supported"),
        ({"host": "https://x", "assert_hostname": False}, "assert_hostname is not supported"),
    ],
)
def test_what_cannot_be_honoured_is_refused(settings: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        cluster_from_official(Configuration(**settings))


@pytest.mark.parametrize(
    "user",
    [
        {"token": "t", "as": "alice"},
        {"token": "t", "as": "alice", "as-groups": ["g"]},
        {"tokenFile": "/token"},
        {"exec": {"command": "x", "apiVersion": "client.authentication.k8s.io/v1"}},
    ],
)
async def test_a_file_of_which_the_official_loader_would_lose_something_is_refused(
    tmp_path: Path, user: dict[str, Any]
) -> None:
    with pytest.raises(ConfigError, match=r"is not honoured by the official loader; use .*load_kubeconfig"):
        await load_official_kubeconfig(written(tmp_path, user))


async def test_a_file_that_the_official_loader_cannot_read_is_a_config_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no context 'other'; there are: c"):
        await load_official_kubeconfig(written(tmp_path, {"token": "t"}), "other")
    with pytest.raises(ConfigError, match="the official client cannot load it"):
        await load_official_kubeconfig(written(tmp_path, {"client-certificate": "nowhere.pem"}))
    with pytest.raises(ConfigError, match="there is no context"):
        await load_official_kubeconfig(tmp_path / "missing")


def written(folder: Path, user: dict[str, Any]) -> Path:
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u", "namespace": "n"}}],
        "clusters": [{"name": "k", "cluster": {"server": "https://127.0.0.1:1"}}],
        "users": [{"name": "u", "user": user}],
    }
    file = folder / "kubeconfig"
    file.write_text(json.dumps(content))
    return file


async def test_without_the_official_client_the_extra_that_brings_it_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "kubernetes.aio", None)
    with pytest.raises(MissingExtra, match=r"load_official_kubeconfig needs .*: pip install 'informerd\[kubernetes\]'"):
        await load_official_kubeconfig(tmp_path / "config")
