"""Tests of the YAML that kubeconfigs and manifests are read in: 1.2, with exact positions, and no key twice.

PyYAML, which the official client needs, reads 1.1. Each word here means something else to it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dashboard.objects.manifests.yaml_writer import to_yaml
from informerd.errors import InvalidCall
from informerd.rest.located_yaml import read_yaml
from informerd.testing.apply_manifest import read_manifests


@pytest.mark.parametrize(
    ("word", "value", "in_pyyaml"),
    [
        ("yes", "yes", True),
        ("off", "off", False),
        ("12:30", "12:30", 750),
        ("1e3", 1000.0, "1e3"),
        ("-.5", -0.5, "-.5"),
        ("0o644", 0o644, "0o644"),
        ("0644", 644, 0o644),
        ("08", 8, "08"),
    ],
)
def test_a_plain_word_is_what_yaml_1_2_says(word: str, value: object, in_pyyaml: object) -> None:
    assert [*read_manifests((f"a: {word}",))] == [{"a": value}]
    assert yaml.safe_load(f"a: {word}") == {"a": in_pyyaml}


@pytest.mark.parametrize("word", ["yes", "off", "12:30", "2026-11-23"])
def test_a_name_in_a_kubeconfig_may_be_a_word_that_yaml_1_1_takes_for_something_else(tmp_path: Path, word: str) -> None:
    path = tmp_path / "config"
    path.write_text(f"current-context: {word}\n")
    section = read_yaml(path)
    assert section is not None
    assert section.text("current-context") == word


def test_a_key_that_appears_twice_is_refused() -> None:
    text = "metadata: {name: a, name: b}"
    with pytest.raises(InvalidCall, match='found duplicate key "name"'):
        [*read_manifests((text,))]
    assert yaml.safe_load(text) == {"metadata": {"name": "b"}}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.slow
@given(value=st.dictionaries(st.text(), JSON, max_size=3))
def test_what_the_dashboard_writes_means_the_same_in_both(value: dict[str, object]) -> None:
    text = to_yaml(value)
    assert [*read_manifests((text,))] == [yaml.safe_load(text)]
