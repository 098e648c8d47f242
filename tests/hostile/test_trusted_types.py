"""Attack: a script of the page is made to take a text as HTML or as a script, past the templates' escaping."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.support.dashboard_with_proxy_users import web_program

pytestmark = [pytest.mark.program, pytest.mark.browser]


def test_the_browser_takes_text_as_html_from_the_pages_one_policy_only(chromium: Browser, tmp_path: Path) -> None:
    with web_program(tmp_path, DELTABOARD_TRUST_PROXY_USER="", DELTABOARD_TOKEN="off") as url:
        context = chromium.new_context()
        page = context.new_page()
        page.goto(f"{url}/feed/")
        for sink in (
            "document.body.innerHTML = '<p>x'",
            "document.body.insertAdjacentHTML('beforeend', '<p>x')",
            "new DOMParser().parseFromString('<p>x', 'text/html')",
            "document.createElement('script').text = 'alert(1)'",
            "document.createElement('script').src = '/static/x.js'",
            "trustedTypes.createPolicy('another', { createHTML: (text) => text })",
            "trustedTypes.createPolicy('default', { createHTML: (text) => text })",
            "document.write('<p>x')",
        ):
            refused = page.evaluate(
                f"() => {{ try {{ {sink}; return ''; }} catch (error) {{ return error.message; }} }}"
            )
            assert refused, sink
        context.close()
