"""Fixtures of tests in a browser: a page with everything, and pages of other content."""

from __future__ import annotations

import pytest

from aligner.links.alignments import Alignments
from aligner.links.formats.plain import read_links
from aligner.links.gold import Gold
from aligner.view.content import Content
from aligner.view.page import write_page
from tests.support import new_file
from tests.view.browser import open_page

LINES = [
    ("la maison bleue", "the blue house"),
    ("le <script>chat</script> dort", "the </script><b>cat sleeps"),
    ("我们 喝 茶", "we drink tea"),
    ("", "empty"),
    ("the old library", "הספרייה הישנה"),
]
LINKS = "0-0:0.9 1-2:0.6 2-1:0.3\n0-0:0.8 1-1:0.7 2-2:0.9\n0-0:1 1-1:1 2-2:1\n\n0-0:0.5 1-1:0.9 2-0:0.95\n"
SECOND = "0-0 1-2 2-1\n0-0 1-1\n0-0 1-1 2-2\n\n0-0 1-1 2-0\n"
SURE = [[(0, 0), (1, 2)], [(0, 0), (1, 1), (2, 2)], [(0, 0), (1, 1), (2, 2)], [], [(1, 1), (2, 0)]]
POSSIBLE = [[(2, 1), (2, 2)], [], [], [], []]


@pytest.fixture(scope="session")
def path(tmp_path_factory, tiny_model):
    """Return the path of a page with everything."""
    folder = tmp_path_factory.mktemp("page")
    links, second = (read_links(new_file(folder, text, name)) for name, text in [("l", LINKS), ("s", SECOND)])
    gold = Gold(Alignments.from_lists(SURE), Alignments.from_lists(POSSIBLE))
    sides = ([line[k].split() for line in LINES] for k in (0, 1))
    write_page(folder / "page.html", Content(*sides, links, gold, second, tiny_model, opening=0.0))
    return folder / "page.html"


@pytest.fixture
def page(driver, path):
    """Return a driver of the page, opened anew. ``open_at`` opens it again, ``at`` changes its state."""
    driver.open_at = lambda hash="": open_page(driver, f"{path.as_uri()}{hash}")
    driver.at = lambda hash: driver.execute_script("change(stateOf(arguments[0]))", hash)
    driver.open_at()
    return driver


@pytest.fixture
def show(driver, tmp_path):
    """Return a function that opens a page of sides as lists of words, and returns the driver."""

    def show(source, target, links, *, hash="", **parts):
        write_page(tmp_path / "page.html", Content(source, target, links, **parts))
        open_page(driver, f"{(tmp_path / 'page.html').as_uri()}{hash}")
        return driver

    return show
