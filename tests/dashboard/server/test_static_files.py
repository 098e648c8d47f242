"""Tests of static files: headers, not sent twice, compressed once."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from django.test import AsyncClient


@pytest.mark.usefixtures("urls")
@pytest.mark.parametrize("address", ["/static/css/base.css", "/static/js/live/main.js"])
async def test_what_is_never_shown_as_a_page_is_taken_for_nothing_else_and_carries_no_policy(address: str) -> None:
    first = await AsyncClient().get(address)
    again = await AsyncClient().get(address, headers={"if-none-match": first["ETag"]})
    assert (first.status_code, again.status_code) == (200, 304)
    for response in (first, again):
        assert response["X-Content-Type-Options"] == "nosniff"
        assert response["Cross-Origin-Resource-Policy"] == "same-origin"
        for name in ("Content-Security-Policy", "Referrer-Policy", "Cross-Origin-Opener-Policy", "X-Frame-Options"):
            assert name not in response


STYLES = "/static/css/base.css"


@pytest.mark.usefixtures("urls")
@pytest.mark.parametrize("accepted", ["gzip, deflate, br, zstd", "identity"])
async def test_a_browser_that_has_a_static_file_is_not_sent_it_again(accepted: str) -> None:
    client = AsyncClient(headers={"accept-encoding": accepted})
    first = await client.get(STYLES)
    assert first.status_code == 200
    for had in (first["ETag"], f"W/{first['ETag']}", f'"another", W/{first["ETag"]}', "*"):
        again = await client.get(STYLES, headers={"if-none-match": had})
        assert (again.status_code, again.content) == (304, b""), had
        assert again["ETag"] == first["ETag"]
        assert "Accept-Encoding" in again["Vary"]
        assert again["X-Content-Type-Options"] == "nosniff"
    changed = await client.get(STYLES, headers={"if-none-match": '"another"'})
    assert (changed.status_code, changed.content) == (200, first.content)


@pytest.mark.usefixtures("urls")
async def test_static_files_are_compressed_once_for_who_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []
    compress = gzip.compress

    def counted(data: bytes, *args: Any, **kwargs: Any) -> bytes:
        begun.append(len(data))
        return compress(data, *args, **kwargs)

    monkeypatch.setattr(gzip, "compress", counted)
    client = AsyncClient()
    plain = await client.get(STYLES)
    assert "Content-Encoding" not in plain
    for _ in range(3):
        packed = await client.get(STYLES, headers={"accept-encoding": "br, gzip"})
        assert packed["Content-Encoding"] == "gzip"
        assert packed["Content-Length"] == str(len(packed.content))
        assert gzip.decompress(packed.content) == plain.content
        assert packed["ETag"] != plain["ETag"]
    assert begun == [len(plain.content)]
    head = await client.head(STYLES, headers={"accept-encoding": "br, gzip"})
    assert (head.content, head["Content-Length"], head["ETag"]) == (b"", packed["Content-Length"], packed["ETag"])
    small = await client.get("/static/favicon/live.svg", headers={"accept-encoding": "gzip;q=0"})
    assert "Content-Encoding" not in small
