"""Editor of a Mydemo by its form, as a browser without scripts: each request is a connection of its own."""

from __future__ import annotations

from http.cookiejar import CookieJar
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin
from urllib.request import HTTPCookieProcessor, Request, build_opener

from tests.support.edit.form_inputs import Inputs

SAVED = "saved"


class FormEditor:
    """Keeps cookies. `url` is that of the dashboard."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._opener = build_opener(HTTPCookieProcessor(CookieJar()))

    def change_port(self, namespace: str, name: str, before: int, port: int) -> str:
        """SAVED, or what the page says. Raises OSError without a connection, KeyError where the form does not come."""
        address = self.address(namespace, name)
        _, form = self.open(address)
        values = {**form.values, "yaml": form.values["yaml"].replace(f"port: {before}", f"port: {port}")}
        status, form = self.open(urljoin(address, form.action or address), {**values, "review": ""})
        if "save" not in form.buttons:
            return f"{status} to the review"
        status, form = self.open(urljoin(address, form.action or address), {**form.values, "save": ""})
        return SAVED if status == 200 and "save" not in form.buttons else f"{status} to the saving"

    def address(self, namespace: str, name: str) -> str:
        """The address of the form of a Mydemo."""
        return f"{self.url}/resources/mydemos.crddemo.k8s.io/{namespace}/{name}/edit/"

    def open(self, address: str, data: dict[str, str] | None = None) -> tuple[int, Inputs]:
        """Status and inputs of a page, after redirects."""
        status, text = self.text(address, data)
        form = Inputs()
        form.feed(text[text.find("<main") : text.find("</main>")])
        return status, form

    def text(self, address: str, data: dict[str, str] | None = None) -> tuple[int, str]:
        """Status and text of a page, after redirects."""
        body = urlencode(data).encode() if data is not None else None
        headers = {"Connection": "close", "Origin": self.url, "Referer": address}
        try:
            with self._opener.open(Request(address, body, headers), timeout=30) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()
