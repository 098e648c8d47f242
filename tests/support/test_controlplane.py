"""Tests of the control plane that other tests use."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.controlplane import ApiFailure, ControlPlane, ControlPlaneError
from tests.support.skip_if_missing import controlplane_binaries


def test_it_serves_objects_and_refuses_users_without_rights(controlplane: ControlPlane) -> None:
    namespace = controlplane.create_namespace("control-plane-test")
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    controlplane.create(path, {"metadata": {"name": "a"}, "data": {"k": "1"}})
    assert controlplane.patch(f"{path}/a", {"data": {"k": "2"}})["data"] == {"k": "2"}
    with pytest.raises(ApiFailure) as refused:
        controlplane.request("GET", path, user="alice")
    assert refused.value.code == 403
    controlplane.delete(f"{path}/a")
    assert not controlplane.exists(f"{path}/a")


@pytest.mark.long
def test_a_killed_api_server_goes_on_from_the_same_data(own_controlplane: ControlPlane) -> None:
    own_controlplane.create_namespace("kept")
    own_controlplane.kill()
    with pytest.raises(OSError):
        own_controlplane.get("/readyz")
    own_controlplane.start_apiserver()
    assert own_controlplane.exists("/api/v1/namespaces/kept")


@pytest.mark.long
@pytest.mark.controlplane
def test_the_first_of_a_run_leaves_its_data_for_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ControlPlane, "etcd_copy", tmp_path / "copy")
    ids = []
    for name in ("first", "second"):
        plane = ControlPlane(tmp_path / name, controlplane_binaries())
        try:
            plane.start()
            ids.append(plane.get("/api/v1/namespaces/kube-system")["metadata"]["uid"])
            plane.create_namespace("of-this-one-alone")
        finally:
            plane.stop()
    assert ids[0] == ids[1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "first", "second"]


@pytest.mark.controlplane
def test_a_failed_start_shows_the_end_of_the_log(tmp_path: Path) -> None:
    broken = ControlPlane(tmp_path, controlplane_binaries(), apiserver_flags=("--no-such-flag",))
    try:
        with pytest.raises(ControlPlaneError, match="unknown flag: --no-such-flag"):
            broken.start()
    finally:
        broken.stop()
