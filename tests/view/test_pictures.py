"""Tests of pictures in a headless browser: words, links, cards and export."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from aligner.links.alignments import Alignments
from tests.view.browser import boxes, screen, wait_until, words_in_picture

pytestmark = pytest.mark.browser


def test_right_to_left_words_run_from_right_to_left(page):
    page.at("#line=5")
    positions = [[box["left"] for box in boxes(page, f'[data-side="{k}"] text')] for k in (0, 1)]
    assert positions[0] == sorted(positions[0])
    assert positions[1] == sorted(positions[1], reverse=True)


def test_long_lines_are_cut_into_bands(show):
    """Every word and every link is drawn once, in several rows, inside the frame. Edits move no word."""
    words = [f"word{k}" for k in range(80)]
    page = show([words], [words[::-1]], Alignments.from_lists([[(k, k) for k in range(80)]]))
    assert (words_in_picture(page, 0), words_in_picture(page, 1)) == (words, words[::-1])
    assert len(page.all("#picture .link")) == 80
    read = (
        "return [...document.querySelectorAll('#picture text')]"
        ".map(({ x, y }) => [x, y].map((at) => at.baseVal[0].value))"
    )
    places = page.execute_script(read)
    assert len({y for _, y in places}) >= 8
    edit = " ".join(["=", *(f"{k}-{k + 8}" for k in range(72))])
    page.execute_script("edits.change(0, parseEdit(arguments[0])); drawLine(0)", edit)
    assert page.execute_script(read) == places
    assert page.one("#picture svg").rect["width"] <= page.one("#picture").rect["width"]


def hover(page, selector):
    """Move the pointer to an element, and return the text of the card."""
    page.execute_script(
        "document.querySelector(arguments[0]).dispatchEvent("
        "new PointerEvent('pointerover', {bubbles: true, clientX: 500, clientY: 300}))",
        selector,
    )
    return page.one("#card").text


def test_cards_tell_translations_and_probabilities(show, sample, tiny_model):
    pair = sample.train[0]
    links = Alignments.from_links(1, [0], [0], [0], np.array([0.75]))
    page = show([pair.source], [pair.target], links, model=tiny_model)
    card = hover(page, "#picture [data-side='0'] text")
    assert card.splitlines()[0] == pair.source[0]
    assert re.search(r"source, word 0, [\d,]+× in the training text", card)
    assert "translations in the text" in card
    card = hover(page, "#picture [data-link] .aim")
    figures = dict(line.removesuffix(" %").rsplit(" ", 1) for line in card.splitlines()[2:])
    assert figures["sure"] == "75.0"
    words = pair.source[0], pair.target[0]
    assert all(0 <= float(figures[" → ".join(own)]) <= 100 for own in (words, words[::-1]))


def test_card_of_a_link_is_beside_it_and_reads_from_left_to_right(driver, show):
    """Also below the right edge, in a low window, and with words from right to left."""
    screen(driver, 700, 450)
    page = show([["הספרייה", "b"]], [["the", "y"]], Alignments.from_lists([[(0, 0), (1, 1)]]))
    page.execute_script("byId('card').style.left = '650px'; probabilitiesOf = () => [0.5, 0.25]")
    hover(page, "#picture [data-link] .aim")
    *brought, card = (part.rect for part in page.all("#card, #picture .on text"))
    assert card["width"] >= 150
    assert all(
        card["x"] >= word["x"] + word["width"] or card["y"] >= word["y"] + word["height"] for word in brought
    )
    order = page.execute_script(
        "return [...document.querySelectorAll('#card td')].filter((cell) => cell.textContent.includes('→'))"
        ".map((cell) => [...cell.querySelectorAll('bdi')]"
        "  .sort((a, b) => a.getBoundingClientRect().x - b.getBoundingClientRect().x)[0].textContent)"
    )
    assert order == ["הספרייה", "the"]


def test_unknown_words_have_a_ring(page):
    assert len(page.all("#picture .ring")) == len(page.all("#picture .unknown")) == 2
    assert "not seen before" in hover(page, "#picture .unknown text")


def test_pictures_are_saved(page):
    page.at("#line=5")
    page.one("#svg").click()
    svg = page.downloads / "line-5.svg"
    wait_until(svg.exists)
    text = svg.read_text("utf-8")
    root = ElementTree.fromstring(text)
    drawn = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert drawn == ["the", "old", "library", "הספרייה", "הישנה"]
    assert "stroke: rgb(0, 114, 178)" in text
    assert "var(" not in text
    page.one("#png").click()
    png = page.downloads / "line-5.png"
    wait_until(png.exists)
    assert int.from_bytes(png.read_bytes()[16:20]) == 2 * int(root.get("width"))
