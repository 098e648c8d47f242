"""Tests of the commands that a terminal starts, and of those that are copied."""

from __future__ import annotations

import pytest

from dashboard.pages.terminal.debug_container import BadImage, check_image, debug_container
from dashboard.pages.terminal.kubectl import debug_command, exec_command, port_forward_command
from dashboard.pages.terminal.shells import MAX_COMMAND, OTHER, SHELLS, BadCommand, command_of


def test_shells_and_typed_commands() -> None:
    assert command_of("sh") == ("sh",)
    assert command_of("auto")[:2] == ("sh", "-c")
    assert command_of(OTHER, "redis-cli -h 'my host' ping") == ("redis-cli", "-h", "my host", "ping")
    for shell, typed, words in (
        ("zsh", "", "There is no shell “zsh”"),
        (OTHER, "  ", "Type a command"),
        (OTHER, "echo 'a", "a quote that does not end"),
        (OTHER, "x" * (MAX_COMMAND + 1), "longer than 2,000 characters"),
    ):
        with pytest.raises(BadCommand, match=words):
            command_of(shell, typed)
    assert all(command for _, command in SHELLS.values())


def test_commands_of_kubectl_are_quoted_and_name_ports_that_need_no_root() -> None:
    assert exec_command("shop", "web", "main", ("sh", "-c", "a b")) == "exec web -n shop -it -c main -- sh -c 'a b'"
    assert debug_command("shop", "web", "main", "busybox:1") == "debug web -n shop -it --image=busybox:1 --target=main"
    ports = [{"containerPort": 80}, {"containerPort": 8080}, {"containerPort": 53, "protocol": "UDP"}]
    pod = {"metadata": {"name": "web"}, "spec": {"containers": [{"name": "a", "ports": ports}, {"name": "b"}]}}
    assert port_forward_command("shop", pod) == "port-forward web -n shop 8080:80 8080"
    assert port_forward_command("shop", {"metadata": {"name": "web"}, "spec": {"containers": [{}]}}) == ""


@pytest.mark.parametrize("image", ["busybox", "registry.example.com:5000/tools/debug:1.0", "a/b@sha256:0123", "x "])
def test_names_of_images(image: str) -> None:
    assert check_image(image) == image.strip()


@pytest.mark.parametrize("image", ["", " ", "-x", "a b", "a\nb", "ä", "x" * 501, "$(id)"])
def test_what_is_no_name_of_an_image(image: str) -> None:
    with pytest.raises(BadImage):
        check_image(image)


def test_a_debug_container_sees_the_processes_of_its_target() -> None:
    one, other = debug_container("busybox:1", "main"), debug_container("busybox:1", "")
    assert one["name"] != other["name"]
    assert (one["targetContainerName"], one["stdin"], one["tty"]) == ("main", True, True)
    assert "targetContainerName" not in other
