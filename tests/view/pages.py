"""Parts of the text of a page: its blocks of data, and what its policy allows."""

from __future__ import annotations

import base64
import hashlib
import json
import re

SCRIPT = re.compile(r'<script(?:[^>]* id="data-(\w+)")?>(.*?)</script>', re.DOTALL | re.IGNORECASE)


def data_of(page):
    """Return the data of a page by name: JSON, and a list of JSON for its lines."""
    blocks = dict(SCRIPT.findall(page))
    lines = [json.loads(line) for line in blocks.pop("lines").split("\n")[:-1]]
    return {name: json.loads(text) for name, text in blocks.items() if name} | {"lines": lines}


def assert_policy(page, **others):
    """Assert that a page requests nothing, and that its policy allows its style, its program, and others."""
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    rules = dict(rule.split(maxsplit=1) for rule in policy.split(";"))
    for name, pattern in (("style-src", "<style>(.*?)</style>"), ("script-src", "<script>(.*?)</script>")):
        (element,) = re.findall(pattern, page, re.DOTALL)
        digest = hashlib.sha256(element.encode()).digest()
        assert rules.pop(name) == f"'sha256-{base64.b64encode(digest).decode()}'"
    assert rules == others | dict.fromkeys(("default-src", "base-uri", "form-action"), "'none'")
    assert not re.search(r'style="| on\w+="|<[^>]*\b(src|href)=', SCRIPT.sub("", page))
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|innerHTML|\{\{[\w-]+\}\}", page)
