"""Validation of a CustomResourceDefinition's conversion and scale subresource.

Source: apiextensions-apiserver's pkg/apis/apiextensions/validation and apiserver's pkg/util/webhook/validation.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from devcluster.server.api_errors import FieldError, forbidden_field, invalid_value, not_supported, required
from devcluster.server.names_and_labels import dns_1035_label_problems

_STRATEGIES = ("None", "Webhook")
_REVIEWS = ("v1", "v1beta1")
_CONVERSION = "spec.conversion"
_CLIENT = f"{_CONVERSION}.webhookClientConfig"
_VERSIONS = f"{_CONVERSION}.conversionReviewVersions"
_FORM = "desired format: https://host[/path]"


def check_conversion(conversion: dict[str, Any]) -> Iterator[FieldError]:
    """The errors in a definition's conversion."""
    strategy, webhook = conversion.get("strategy"), conversion.get("webhook") or {}
    client, versions = webhook.get("clientConfig"), webhook.get("conversionReviewVersions") or []
    if not strategy:
        yield required(f"{_CONVERSION}.strategy")
    elif strategy not in _STRATEGIES:
        yield not_supported(f"{_CONVERSION}.strategy", strategy, _STRATEGIES)
    if strategy == "Webhook":
        yield from _check_client(client)
        yield from _check_reviews(versions)
        return
    why = "should not be set when strategy is not set to Webhook"
    yield from [forbidden_field(_CLIENT, why)] if client is not None else []
    yield from [forbidden_field(_VERSIONS, why)] if versions else []


def _check_client(client: dict[str, Any] | None) -> Iterator[FieldError]:
    if client is None:
        yield required(_CLIENT, "required when strategy is set to Webhook")
    elif ("url" in client) == ("service" in client):
        yield required(_CLIENT, "exactly one of url or service is required")
    elif "url" in client:
        where, parts = f"{_CLIENT}.url", urlsplit(client["url"])
        if parts.scheme != "https":
            yield invalid_value(where, parts.scheme, f"'https' is the only allowed URL scheme; {_FORM}")
        if not parts.netloc:
            yield invalid_value(where, "", f"host must be specified; {_FORM}")
    else:
        fields = ("name", "namespace")
        yield from (required(f"{_CLIENT}.service.{each}") for each in fields if not client["service"].get(each))


def _check_reviews(versions: list[str]) -> Iterator[FieldError]:
    if not versions:
        yield required(_VERSIONS)
        return
    for position, version in enumerate(versions):
        where = f"{_VERSIONS}[{position}]"
        if version in versions[:position]:
            yield invalid_value(where, version, "duplicate version")
        yield from (invalid_value(where, version, why) for why in dns_1035_label_problems(version))
    if not {*_REVIEWS} & {*versions}:
        yield invalid_value(_VERSIONS, versions, f"must include at least one of {', '.join(_REVIEWS)}")


def check_scale(scale: dict[str, Any] | None, path: str) -> Iterator[FieldError]:
    """The errors in the paths of a custom resource's scale."""
    if scale is None:
        return
    for field, below in (("specReplicasPath", ".spec"), ("statusReplicasPath", ".status")):
        if not scale.get(field):
            yield required(f"{path}.{field}")
        else:
            why = f"should be a json path under {below}"
            yield from _check_path(scale[field], (f"{below}.",), f"{path}.{field}", why)
    if scale.get("labelSelectorPath"):
        why = "should be a json path under either .spec or .status"
        yield from _check_path(scale["labelSelectorPath"], (".spec.", ".status."), f"{path}.labelSelectorPath", why)


def _check_path(text: str, below: tuple[str, ...], path: str, why: str) -> Iterator[FieldError]:
    if not text.startswith("."):
        yield invalid_value(path, text, "must be a simple json path starting with .")
    elif not text.startswith(below):
        yield invalid_value(path, text, why)
