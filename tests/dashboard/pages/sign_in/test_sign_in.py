"""Tests of signing in by OIDC with a real provider: who comes in, and each way in which it fails, in a sentence."""

from __future__ import annotations

import hashlib
import hmac
import json
import sqlite3
import time
from base64 import urlsafe_b64encode
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from tests.support.local_dashboard import LocalDashboard
from tests.support.sign_in.dashboard import PlainBrowser, problem_of
from tests.support.sign_in.provider import Claims, Provider

NOW = time.time()


def changed(provider: Provider, **claims: Any) -> None:
    """Let the next ID tokens have these claims; None leaves one out."""

    def change(known: Claims) -> None:
        known.update(claims)
        for name in [name for name, value in known.items() if value is None]:
            del known[name]

    provider.change = change


@pytest.mark.long
def test_somebody_signs_in_and_comes_to_the_page_that_they_wanted(provider: Provider, browser: PlainBrowser) -> None:
    asked = browser.get("/feed/?q=web&namespace=a,b")
    assert (asked.status_code, asked.headers["Location"]) == (
        303,
        "/sign-in/?next=%2Ffeed%2F%3Fq%3Dweb%26namespace%3Da%2Cb",
    )
    page = browser.get(asked.headers["Location"])
    assert "Sign in with Login main" in page.text
    assert "Sign in with Partners" in page.text
    assert 'href="/accounts/main/sign-in/?next=%2Ffeed%2F%3Fq%3Dweb%26namespace%3Da%2Cb"' in page.text
    done = browser.sign_in(back="%2Ffeed%2F%3Fq%3Dweb%26namespace%3Da%2Cb")
    assert (done.status_code, done.headers["Location"]) == (303, "/feed/?q=web&namespace=a,b")
    assert "Signed in as main:alice@example.com" in browser.get("/feed/").text


def test_the_request_to_the_provider_has_pkce_state_and_nonce(provider: Provider, browser: PlainBrowser) -> None:
    begun = browser.get("/accounts/main/sign-in/?next=/&scope=offline_access&auth_params=prompt%3Dnone")
    asked = {name: values[0] for name, values in parse_qs(urlsplit(begun.headers["Location"]).query).items()}
    assert asked["code_challenge_method"] == "S256"
    assert len(asked["nonce"]) > 30
    assert len(asked["state"]) >= 16
    assert "prompt" not in asked
    assert set(asked["scope"].split()) == {"openid", "profile", "email"}
    again = browser.get("/accounts/main/sign-in/")
    assert parse_qs(urlsplit(again.headers["Location"]).query)["nonce"] != [asked["nonce"]]


def test_the_session_is_a_new_key_in_a_cookie_that_scripts_cannot_read(
    provider: Provider, browser: PlainBrowser
) -> None:
    done = browser.sign_in()
    (cookie,) = [value for value in done.raw.headers.getlist("Set-Cookie") if value.startswith("deltaboard_session=")]
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} < {part.strip() for part in cookie.split(";")}
    before = browser.session_cookie
    browser.sign_in()
    assert browser.session_cookie != before
    old = PlainBrowser(browser.url)
    old.http.cookies.set("deltaboard_session", before)
    assert old.get("/feed/").status_code == 303, "the session of before has ended"


@pytest.mark.parametrize(
    "back", ["https://evil.example/", "//evil.example/x", "/\\evil.example", "javascript:alert(1)"]
)
def test_nobody_is_led_to_another_site(provider: Provider, browser: PlainBrowser, back: str) -> None:
    assert browser.sign_in(back=quote(back, safe="")).headers["Location"] == "/"


def test_a_long_address_comes_back_without_its_query(provider: Provider, browser: PlainBrowser) -> None:
    back = quote(f"/feed/?q={'x' * 3000}", safe="")
    assert browser.sign_in(back=back).headers["Location"] == "/feed/"


def test_scripts_get_a_sentence_and_401(process: LocalDashboard, browser: PlainBrowser) -> None:
    for headers in ({"Accept": "application/json"}, {"HX-Request": "true"}, {"Sec-Fetch-Dest": "empty"}):
        refused = browser.get("/kinds/", **headers)
        assert refused.status_code == 401
        assert refused.headers["HX-Reswap"] == "none"
        assert refused.text.startswith("You are signed out")
    assert browser.http.post(f"{process.url}/theme/", timeout=30).status_code == 401
    assert browser.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    ("claims", "status", "words"),
    [
        ({"exp": int(NOW - 600), "iat": int(NOW - 900)}, 400, "has expired"),
        ({"iat": int(NOW + 86_400)}, 400, "clocks of Login main and of Deltaboard differ by "),
        ({"nbf": int(NOW + 86_400)}, 400, "clocks of Login main and of Deltaboard differ by "),
        ({"iat": "yesterday"}, 400, "is no number"),
        ({"exp": None}, 400, "not valid"),
        ({"iss": "https://evil.example"}, 400, "comes from another issuer"),
        ({"aud": "another"}, 400, "another client"),
        ({"aud": ["another", "deltaboard"]}, 400, "another client"),
        ({"nonce": "of another sign-in"}, 400, "belongs to another sign-in (nonce)"),
        ({"nonce": None}, 400, "belongs to another sign-in (nonce)"),
        ({"sub": None}, 400, "not valid"),
        ({"sub": 7}, 400, "not valid"),
        ({"email": None}, 403, "The claim 'email' of Login main"),
        ({"email": ["a", "b"]}, 403, "is no text"),
        ({"email_verified": False}, 403, "has not verified your e-mail address"),
        ({"email_verified": "true"}, 403, "has not verified your e-mail address"),
        ({"groups": {"a": "b"}}, 403, "is no list of texts"),
        ({"groups": [["nested"]]}, 403, "is no list of texts"),
        ({"groups": [7]}, 403, "is no list of texts"),
        ({"groups": [f"g{number}" for number in range(2001)]}, 403, "2001 groups"),
        ({"groups": ["a\nb"]}, 403, "cannot be printed"),
        ({"_claim_names": {"groups": "src1"}}, 403, "more groups than Login main puts into a token"),
        ({"email": "x" * 1_000}, 403, "254 at most"),
        ({"email": "x" * 600_000}, 400, "larger than Deltaboard accepts (512 KiB)"),
        ({"email": "x" * 1_000_000}, 400, "larger than Deltaboard accepts (1024 KiB)"),
        ({"sid": {"a": 1}}, 403, "printable characters"),
        ({"sid": "a\0b"}, 403, "printable characters"),
    ],
)
def test_a_token_that_cannot_be_trusted_signs_nobody_in(
    provider: Provider, browser: PlainBrowser, claims: Claims, status: int, words: str
) -> None:
    changed(provider, **claims)
    refused = browser.sign_in()
    assert words in problem_of(refused)
    assert refused.status_code == status
    assert browser.session_cookie == ""
    assert browser.get("/feed/").status_code == 303
    assert "/accounts/main/sign-in/?next=%2Ffeed%2F" in refused.text, "the way to try again leads to the same page"


def test_two_thousand_groups_are_taken(provider: Provider, browser: PlainBrowser) -> None:
    changed(provider, groups=[f"group-{number}-{'x' * 80}" for number in range(2000)])
    assert browser.sign_in().status_code == 303


def test_clocks_may_differ_by_a_few_seconds(provider: Provider, browser: PlainBrowser) -> None:
    changed(provider, iat=int(time.time() + 30), exp=int(time.time() - 30))
    assert browser.sign_in().status_code == 303


def test_a_token_of_another_key_signs_nobody_in(provider: Provider, browser: PlainBrowser) -> None:
    key, other = provider.key, Provider().key
    try:
        provider.key = other
        assert "not signed with its keys" in problem_of(browser.sign_in())
    finally:
        provider.key = key


@pytest.mark.parametrize("alg", ["none", "HS256"])
def test_a_token_without_a_signature_of_the_provider_signs_nobody_in(
    provider: Provider, browser: PlainBrowser, alg: str
) -> None:
    """Such as anybody could make, or who knows the client's secret."""

    def part(value: object) -> bytes:
        return urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")

    address = browser.callback_address()
    claims = {"iss": provider.url, "aud": "deltaboard", "sub": "mallory", "email": "m@x", "iat": NOW, "exp": NOW + 900}
    signed = part({"alg": alg, "kid": "one"}) + b"." + part(claims)
    secret = hmac.new(b"a secret of the client's", signed, hashlib.sha256).digest() if alg == "HS256" else b""
    token = (signed + b"." + urlsafe_b64encode(secret).rstrip(b"=")).decode()
    provider.token_response = json.dumps({"access_token": "a", "id_token": token}).encode()
    assert "not signed with its keys" in problem_of(browser.get(address))
    assert browser.session_cookie == ""


@pytest.mark.parametrize(
    "answer",
    [b"{}", b"[]", b"not JSON", b'{"access_token": "x"}', b'{"access_token": "x", "id_token": 7}',
     b'{"access_token": "x", "expires_in": "soon"}', b'{"access_token": "x", "expires_in": 1e999}',
     b'{"access_token":' + b"[" * 90_000 + b"]" * 90_000 + b"}", b"x" * 3_000_000],
)  # fmt: skip
def test_a_token_response_of_another_shape_is_a_sentence(
    provider: Provider, browser: PlainBrowser, answer: bytes
) -> None:
    provider.token_response = answer
    refused = browser.sign_in()
    assert refused.status_code in (400, 503)
    assert "Login main" in problem_of(refused)


def test_a_denial_is_a_sentence_and_a_way_to_try_again(provider: Provider, browser: PlainBrowser) -> None:
    provider.is_denied = True
    refused = browser.sign_in(back="/controllers/")
    assert refused.status_code == 403
    assert "did not let you sign in" in problem_of(refused)
    assert "/accounts/main/sign-in/?next=%2Fcontrollers%2F" in refused.text


def test_an_answer_counts_once(provider: Provider, browser: PlainBrowser) -> None:
    address = browser.callback_address()
    state = browser.http.cookies.get("deltaboard_sign_in")
    assert browser.get(address).status_code == 303
    again = browser.get(address)
    assert "belongs to no sign-in that this browser has begun" in problem_of(again)
    browser.http.cookies.set("deltaboard_sign_in", state, path="/accounts/")  # as if the state were not used up
    assert "used already, or took too long" in problem_of(browser.get(address))


def test_an_answer_counts_in_the_browser_that_asked(
    process: LocalDashboard, provider: Provider, browser: PlainBrowser
) -> None:
    """Else somebody could sign others in as themselves, and read what these do."""
    stranger = PlainBrowser(process.url)
    refused = stranger.get(browser.callback_address())
    assert "belongs to no sign-in that this browser has begun" in problem_of(refused)
    assert stranger.session_cookie == ""


def test_tampered_cookies_are_no_cookies(provider: Provider, browser: PlainBrowser) -> None:
    address = browser.callback_address()
    browser.http.cookies.set("deltaboard_sign_in", "x" * 3_000, path="/accounts/")
    assert "belongs to no sign-in" in problem_of(browser.get(address))
    browser.sign_in()
    real = browser.session_cookie
    key, _, signature = real.partition(":")
    for made_up in (f"{key}x:{signature}", key, f"{key}:{signature[:-1]}", "ø", "x" * 4_000, ":", ""):
        other = PlainBrowser(browser.url)
        answer = other.get("/feed/", Cookie=f"deltaboard_session={made_up}".encode().decode("latin-1"))
        assert answer.status_code == 303, made_up


def test_the_iss_of_an_answer_must_be_the_issuers(provider: Provider, browser: PlainBrowser) -> None:
    refused = browser.get(f"{browser.callback_address()}&iss=https%3A%2F%2Fevil.example")
    assert "not from" in problem_of(refused)


def test_each_issuer_names_its_own_people(providers: tuple[Provider, Provider], browser: PlainBrowser) -> None:
    """The second one says that its person is the first one's."""
    providers[1].person = {"sub": "main:alice@example.com"}
    assert browser.sign_in("partner").status_code == 303
    assert "Signed in as partner:main:alice@example.com" in browser.get("/feed/").text


def test_an_answer_of_one_issuer_is_none_of_the_other(
    providers: tuple[Provider, Provider], browser: PlainBrowser
) -> None:
    address = browser.callback_address("main").replace("/accounts/main/", "/accounts/partner/")
    assert "belongs to no sign-in" in problem_of(browser.get(address))


def test_while_a_provider_is_down_those_who_are_signed_in_go_on(provider: Provider, browser: PlainBrowser) -> None:
    browser.sign_in()
    other = PlainBrowser(browser.url)
    address = other.callback_address()
    provider.__exit__()
    try:
        refused = other.get(address)
        assert refused.status_code == 503
        assert "does not answer" in problem_of(refused)
        assert browser.get("/feed/").status_code == 200
    finally:
        provider.__enter__()
    assert other.sign_in().status_code == 303


def test_no_token_of_the_provider_is_kept(provider: Provider, browser: PlainBrowser, process: LocalDashboard) -> None:
    provider.issued.clear()
    browser.sign_in()
    (tokens,) = provider.issued
    assert process.env is not None
    path = process.env["DATABASE_URL"].removeprefix("sqlite:///")
    with sqlite3.connect(path) as database:
        dump = "\n".join(database.iterdump())
    kept = [dump, process.output, *(cookie.value or "" for cookie in browser.http.cookies)]
    for name in ("access_token", "refresh_token", "id_token"):
        assert not [text for text in kept if tokens[name] in text], name
    assert browser.session_cookie.partition(":")[0] not in dump, "nor the key of the session"
    assert "sessions_session" in dump


@pytest.mark.parametrize("address", ["/accounts/nobody/sign-in/", "/accounts/nobody/callback/"])
def test_an_unknown_issuer_is_a_sentence(browser: PlainBrowser, address: str) -> None:
    answer = browser.get(address)
    assert answer.status_code == 404
    assert "There is no such issuer" in problem_of(answer)
