"""Tests of an open page whose version of the kind is no longer served: the object exists in another version."""

from __future__ import annotations

from types import SimpleNamespace

import msgspec
import pytest

from dashboard.objects.kinds.catalog import KINDS, KindInfo
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Browser

KEY = "mydemos.crddemo.k8s.io"


def in_version(version: str) -> KindInfo:
    """Mydemos as they are asked for by who takes that version for served; the cluster serves v1."""
    kind = KINDS[KEY]
    return kind.with_resource(msgspec.structs.replace(kind.resource, version=version))


@pytest.mark.parametrize(
    ("page", "button", "typed"),
    [
        ("delete/", "delete", {}),
        ("delete/", "delete", {"lost": "yes"}),
        ("delete/finalizer/?name=example.com/hold", "take", {"understood": ""}),
        ("delete/finalizer/?name=example.com/hold", "take", {"understood": "", "lost": "yes"}),
        ("do/field/?path=.spec.port", "do", {"wanted": "9090"}),
        ("do/field/?path=.spec.port", "do", {"wanted": "9090", "lost": "yes"}),
        ("edit/", "", {}),
    ],
)
async def test_an_object_is_not_called_deleted(
    browser: Browser,
    parts: SimpleNamespace,
    cluster: ControlPlane,
    collection: str,
    path: str,
    page: str,
    button: str,
    typed: dict[str, str],
) -> None:
    one = f"{collection}/one"
    cluster.create(collection, mydemo("one", finalizers=["example.com/hold"]))
    if "finalizer" in page:
        cluster.delete(one)
    opened = await browser.open(f"{path}{page}")
    parts.replicas.kinds = (in_version("v9"),)
    answer = await browser.press(opened, button, **typed) if button else await browser.open(f"{path}{page}")
    assert "The API server does not serve Mydemo in the version v9." in answer.text
    assert "The object is still there, in the version v1: load its page again." in answer.text
    assert not [words for words in ("is gone", "no more", "was deleted") if words in answer.text]
    assert cluster.exists(one)
    cluster.patch(one, {"metadata": {"finalizers": None}})
