"""Test of the programs that pictures are taken of."""

from __future__ import annotations

import pytest

from tests.support.local_dashboard import ask
from tests.support.wait import until
from tools.scenes.stage import Stage

pytestmark = pytest.mark.program


def test_commands_on_a_page_do_not_name_the_folder_of_its_programs() -> None:
    with Stage() as stage:
        stage.run_cluster("--no-workload")
        stage.run_dashboard()
        address = f"{stage.url}/resources/namespaces/-/default/"
        until(lambda: "kubectl " in ask(address).body, what="the page has a command")
        assert "--kubeconfig" not in ask(address).body
