"""Tests of kubectl command lines: the call for a cluster, the order of their words, and their quoting for a shell."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from dashboard.cluster.kubectl_commands import UNBOUND, kubectl_arguments, kubectl_call, shell_line, shell_word
from dashboard.runtime.invisible_characters import has_invisible

HOSTILE = [
    "$(touch x); `id` | \"&'", "a\nrm -rf ~\n", "a\tb", "\x1b[201~\nid\n", "\x15\x03", "admin\u202ex", "a\u200bb",
    "\xad", "it's\u2066 \\ 50% !!", "\U000e0041", "\u3164", "日本語", "", "~", "*", "#", "-n", "a=b", "{a,b}",
]  # fmt: skip


@pytest.mark.program
@pytest.mark.parametrize("text", HOSTILE)
def test_a_shell_reads_the_text_and_a_terminal_sees_nothing_to_obey(text: str) -> None:
    word = shell_word(text)
    assert "\n" not in word
    assert "\t" not in word
    assert not has_invisible(word)
    read = subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True, timeout=60).stdout
    assert read.decode() == text


def test_ordinary_words_stand_as_they_are() -> None:
    assert shell_line(["get", "deployments.apps", "web-1", "-n", "shop"]) == "get deployments.apps web-1 -n shop"
    assert shell_word("a b") == "'a b'"


# --- the call ---


def test_the_call_names_the_context_and_every_file_that_is_not_the_default() -> None:
    assert kubectl_call() == UNBOUND
    assert kubectl_call(context="prod") == "kubectl --context prod"
    assert kubectl_call([Path("/a b/c")], "it's") == "kubectl --kubeconfig '/a b/c' --context 'it'\"'\"'s'"
    several = [Path("/one"), Path("/a b")]
    assert kubectl_call(several, "prod") == f"KUBECONFIG='/one{os.pathsep}/a b' kubectl --context prod"


def test_a_file_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert kubectl_call([Path("demo.kubeconfig")]) == f"kubectl --kubeconfig {tmp_path}/demo.kubeconfig"


# --- what follows ---


def test_options_stand_behind_ordinary_names() -> None:
    words = kubectl_arguments("delete", "pods", names=["web"], namespace="shop", options=["--force"])
    assert words == "delete pods web -n shop --force"
    words = kubectl_arguments("label", "pods", names=["a", "b"], options=["--overwrite"], pairs=["x=1", "y-"])
    assert words == "label pods a b --overwrite x=1 y-"


@pytest.mark.parametrize("name", ["--all", "-A", "-", "--", "-f/etc/passwd"])
def test_a_name_with_a_dash_in_front_is_no_option(name: str) -> None:
    words = kubectl_arguments("delete", "roles", names=["web", name], namespace="shop", options=["--force"])
    assert shlex.split(words) == ["delete", "roles", "-n", "shop", "--force", "--", "web", name]
