"""The page of the workbench in a headless browser."""

from __future__ import annotations

from tests.view.browser import open_page, texts_of, wait_until


def connected(driver, address):
    """Open the page of a server, and return the driver once it is connected."""
    open_page(driver, address)
    wait_until(lambda: driver.execute_script("return server.goal"))
    return driver


def numbers(page, part):
    """Return the numbers, or the ids, of the lines that a part of the page lists."""
    return [int(text) if text.isdigit() else text for text in texts_of(page, f"{part} .number")]


def correct(page, line, text):
    """Say through the page that a line is right with these links, as an edit text."""
    page.execute_script(
        "openLine(arguments[0], { mode: 'lines' });"
        "edits.change(currentDrawing.index, parseEdit(arguments[1])); showEdit(currentDrawing.index)",
        line,
        text,
    )
