"""Tests of requests' credentials: tokens that follow their file, passwords, impersonation."""

from __future__ import annotations

from pathlib import Path

import pytest

from informerd.errors import CredentialsError
from informerd.rest.credentials import Credentials, RequestCredentials
from informerd.rest.load_config import ClusterConfig, Impersonation, UserConfig
from tests.support.clock import FakeClock


def credentials(user: UserConfig, clock: FakeClock | None = None) -> Credentials:
    config = ClusterConfig(name="test", server="http://127.0.0.1", credentials=user)
    return Credentials(config, clock=clock or FakeClock())


def authorization(access: RequestCredentials) -> str:
    return dict(access.headers).get("Authorization", "")


async def test_a_token_file_is_stripped_and_read_again_every_minute(tmp_path: Path) -> None:
    file, clock = tmp_path / "token", FakeClock()
    file.write_text("first\n")
    made = credentials(UserConfig(token_file=file), clock)
    assert authorization(await made.for_request()) == "Bearer first"
    file.write_text(" second \n\n")
    await clock.advance(59)
    assert authorization(await made.for_request()) == "Bearer first"
    await clock.advance(1)
    assert authorization(await made.for_request()) == "Bearer second"


@pytest.mark.parametrize("content", [None, "", " \n", b"\xff\xfe"])
async def test_a_token_file_that_cannot_be_used_leaves_the_last_token(
    tmp_path: Path, content: str | bytes | None
) -> None:
    file, clock = tmp_path / "token", FakeClock()
    file.write_text("first")
    made = credentials(UserConfig(token_file=file), clock)
    await made.for_request()
    file.unlink()
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    await clock.advance(60)
    assert authorization(await made.for_request()) == "Bearer first"


async def test_a_token_file_that_was_never_there_is_an_error_until_it_is(tmp_path: Path) -> None:
    file = tmp_path / "token"
    made = credentials(UserConfig(token_file=file))
    with pytest.raises(CredentialsError, match=f"{file}: the token cannot be read"):
        await made.for_request()
    file.write_text("late")
    assert authorization(await made.for_request()) == "Bearer late"


async def test_a_token_file_wins_over_the_token_beside_it_while_it_can_be_read(tmp_path: Path) -> None:
    file, clock = tmp_path / "token", FakeClock()
    made = credentials(UserConfig(token="inline", token_file=file), clock)
    assert authorization(await made.for_request()) == "Bearer inline"
    file.write_text("from-file")
    await clock.advance(60)
    assert authorization(await made.for_request()) == "Bearer from-file"


async def test_after_a_401_the_token_file_is_read_at_once(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("old")
    made = credentials(UserConfig(token_file=file))
    old = await made.for_request()
    assert await made.renew(old) is None
    file.write_text("new")
    renewed = await made.renew(old)
    assert renewed is not None
    assert authorization(renewed) == "Bearer new"


@pytest.mark.parametrize("token", ["two words", "line\nbreak", "ümlaut", "tab\there"])
async def test_a_token_that_no_header_can_carry_is_named(token: str) -> None:
    with pytest.raises(CredentialsError, match="the token holds white space or other characters"):
        await credentials(UserConfig(token=token)).for_request()


async def test_name_and_password_are_basic_authorization() -> None:
    access = await credentials(UserConfig(username="me", password="päss")).for_request()
    assert authorization(access) == "Basic bWU6cMOkc3M="


async def test_without_credentials_nothing_is_sent() -> None:
    made = credentials(UserConfig())
    assert await made.for_request() == RequestCredentials((), None)
    assert await made.renew(await made.for_request()) is None


async def test_impersonation_goes_with_every_request() -> None:
    impersonation = Impersonation(
        user="jane", groups=("a", "b"), uid="7", extra=(("example.com/Scopes", ("view", "edit")),)
    )
    access = await credentials(UserConfig(token="t", impersonation=impersonation)).for_request()
    assert access.headers == (
        ("Authorization", "Bearer t"),
        ("Impersonate-User", "jane"),
        ("Impersonate-Uid", "7"),
        ("Impersonate-Group", "a"),
        ("Impersonate-Group", "b"),
        ("Impersonate-Extra-example.com%2Fscopes", "view"),
        ("Impersonate-Extra-example.com%2Fscopes", "edit"),
    )


async def test_others_may_be_impersonated_with_the_same_credentials(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("old")
    made = credentials(UserConfig(token_file=file, impersonation=Impersonation(user="jane")))
    joe = made.impersonating(Impersonation(user="joe"))
    old = await joe.for_request()
    assert old.headers == (("Authorization", "Bearer old"), ("Impersonate-User", "joe"))
    file.write_text("new")
    renewed = await joe.renew(old)
    assert renewed is not None
    assert renewed.headers == (("Authorization", "Bearer new"), ("Impersonate-User", "joe"))
    assert (await made.for_request()).headers == (("Authorization", "Bearer new"), ("Impersonate-User", "jane"))
