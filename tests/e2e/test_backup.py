"""Test of a backup that is made while Deltaboard runs, and restored into another database."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.controlplane import ControlPlane
from tests.support.e2e.form_editor import SAVED, FormEditor
from tests.support.e2e.pods_and_mydemos import mydemo, mydemos
from tests.support.e2e.postgresql_database import Database
from tests.support.e2e.production_stack import WITHIN, ProductionStack, Web, Worker, is_ready
from tests.support.program import ROOT, run_program
from tests.support.skip_if_missing import missing
from tests.support.wait import until

pytestmark = [
    pytest.mark.controlplane, pytest.mark.long, pytest.mark.postgresql, pytest.mark.program, pytest.mark.redis
]  # fmt: skip


def run(*command: str) -> None:
    program = shutil.which(command[0]) or missing(command[0], "install Debian's package postgresql-client")
    done = subprocess.run([program, *command[1:]], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def verify(what: str, env: dict[str, str], url: str) -> str:
    done = run_program("manage.py", what, "verify", env={**env, "DATABASE_URL": url})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.timeout(600)
def test_history_and_audit_log_of_a_running_dashboard_are_whole_in_another_database(
    own_controlplane: ControlPlane, tmp_path: Path
) -> None:
    own_controlplane.apply_crd(ROOT / "deploy" / "crd" / "mydemos.yaml")
    namespace = own_controlplane.create_namespace("backup")
    own_controlplane.create(mydemos(namespace), mydemo("kept", port=8080))
    stack = ProductionStack(own_controlplane, tmp_path / "stack", DELTABOARD_AUDIT="on", DELTABOARD_HISTORY="on")
    other, backup = Database(), tmp_path / "deltaboard.backup"
    history = f"/resources/mydemos.crddemo.k8s.io/{namespace}/kept/history/"
    try:
        stack.start()
        migrated = run_program("manage.py", "migrate", "--verbosity", "0", env=stack.worker.env)
        assert migrated.returncode == 0, migrated.stderr
        editor = FormEditor(stack.webs[0].url)
        assert editor.change_port(namespace, "kept", 8080, 9090) == SAVED
        until(lambda: "9090" in editor.text(stack.webs[0].url + history)[1], within=WITHIN, what="the edit in history")
        run("pg_dump", "--format=custom", f"--file={backup}", stack.database.url)
        before = stack.worker.env
        for program in (stack.worker, *stack.webs):
            program.stop()
        assert own_controlplane.patch(mydemos(namespace, "kept"), {"spec": {"port": 7070}})

        other.create()
        run("pg_restore", "--exit-on-error", f"--dbname={other.url}", str(backup))
        assert re.search(r"[1-9]\d* versions", verify("history", before, other.url))
        assert "2 entries, 1 to 2, are as they were written" in verify("audit", before, other.url)
        env = {**stack.env, "DATABASE_URL": other.url}
        with Worker(env), Web(env) as web:
            until(lambda: is_ready(web.url), within=WITHIN, what="the restored dashboard")
            restored = FormEditor(web.url)
            until(lambda: "7070" in restored.text(web.url + history)[1], within=WITHIN, what="what came after")
            text = restored.text(web.url + history)[1]
            assert "9090" in text
            assert "8080" in text
            assert "gap" in text
            assert "9090" in restored.text(f"{web.url}/audit/")[1]
    finally:
        stack.stop()
        other.drop()
