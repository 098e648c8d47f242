"""Tests of credential plugins: run once, cached while valid, and reported when they fail."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from informerd.errors import ConfigError, CredentialsError
from informerd.rest import credentials as credentials_module
from informerd.rest import exec_plugin, rest_client
from informerd.rest.client import Client
from informerd.rest.credentials import Credentials
from informerd.rest.load_config import ClusterConfig, ExecConfig, TlsConfig, UserConfig
from tests.support.clock import FakeClock
from tests.support.informerd.credential_plugin import V1, Plugin, credentials, token

pytestmark = pytest.mark.program


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    return Plugin(tmp_path)


async def test_it_runs_once_however_many_ask(plugin: Plugin) -> None:
    plugin.gives(token="abc")
    made = credentials(plugin)
    assert await asyncio.gather(*(token(made) for _ in range(20))) == ["abc"] * 20
    assert await token(made) == "abc"
    assert plugin.runs == 1


async def test_it_runs_again_shortly_before_its_credential_ends(plugin: Plugin) -> None:
    clock = FakeClock()
    plugin.gives(token="first", expires=clock.time() + 600)
    made = credentials(plugin, clock)
    assert await token(made) == "first"
    plugin.gives(token="second", expires=clock.time() + 1200)
    await clock.advance(539)
    assert await token(made) == "first"
    await clock.advance(2)
    assert await token(made) == "second"


async def test_a_short_lived_credential_is_not_asked_for_at_each_request(plugin: Plugin) -> None:
    clock = FakeClock()
    plugin.gives(token="short", expires=clock.time() + 30)
    made = credentials(plugin, clock)
    for _ in range(4):
        await token(made)
        await clock.advance(5)
    assert plugin.runs == 1


async def test_a_plugin_that_fails_to_renew_leaves_the_credential_while_it_is_good(plugin: Plugin) -> None:
    clock = FakeClock()
    plugin.gives(token="good", expires=clock.time() + 600)
    made = credentials(plugin, clock)
    await token(made)
    plugin.script("echo no luck >&2; exit 3")
    await clock.advance(560)
    assert [await token(made), await token(made)] == ["good", "good"]
    assert plugin.runs == 2
    await clock.advance(41)
    with pytest.raises(CredentialsError, match="no luck"):
        await token(made)


async def test_nobody_waits_for_a_plugin_that_hangs_while_the_last_credential_is_good(
    plugin: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(credentials_module, "RENEW_WAIT_SECONDS", 0.05)
    clock = FakeClock()
    plugin.gives(token="good", expires=clock.time() + 600)
    made = credentials(plugin, clock)
    await token(made)
    plugin.script("exec sleep 60")
    await clock.advance(560)
    assert [await token(made) for _ in range(3)] == ["good"] * 3
    await made.close()


async def test_a_probe_does_not_wait_for_a_plugin_longer_than_for_an_answer(
    plugin: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rest_client, "PROBE_TIMEOUT", 0.05)
    plugin.script("exec sleep 60")
    config = UserConfig(plugin=ExecConfig(command=str(plugin.file), api_version=V1))
    async with Client(ClusterConfig(name="test", server="http://127.0.0.1:1", credentials=config)) as client:
        with pytest.raises(CredentialsError, match=r"no credentials came within 0.05 s"):
            await client.probe()


async def test_what_is_secret_is_in_no_repr(plugin: Plugin) -> None:
    plugin.gives(token="S3CRET")
    made = credentials(plugin, args=("--client-secret=S3CRET",))
    assert "S3CRET" not in repr(await made.for_request())
    assert "S3CRET" not in repr(ExecConfig(command="kubectl", api_version=V1, args=("--client-secret=S3CRET",)))
    assert "S3CRET" not in repr(exec_plugin.ExecCredential(token="S3CRET", client_key_data="S3CRET"))
    with pytest.raises(ConfigError, match="holds a name or password"):
        ClusterConfig(name="c", server="https://user:S3CRET@10.0.0.1")


async def test_it_runs_again_after_a_401_unless_another_request_has_seen_to_it(plugin: Plugin) -> None:
    plugin.gives(token="old")
    made = credentials(plugin)
    refused = await made.for_request()
    plugin.gives(token="new")
    renewed = await made.renew(refused)
    assert renewed is not None
    assert dict(renewed.headers)["Authorization"] == "Bearer new"
    assert await made.renew(refused) == renewed
    assert plugin.runs == 2
    assert await made.renew(renewed) is None


async def test_it_is_told_about_the_cluster_where_it_asks_to_be(plugin: Plugin) -> None:
    plugin.gives(token="t")
    await credentials(plugin).for_request()
    assert plugin.info == {"apiVersion": V1, "kind": "ExecCredential", "spec": {"interactive": False}}
    await credentials(plugin, provide_cluster_info=True).for_request()
    assert plugin.info["spec"]["cluster"] == {
        "server": "http://127.0.0.1",
        "proxy-url": "",
        "tls-server-name": "name",
        "insecure-skip-tls-verify": False,
        "certificate-authority-data": "cGVt",
    }


async def test_it_gets_arguments_and_environment(plugin: Plugin) -> None:
    answer = '{"apiVersion":"%s","kind":"ExecCredential","status":{"token":"%s-%s-%s"}}'
    plugin.script(f'printf \'{answer}\' {V1} "$1" "$PROFILE" "$BASE"')
    made = credentials(plugin, args=("one",), env=(("PROFILE", "two"),), environ={"BASE": "three", "PROFILE": "no"})
    assert await token(made) == "one-two-three"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("echo please log in >&2; exit 1", "ended with 1: please log in"),
        ("exit 2", "ended with 2: no message"),
        ("echo hello; echo oops >&2", "printed no ExecCredential .*: oops"),
        ('echo \'{"apiVersion":"v1","kind":"Pod"}\'', "printed v1 Pod, not client.authentication.k8s.io/v1"),
        (
            f'echo \'{{"apiVersion":"{V1}","kind":"ExecCredential","status":{{}}}}\'',
            "printed neither a token nor a client certificate",
        ),
        (
            f'echo \'{{"apiVersion":"{V1}","kind":"ExecCredential","status":{{"clientCertificateData":"x"}}}}\'',
            "printed a client certificate without its key",
        ),
    ],
)
async def test_a_failure_says_what_the_plugin_said(plugin: Plugin, body: str, words: str) -> None:
    plugin.script(body)
    with pytest.raises(CredentialsError, match=f"exec plugin {plugin.file} {words}"):
        await credentials(plugin).for_request()


async def test_a_plugin_that_is_not_installed_shows_the_hint(plugin: Plugin) -> None:
    with pytest.raises(CredentialsError, match="cannot be run: No such file or directory\nbrew install it"):
        await credentials(plugin, install_hint="brew install it").for_request()


async def test_a_plugin_that_wants_a_terminal_is_refused(plugin: Plugin) -> None:
    plugin.gives(token="t")
    with pytest.raises(CredentialsError, match="needs a terminal"):
        await credentials(plugin, interactive=True).for_request()
    assert plugin.runs == 0


async def test_a_plugin_that_hangs_is_ended(plugin: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exec_plugin, "TIMEOUT", 0.2)
    plugin.script("exec sleep 60")
    with pytest.raises(CredentialsError, match=r"did not end within 0.2 s"):
        await credentials(plugin).for_request()


async def test_who_asked_may_go_and_the_others_get_their_answer(plugin: Plugin) -> None:
    plugin.gives(token="abc")
    made = credentials(plugin)
    impatient = asyncio.create_task(token(made))
    patient = asyncio.create_task(token(made))
    await asyncio.sleep(0)
    impatient.cancel()
    assert await patient == "abc"
    assert plugin.runs == 1


async def test_what_a_plugin_cannot_be_given_is_a_credentials_error_too(plugin: Plugin, tmp_path: Path) -> None:
    with pytest.raises(CredentialsError, match="cannot be run: embedded null"):
        await credentials(plugin, args=("a\0b",)).for_request()
    config = ExecConfig(command=str(plugin.file), api_version=V1, provide_cluster_info=True)
    cluster = ClusterConfig(
        name="test",
        server="http://127.0.0.1",
        tls=TlsConfig(ca_file=tmp_path / "gone.crt"),
        credentials=UserConfig(plugin=config),
    )
    with pytest.raises(CredentialsError, match=r"gone.crt: cannot be read for the exec plugin: No such file"):
        await Credentials(cluster, clock=FakeClock()).for_request()


@pytest.mark.parametrize("output", ["'\\377\\376'", "'\"\\377\"'"])
async def test_a_plugin_that_prints_no_text_is_a_credentials_error_too(plugin: Plugin, output: str) -> None:
    plugin.script(f"printf {output}")
    with pytest.raises(CredentialsError, match="printed no ExecCredential"):
        await credentials(plugin).for_request()
