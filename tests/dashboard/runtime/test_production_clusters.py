"""Tests of which clusters DELTABOARD_PRODUCTION marks."""

from __future__ import annotations

import pytest

from dashboard.runtime.production_clusters import read_production
from informerd.rest.cluster_config import ClusterConfig

LIVE = ClusterConfig(name="live", server="https://10.0.0.1", context="live")


@pytest.mark.parametrize("text", ["on", "TRUE", " yes ", "1", "live", "staging, live", "live,"])
def test_a_cluster_is_marked(text: str) -> None:
    assert read_production(text).includes(LIVE)


@pytest.mark.parametrize("text", ["", "off", "no", "0", ",", "Live", "liv", "staging,live-2"])
def test_a_cluster_is_not_marked(text: str) -> None:
    assert not read_production(text).includes(LIVE)


def test_a_switch_among_names_is_refused() -> None:
    with pytest.raises(ValueError, match="'on' cannot stand among names: write on, off, or names of contexts"):
        read_production("on,live")
