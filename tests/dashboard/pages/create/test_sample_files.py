"""Tests of a folder of samples: what is offered of its files, and what is left out and said in the log."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.pages.create import sample_files
from dashboard.pages.create.sample_files import MAX_OBJECTS, MAX_OFFERED, SampleFolder
from informerd.resource import Resource

GEARS = Resource(group="field.example.com", version="v1", plural="gears", kind="Gear")


def gear(name: str, version: str = "v1") -> str:
    return f"apiVersion: field.example.com/{version}\nkind: Gear\nmetadata:\n  name: {name} # its name\n"


def names(folder: SampleFolder) -> list[str]:
    return [sample.name for sample in folder.samples_of(GEARS)]


def test_each_item_of_a_list_is_a_sample(tmp_path: Path) -> None:
    items = "".join(f"- {gear(name).rstrip()}\n".replace("\n", "\n  ").rstrip(" ") for name in ("one", "two"))
    (tmp_path / "all.yaml").write_text(f"{gear('zero')}---\napiVersion: v1\nkind: List\nitems:\n{items}")
    samples = SampleFolder(tmp_path).samples_of(GEARS)
    assert [sample.name for sample in samples] == ["all.yaml", "all.yaml#2", "all.yaml#3"]
    assert samples[0].text == gear("zero"), "comments stay"
    assert samples[2].text_for(GEARS, "shop") == (
        "apiVersion: field.example.com/v1\nkind: Gear\nmetadata:\n  name: two\n  namespace: shop\n"
    )


def test_ends_of_lines_as_windows_has_them_are_read(tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_bytes(f"{gear('one')}---\n{gear('two')}".replace("\n", "\r\n").encode())
    assert [sample.text for sample in SampleFolder(tmp_path).samples_of(GEARS)] == [gear("one"), gear("two")]


def test_items_of_a_kinds_own_list_have_its_kind(tmp_path: Path) -> None:
    text = "apiVersion: field.example.com/v1\nkind: GearList\nitems:\n- metadata: {name: one}\n"
    (tmp_path / "gears.yaml").write_text(text)
    assert names(SampleFolder(tmp_path)) == ["gears.yaml"]


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("a: [\n", "object 2, from line 7, is left out: "),
        ("kind: Gear\n", "object 2, from line 6, is left out: it has no apiVersion and kind"),
        ("apiVersion: v1\nkind: List\nitems: []\n", "object 2, from line 8, is left out: This list has no items"),
    ],
)
def test_an_object_that_cannot_be_read_leaves_the_others_of_its_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, broken: str, words: str
) -> None:
    (tmp_path / "some.yaml").write_text(f"{gear('one')}---\n{broken}---\n{gear('three')}")
    folder = SampleFolder(tmp_path)
    assert names(folder) == names(folder) == ["some.yaml", "some.yaml#3"]
    (line,) = caplog.messages
    assert line.startswith("DELTABOARD_SAMPLES: some.yaml ")
    assert words in line


@pytest.mark.parametrize(
    ("allowed", "namespace"), [((), "shop"), (("default", "shop"), "shop"), (("default", "argocd"), "argocd")]
)
def test_a_sample_stays_in_its_namespace_where_that_is_allowed(
    tmp_path: Path, allowed: tuple[str, ...], namespace: str
) -> None:
    (tmp_path / "one.yaml").write_text(f"{gear('one')}  namespace: argocd\n")
    (sample,) = SampleFolder(tmp_path).samples_of(GEARS)
    assert f"\n  namespace: {namespace}\n" in sample.text_for(GEARS, "shop", allowed)


def test_a_file_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    folder = SampleFolder(tmp_path)
    assert names(folder) == []
    (tmp_path / "one.yaml").write_text(gear("one"))
    assert names(folder) == ["one.yaml"]
    (tmp_path / "one.yaml").write_text(f"{gear('one')}---\n{gear('two')}")
    assert names(folder) == ["one.yaml", "one.yaml#2"]
    (tmp_path / "one.yaml").unlink()
    assert names(folder) == []


def test_samples_of_the_version_that_is_served_come_first(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(gear("old", "v1alpha1"))
    (tmp_path / "b.yaml").write_text(gear("new"))
    folder = SampleFolder(tmp_path)
    assert names(folder) == ["b.yaml", "a.yaml"]
    assert folder.samples_of(GEARS)[1].text_for(GEARS, "").startswith("apiVersion: field.example.com/v1\n")


def test_what_is_beyond_the_limits_is_left_out_and_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample_files, "MAX_FILES", 3)
    (tmp_path / "a.yaml").write_text("---\n".join(gear(f"g{number}") for number in range(MAX_OBJECTS + 1)))
    (tmp_path / "b.yaml").write_text(f"# {'x' * sample_files.MAX_FILE_BYTES}\n{gear('large')}")
    (tmp_path / "c.txt").write_text(gear("text"))
    (tmp_path / ".hidden.yaml").write_text(gear("hidden"))
    (tmp_path / "d.json").write_bytes(b"\xff\xfe")
    (tmp_path / "e.yaml").write_text(gear("beyond"))
    folder = SampleFolder(tmp_path)
    assert names(folder) == names(folder)
    assert names(folder)[0] == "a.yaml"
    assert len(names(folder)) == MAX_OFFERED
    said = [words.removeprefix("DELTABOARD_SAMPLES: ").replace(str(tmp_path), "FOLDER") for words in caplog.messages]
    assert said == [
        "FOLDER has more than 3 files: the others are left out",
        f"a.yaml has more than {MAX_OBJECTS} objects: the others are left out",
        f"b.yaml is beyond the limits: {sample_files.MAX_FILE_BYTES} bytes, {sample_files.MAX_TOTAL_BYTES} in all",
        "d.json is left out from object 1 on: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
    ]
