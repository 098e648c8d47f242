"""Tests of the client of a provider: caching, new keys, and providers that are down or answer something else."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from dashboard.access.oidc.provider_client import (
    CONFIGURATION_SECONDS,
    FAILURE_PAUSE,
    KEYS_PAUSE,
    LimitedSession,
    ProviderClient,
    ProviderMisconfigured,
    ProviderUnusable,
    ResponseTooLarge,
)
from dashboard.pages.sign_in.problems import unusable
from dashboard.runtime.oidc_issuers import Issuer
from tests.support.certificates import write_certificate
from tests.support.clock import FakeClock
from tests.support.sign_in.provider import Provider


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as made:
        yield made


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def client(provider: Provider, clock: FakeClock) -> ProviderClient:
    return ProviderClient(Issuer("main", "Main", provider.url, "deltaboard"), clock)


def test_configuration_and_keys_are_read_once_in_ten_minutes(
    client: ProviderClient, provider: Provider, clock: FakeClock
) -> None:
    for _ in range(3):
        assert client.configuration()["issuer"] == provider.url
        assert client.keys().keys[0].kid == "one"
    assert len(provider.asked) == 2
    clock.skip(CONFIGURATION_SECONDS + 1)
    client.keys()
    assert len(provider.asked) == 4


@pytest.mark.slow
def test_new_keys_are_read_when_they_are_needed_and_not_for_each_token(
    client: ProviderClient, provider: Provider, clock: FakeClock
) -> None:
    client.keys()
    for _ in range(5):
        client.keys(True)
    assert provider.asked.count("/jwks") == 1
    clock.skip(KEYS_PAUSE)
    fresh = Provider().key
    provider.published_keys = [fresh]
    assert client.keys(True).keys[0].as_dict(private=False) == fresh.as_dict(private=False)
    assert provider.asked.count("/jwks") == 2


def test_a_provider_that_is_down_is_asked_again_after_a_moment(
    client: ProviderClient, provider: Provider, clock: FakeClock
) -> None:
    provider.__exit__()
    with pytest.raises(ProviderUnusable, match="Connection refused"):
        client.configuration()
    provider.__enter__()
    with pytest.raises(ProviderUnusable, match="Connection refused"):
        client.configuration()
    assert provider.asked == []
    clock.skip(FAILURE_PAUSE)
    assert client.configuration()["issuer"] == provider.url


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"issuer": "https://evil.example"}, "it calls itself 'https://evil.example'"),
        ({"issuer": None}, "it calls itself 'None'"),
        ({"token_endpoint": "http://evil.example"}, "its token_endpoint is no https address"),
        ({"jwks_uri": None}, "its jwks_uri is no https address"),
        ({"authorization_endpoint": ["x"]}, "its authorization_endpoint is no https address"),
    ],
)
def test_a_configuration_of_somebody_else_is_refused(
    client: ProviderClient, provider: Provider, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], words: str
) -> None:
    answered = {**provider.configuration, **changes}
    monkeypatch.setattr(Provider, "configuration", property(lambda _: answered))
    with pytest.raises(ProviderUnusable, match=words):
        client.configuration()


@pytest.mark.parametrize("address", ["{}/", "{}/realms/nobody"])
def test_an_address_that_is_not_the_providers_is_told_from_an_outage(
    provider: Provider, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    client = ProviderClient(Issuer("main", "Main", address.format(provider.url), "deltaboard"), clock)
    for _ in range(2):
        with pytest.raises(ProviderMisconfigured):
            client.configuration()
    provider.__exit__()
    clock.skip(FAILURE_PAUSE)
    with pytest.raises(ProviderUnusable) as down:
        client.configuration()
    assert not isinstance(down.value, ProviderMisconfigured)
    assert "wrong address of Main" in unusable(client.issuer, ProviderMisconfigured("x"))
    assert "does not answer" in unusable(client.issuer, down.value)


@pytest.mark.parametrize("configuration", [[], "text", 7])
def test_a_configuration_of_another_shape_is_refused(
    client: ProviderClient, monkeypatch: pytest.MonkeyPatch, configuration: object
) -> None:
    monkeypatch.setattr(Provider, "configuration", property(lambda _: configuration))
    with pytest.raises(ProviderUnusable, match="has no JSON object"):
        client.configuration()


def test_a_response_that_is_too_long_is_given_up(client: ProviderClient, provider: Provider) -> None:
    provider.token_response = b"x" * 3_000_000
    with client.session() as session, pytest.raises(ResponseTooLarge):
        session.post(f"{provider.url}/token", data={"a": "b"})


def test_no_redirect_is_followed(provider: Provider) -> None:
    """The client's secret goes to the provider alone."""
    address = f"{provider.url}/authorize?state=s&redirect_uri={provider.url}/jwks"
    with LimitedSession() as session, pytest.raises(requests.TooManyRedirects):
        session.get(address)
    assert "/jwks" not in provider.asked


def test_an_authority_of_ones_own_is_that_of_the_issuer_or_of_the_environment(
    clock: FakeClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_certificate(tmp_path, "provider")
    authority = str(tmp_path / "provider.crt")
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(authority, tmp_path / "provider.key")
    with Provider(tls) as provider:
        unknown = Issuer("main", "Main", provider.url, "deltaboard")
        known = Issuer("main", "Main", provider.url, "deltaboard", ca_file=authority)
        with pytest.raises(ProviderUnusable, match="CERTIFICATE_VERIFY_FAILED"):
            ProviderClient(unknown, clock).configuration()
        assert ProviderClient(known, clock).configuration()["issuer"] == provider.url
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", authority)
        assert ProviderClient(unknown, clock).configuration()["issuer"] == provider.url
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/none.pem")
        assert ProviderClient(known, clock).configuration()["issuer"] == provider.url


def test_an_authority_that_cannot_be_read_is_a_sentence(provider: Provider, clock: FakeClock) -> None:
    issuer = Issuer("main", "Main", provider.url.replace("http:", "https:"), "deltaboard", ca_file="/none.pem")
    with pytest.raises(ProviderUnusable, match=r"/none\.pem"):
        ProviderClient(issuer, clock).configuration()
