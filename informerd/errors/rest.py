"""Errors on the way to the API server: configuration, credentials, connections, and malformed responses."""

from __future__ import annotations

from informerd.errors.base import InformerdError


class ConfigError(InformerdError):
    """The cluster's configuration cannot be used; the message names the file, the position and what to do."""


class MalformedAnswer(InformerdError):
    """A success whose body is not what an API server sends: no JSON, another form, or a proxy's page."""


class NoContent(MalformedAnswer):
    """A success without a body (204), where one was to come: so the API server answers for the log of a pod that is on
    no node yet.
    """


class MalformedStream(MalformedAnswer):
    """A list or watch answer is no JSON of the expected form."""


class Unreachable(InformerdError):
    """No answer came: refused, reset, timed out, TLS or name failure. Nothing is known about what the server did."""


class NotConnected(Unreachable):
    """No connection could be made: refused, or no way there. Nothing was sent."""


class NotBegun(Unreachable):
    """The connection stands, but the answer has not begun within the time it was given."""


class CredentialsError(Unreachable):
    """Credentials could not be had: an exec plugin failed or a token file is unreadable."""
