"""OpenID Connect provider of a test, made with Authlib, that can be told what to do wrong."""

from __future__ import annotations

import json
import secrets
import socket
import ssl
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc import jwt
from joserfc.jwk import RSAKey

from dashboard.access.oidc.tokens import LOGOUT_EVENT

CLIENT_ID = "deltaboard"
CLIENT_SECRET = "a secret of the client's"
Claims = dict[str, Any]


class Provider:
    """Signs in `person` whoever comes, and keeps to the rules until a test changes an attribute."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self.person: Claims = {"sub": "alice-id", "email": "alice@example.com", "email_verified": True}
        """Claims of the person who signs in."""
        self.is_denied = False
        self.change: Callable[[Claims], None] = lambda claims: None
        """Changes the claims of the next ID tokens."""
        self.token_response: bytes | None = None
        """What the token endpoint answers instead."""
        self.key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
        self.published_keys = [self.key]
        self.issued: list[Claims] = []
        """Token responses."""
        self.asked: list[str] = []
        """Paths of the requests."""
        self._codes: dict[str, dict[str, str]] = {}
        self._server: ThreadingHTTPServer | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        """Listen, on the same port each time."""
        self._server = _Server(("127.0.0.1", self.port), type("Handler", (_Handler,), {"owner": self}))
        self._server.tls = self._tls
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def signed(self, claims: Claims, key: RSAKey | None = None) -> str:
        """A token with these claims."""
        return jwt.encode({"alg": "RS256", "kid": "one"}, claims, key or self.key)

    def logout_token(self, **changes: Any) -> str:
        """A logout token; what is changed to None is left out."""
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT_ID, "iat": now, "exp": now + 120, "jti": secrets.token_hex(8)}
        claims |= {"events": {LOGOUT_EVENT: {}}, **changes}
        return self.signed({name: value for name, value in claims.items() if value is not None})

    def authorize(self, query: dict[str, str]) -> str:
        """Where the browser is sent."""
        answer = {"state": query["state"]}
        if self.is_denied:
            answer["error"] = "access_denied"
        else:
            answer["code"] = secrets.token_urlsafe(16)
            self._codes[answer["code"]] = query
        return f"{query['redirect_uri']}?{urlencode(answer)}"

    def exchange(self, form: dict[str, str]) -> tuple[int, bytes]:
        """Status and body of the token endpoint."""
        if self.token_response is not None:
            return 200, self.token_response
        query = self._codes.pop(form.get("code", ""), None)
        if (form.get("client_id"), form.get("client_secret")) != (CLIENT_ID, CLIENT_SECRET):
            return 401, b'{"error": "invalid_client"}'
        challenge = create_s256_code_challenge(form.get("code_verifier", ""))
        if query is None or query["code_challenge"] != challenge or query["redirect_uri"] != form["redirect_uri"]:
            return 400, b'{"error": "invalid_grant"}'
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT_ID, "iat": now, "exp": now + 300, "nonce": query["nonce"]}
        claims |= self.person
        self.change(claims)
        tokens = {"access_token": secrets.token_hex(16), "refresh_token": secrets.token_hex(16), "token_type": "Bearer"}
        tokens["id_token"] = self.signed(claims)
        self.issued.append(dict(tokens))
        return 200, json.dumps(tokens).encode()

    @property
    def configuration(self) -> Claims:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/jwks",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }


class _Server(ThreadingHTTPServer):
    tls: ssl.SSLContext | None = None

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        return (self.tls.wrap_socket(connection, server_side=True) if self.tls else connection), address


class _Handler(BaseHTTPRequestHandler):
    owner: Provider

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.owner.asked.append(parts.path)
        if parts.path == "/authorize":
            location = self.owner.authorize({name: values[0] for name, values in parse_qs(parts.query).items()})
            self._answer(302, b"", location=location)
        elif parts.path == "/jwks":
            keys = [key.as_dict(private=False) for key in self.owner.published_keys]
            self._answer(200, json.dumps({"keys": keys}).encode())
        elif parts.path == "/.well-known/openid-configuration":
            self._answer(200, json.dumps(self.owner.configuration).encode())
        else:
            self._answer(404, b"{}")

    def do_POST(self) -> None:
        self.owner.asked.append(self.path)
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._answer(*self.owner.exchange({name: values[0] for name, values in parse_qs(body).items()}))

    def _answer(self, status: int, body: bytes, location: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- its name there
        """Say nothing."""
