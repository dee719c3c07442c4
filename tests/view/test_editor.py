"""Tests of the editor in notebooks: what the page and Python tell each other."""

from __future__ import annotations

import sys
from urllib.parse import quote

import pytest

from aligner.errors import ConfigError, DataError
from aligner.links.alignments import Alignments
from aligner.view import edit
from aligner.view.page import page_file
from tests.view.browser import wait_until

LINKS = Alignments.from_lists([[(0, 0), (1, 1)], [(0, 0)]])
SOURCE, TARGET = ["la maison", "chat"], ["the house", "cat"]

MODEL = """
  const [program, state, done] = arguments;
  window.widget = {
    get: (name) => state[name],
    set(name, value) {
      state[name] = value;
    },
    save_changes() {},
  };
  import(program).then(({ default: { render } }) => {
    document.body.replaceChildren();
    window.endWidget = render({ model: window.widget, el: document.body });
    done();
  });
"""
"""A program that shows a widget as a notebook does, with a stand-in for the notebook's model."""


@pytest.fixture
def editor():
    pytest.importorskip("anywidget")
    return edit(LINKS, zip(SOURCE, TARGET, strict=True))


def test_edits_are_known_links(editor):
    assert len(editor.known_links().of_text(2).known.source) == 0
    editor.edits = {"2": "= 0-0", "1": "0!1 0-0"}
    known = editor.known_links().of_text(2)
    assert (list(known.known), list(known.forbidden)) == ([[(0, 0)], [(0, 0)]], [[(0, 1)], []])
    assert known.complete.tolist() == [False, True]
    editor.edits = {"1": "nonsense"}
    with pytest.raises(DataError, match="edits:1"):
        editor.known_links()


def test_missing_library_is_named(monkeypatch):
    from aligner.view.notebook import _editor_class

    monkeypatch.setitem(sys.modules, "anywidget", None)
    _editor_class.cache_clear()
    with pytest.raises(ConfigError, match="notebook"):
        edit(LINKS, zip(SOURCE, TARGET, strict=True))


@pytest.mark.browser
def test_page_and_notebook_tell_each_other(driver, editor):
    driver.get("about:blank")
    program = f"data:text/javascript,{quote(page_file('widget.js'))}"
    driver.execute_async_script(MODEL, program, {"page": editor.page, "height": 500, "edits": {"2": "= 0-0"}})
    driver.switch_to.frame(wait_until(lambda: driver.all("iframe"))[0])
    wait_until(lambda: driver.all(".badge.complete"))
    assert driver.one("#editor").is_displayed()
    for button, expected in (("confirm", "0-0"), ("forbid", "0!0"), ("undo", "0-0")):
        driver.one(f"#{button}").click()
        driver.switch_to.default_content()
        edits = {"1": expected, "2": "= 0-0"}
        wait_until(lambda edits=edits: driver.execute_script("return widget.get('edits')") == edits)
        driver.switch_to.frame(0)
    driver.switch_to.default_content()
    driver.execute_script("endWidget()")
