"""Tests of what the settings make of history."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from dashboard.live.history.postgresql_parts import PostgresqlParts
from dashboard.live.history.retention import Retention
from dashboard.live.history.sqlite_parts import SqliteParts
from dashboard.server.wiring.history import build_parts, build_recorder, kinds_recorded, secret_hash_key
from dashboard.server.wiring.worker import build_worker_process
from informerd.clock import SystemClock
from informerd.rest.client import Client
from informerd.rest.load_config import ClusterConfig
from tests.support.scripted_api_server import ScriptedServer

KINDS = ("pods", "events", "leases.coordination.k8s.io", "deployments.apps")


@pytest.mark.parametrize(
    ("names", "recorded"),
    [
        ([], {"pods", "events", "deployments.apps"}),
        (["-events"], {"pods", "deployments.apps"}),
        (["deploy", "leases.coordination.k8s.io"], {"leases.coordination.k8s.io", "deployments.apps"}),
        (["pods", "events", "-ev"], {"pods"}),
    ],
)
def test_kinds_are_named_as_for_kubectl_and_left_out_with_a_minus_sign(names: list[str], recorded: set[str]) -> None:
    is_recorded = kinds_recorded(names)
    assert {key for key in KINDS if is_recorded(key)} == recorded


def test_a_kind_that_means_nothing_ends_the_start() -> None:
    with override_settings(DELTABOARD_HISTORY_KINDS=["-nonsense"]), pytest.raises(ImproperlyConfigured) as refused:
        build_worker_process(with_worker=True)
    assert str(refused.value).startswith("DELTABOARD_HISTORY_KINDS: 'nonsense' is no kind")


def test_the_database_is_that_of_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with override_settings(VAR_DIR=tmp_path):
        assert isinstance(build_parts(), SqliteParts)
    monkeypatch.setitem(settings.DATABASES["default"], "ENGINE", "django.db.backends.postgresql")
    assert isinstance(build_parts(), PostgresqlParts)


async def test_the_recorder_has_the_bounds_of_the_settings_or_is_not_there(tmp_path: Path) -> None:
    server = ScriptedServer()
    client: Client = server.client(SystemClock())
    cluster = ClusterConfig(name="scripted", server="https://server")
    with override_settings(
        VAR_DIR=tmp_path, DELTABOARD_HISTORY=True, DELTABOARD_HISTORY_SIZE=10, DELTABOARD_HISTORY_AGE=7
    ):
        recorder = build_recorder(client, cluster, SystemClock())
    assert recorder is not None
    assert recorder.retention == Retention(10 * 2**20, 7)
    with override_settings(DELTABOARD_HISTORY=False):
        assert build_recorder(client, cluster, SystemClock()) is None
    await client.close()


def test_another_secret_key_hashes_otherwise() -> None:
    first = secret_hash_key()
    with override_settings(SECRET_KEY="another"):
        assert secret_hash_key() != first
    assert len(first) == 32


def test_tests_record_nothing_where_they_do_not_say_where() -> None:
    assert not settings.DELTABOARD_HISTORY
