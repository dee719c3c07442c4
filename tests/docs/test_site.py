"""The site: built without a warning, it describes all that is public and loads nothing from the network."""

import html
import re
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import click
import pytest

import aligner
from aligner.cli.main import VERBS, align
from tests.documents import ROOT

pytestmark = pytest.mark.docs

LOADING = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src")}


class Page(HTMLParser):
    """The ids of a page, the targets of its links, and the files that a browser loads with it."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded = set(), set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            elif (tag, name) == ("a", "href"):
                self.links.add(value)
            elif (tag, name) in LOADING:
                self.loaded.add(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site; return its folder."""
    pytest.importorskip("sphinx", reason="the site needs the extra docs")
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        *["-m", "sphinx", "--fail-on-warning", "--keep-going", "-q", "-E", "docs"],
        folder,
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    """Return the pages by path."""
    return {path.resolve(): Page(path.read_text("utf-8")) for path in site.rglob("*.html")}


def test_internal_links_lead_somewhere(pages):
    checked = 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.exists(), f"{path}: {link}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].ids, f"{path}: {link}"
            checked += 1
    assert checked > 1000


def test_nothing_is_loaded_from_the_network(site, pages):
    loaded = {urlsplit(target) for page in pages.values() for target in page.loaded}
    assert loaded
    assert {target.scheme for target in loaded} <= {"", "data"}
    assert not any(target.netloc for target in loaded)
    for path in site.rglob("*.css"):
        assert not re.search(r"@import|url\(\s*['\"]?(https?:)?//", path.read_text("utf-8")), path


def text_of(path):
    """Return the text of a page without its tags."""
    return html.unescape(re.sub(r"<[^>]+>", "", path.read_text("utf-8")))


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_of_a_verb_is_described(site, verb):
    text = text_of(site / "reference" / "verbs" / f"{verb}.html")
    command = align.get_command(click.Context(align), verb)
    context = click.Context(command, info_name=verb)
    options = (option for option in command.params if isinstance(option, click.Option))
    for name, description in filter(None, (option.get_help_record(context) for option in options)):
        assert f"{name}{' '.join(description.split())}" in text
    assert f"align {verb} [OPTIONS]" in text


def test_every_public_name_has_a_page(site):
    for name in set(aligner.__all__) - {"__version__"}:
        page = (site / "reference" / "api" / f"aligner.{name}.html").read_text("utf-8")
        assert f'id="aligner.{name}"' in page


def test_settings_have_their_defaults(site):
    page = text_of(site / "reference" / "settings.html")
    settings = (
        "threshold (default 0.5)",
        "lowercase (default true)",
        "null_weight (default 0.3)",
        "iterations",
    )
    assert [setting for setting in settings if setting not in page] == []


def test_equations_are_mathml_and_pictures_are_drawn(site):
    page = (site / "explanation" / "models.html").read_text("utf-8")
    assert '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">' in page
    assert len(set((site / "_images").glob("*.svg"))) >= 3  # of the tutorial of EM
