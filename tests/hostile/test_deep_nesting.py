"""Attack: texts, definitions and objects nested so deep that reading them ends in a RecursionError."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import RequestFactory

from dashboard.objects.manifests.document import DocumentError, parse
from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.objects.schemas.from_crd import schema_of_version
from dashboard.objects.schemas.schema import UNKNOWN
from dashboard.server.middleware import TOO_DEEP, NestingRefusal


@pytest.mark.parametrize("text", ["a: " + "[" * 5000 + "]" * 5000, "a: " + "{a: " * 5000 + "}" * 5000])
def test_a_text_nested_too_deep_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(DocumentError, match="nested more than 200 levels deep"):
        parse(text)


def deep(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"properties": {"a": value}}
    return value


def test_a_definition_nested_too_deep_has_no_schema() -> None:
    assert schema_of_version({"schema": {"openAPIV3Schema": deep(1500)}}) is UNKNOWN


def test_a_page_of_an_object_nested_too_deep_is_a_refusal() -> None:
    middleware = NestingRefusal(lambda request: None)  # type: ignore[arg-type]
    request = RequestFactory().get("/resources/pods/a/b/edit/")
    with pytest.raises(RecursionError) as error:
        to_yaml(deep(1500))
    response = middleware.process_exception(request, error.value)
    assert response is not None
    assert (response.status_code, response.content.decode()) == (422, TOO_DEEP)
    assert middleware.process_exception(request, ValueError()) is None
