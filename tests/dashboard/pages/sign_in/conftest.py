"""Fixtures: two providers, and a Deltaboard that both sign people in to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.local_dashboard import LocalDashboard
from tests.support.sign_in.dashboard import PlainBrowser, issuer_options, oidc_dashboard
from tests.support.sign_in.provider import Provider


@pytest.fixture(scope="module")
def providers() -> Iterator[tuple[Provider, Provider]]:
    with Provider() as first, Provider() as second:
        yield first, second


@pytest.fixture(scope="module")
def process(providers: tuple[Provider, Provider], tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalDashboard]:
    first, second = providers
    main = issuer_options(first.url, username_prefix="main:", groups_prefix="main:")
    partner = issuer_options(
        second.url, "partner", title="Partners", username_claim="sub", username_prefix="partner:",
        groups_prefix="partner:",
    )  # fmt: skip
    with oidc_dashboard(tmp_path_factory.mktemp("oidc"), main, partner) as program:
        assert program.address
        yield program


@pytest.fixture
def provider(providers: tuple[Provider, Provider]) -> Iterator[Provider]:
    """The first, which forgets what a test told it."""
    first, _ = providers
    fresh = Provider()
    yield first
    for name in ("person", "is_denied", "change", "token_response"):
        setattr(first, name, getattr(fresh, name))


@pytest.fixture
def browser(process: LocalDashboard) -> PlainBrowser:
    return PlainBrowser(process.url)
