"""Test of an upgrade from the version before, and of the way back, with pages open and objects changing."""

from __future__ import annotations

import pytest

from tests.support.e2e.two_versions import git, last_version
from tools.upgrade_film import LONGEST, film

pytestmark = [
    pytest.mark.browser, pytest.mark.controlplane, pytest.mark.postgresql, pytest.mark.redis, pytest.mark.long
]  # fmt: skip


@pytest.mark.timeout(1800)
def test_pages_and_edits_survive_an_upgrade_the_way_back_and_the_end_of_each_process() -> None:
    """`python -m tools.upgrade_film` is the same with 50 pages."""
    if git("rev-parse", "--verify", "--quiet", last_version()).returncode:
        pytest.skip("needs the history of the repository: git fetch --unshallow --tags")
    seen = []
    for part, each, versions in film(last_version(), browsers=6, rate=5, pods=40, pause=2):
        seen.append(part)
        assert [str(lie) for lie in each.verdict.lies] == []
        assert each.verdict.live > 0
        assert versions.edits.lost == []
        assert versions.edits.made > 0
        assert max((silence.seconds for silence in each.silences), default=0.0) <= LONGEST
    assert seen == ["upgrade", "back", "again", "killed"]
