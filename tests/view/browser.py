"""A headless Chromium that shows pages, for tests of their behaviour."""

from __future__ import annotations

import shutil
import time

import pytest

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ARGUMENTS = """
    --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --disable-sync
    --disable-background-networking --disable-component-update --window-size=1300,860
"""


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """Return the driver of the only Chromium; skip tests without one."""
    chromium = start_chromium(tmp_path_factory.mktemp("downloads"))
    yield chromium
    chromium.quit()


@pytest.fixture
def driver(chromium):
    """Return the driver of Chromium, which has the screen and the colours of its start, and no edits.

    No page of the test may report an error.
    """
    yield chromium
    chromium.execute_script("try { localStorage.clear() } catch { }")  # a page of data has none
    assert errors_of(chromium) == []


def start_chromium(downloads):
    """Return a driver of a headless Chromium, with short names for what tests do; skip the test without one.

    downloads: the folder of what it downloads.
    """
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium (the extra `browser`) is missing")
    binary = next(filter(None, map(shutil.which, CHROMIUM)), None)
    chromedriver = shutil.which("chromedriver")
    if binary is None or chromedriver is None:
        pytest.skip("Chromium or chromedriver is missing")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ARGUMENTS.split():
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chromium = webdriver.Chrome(options, webdriver.ChromeService(chromedriver))
    chromium.set_page_load_timeout(20)
    chromium.downloads = downloads
    chromium.all = lambda selector: chromium.find_elements("css selector", selector)
    chromium.one = lambda selector: chromium.find_element("css selector", selector)
    chromium.click = lambda selector: chromium.execute_script(
        "document.querySelector(arguments[0]).click()", selector
    )
    chromium.press = lambda keys: press(chromium, keys)
    return chromium


def press(driver, keys):
    """Press keys one after another, in no field: an element that is told to is slower by a factor of 3."""
    driver.execute_script("document.activeElement.blur()")
    actions = pytest.importorskip("selenium.webdriver").ActionChains(driver)
    actions.send_keys(keys).perform()


def wait_until(condition, seconds=60):
    """Return the first true value of a condition; fail if there is none in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.02)
    raise AssertionError("the page did not do it in time")


def load(driver, url):
    """Load a page, and once more if Chromium never ends the first try, as it does about once in 100."""
    exceptions = pytest.importorskip("selenium.common.exceptions")
    try:
        driver.get(url)
    except exceptions.TimeoutException:
        driver.get(url)


def open_page(driver, url):
    """Open a page anew, and wait until it shows a line."""
    if driver.current_url.split("#")[0] == url.split("#")[0]:  # a link within a page does not load it
        again = "window.isOld = true; history.replaceState(null, '', arguments[0]); location.reload()"
        driver.execute_script(again, url)
    else:
        load(driver, url)
    # After a download, get may return before the page is there.
    wait_until(
        lambda: driver.execute_script("return !window.isOld && !!document.querySelector('#picture svg')")
    )


def texts_of(driver, selector):
    """Return the texts of the elements that match a selector, all as they are at one time."""
    return driver.execute_script(
        "return [...document.querySelectorAll(arguments[0])]"
        ".map((found) => found.innerText ?? found.textContent)",
        selector,
    )


def words_in_picture(driver, side):
    """Return the words of a side in the picture, in order."""
    return texts_of(driver, f'#picture [data-side="{side}"] text')


EXPECTED = "ERR_CONNECTION_", "ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE_CHUNKED_ENCODING", "status of 4"
"""Parts of errors that a page reports when its server ends, or refuses an act."""


def errors_of(driver):
    """Undo what a test has set, and return the errors that its pages have reported."""
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    errors = [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
    return [error for error in errors if not any(part in error for part in EXPECTED)]


def screen(driver, width, height, *, touch=False):
    """Give the page a screen of a size in pixels, with a mouse or for fingers."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": touch}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": touch})


def touch_at(driver, x, y):
    """Touch a place of the window."""
    for kind, points in (("touchStart", [{"x": x, "y": y}]), ("touchEnd", [])):
        driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def touch_stroke(driver, *places):
    """Hold a finger down at the first place, and draw it over the others."""
    kinds = ["touchStart", *["touchMove"] * (len(places) - 1), "touchEnd"]
    for kind, place in zip(kinds, [*places, None], strict=True):
        points = [dict(zip("xy", place, strict=True))] if place else []
        driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        time.sleep(0.4 if kind == "touchStart" else 0)


def colours(driver, scheme):
    """Give the page light or dark colours, as the system would."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def boxes(page, selector):
    """Return the places of elements on the screen, each after it is scrolled into sight."""
    return page.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map((found) => {"
        "found.scrollIntoView({block: 'nearest'});"
        "const {left, right, top, bottom} = found.getBoundingClientRect();"
        "const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);"
        "return {id: found.id, left, right, top, bottom, isHit: found.contains(hit)}; })",
        selector,
    )


def faint_texts(page):
    """Return the texts in sight, but for disabled controls, with a contrast below 4.5 to their ground."""
    texts = page.execute_script(
        "const most = (text) => (text.startsWith('color(') ? 255 : 1);"  # mixed colours are from 0 to 1
        "const colour = (text) => text.match(/[\\d.]+/g).map((part) => part * most(text));"
        "const isText = (part) => !part.closest('svg, :disabled') && part.checkVisibility() &&"
        "  [...part.childNodes].some((node) => node.nodeType === 3 && node.data.trim());"
        "const behind = (part) => { const own = colour(getComputedStyle(part).backgroundColor);"
        "  return own[3] === 0 ? behind(part.parentElement) : own; };"
        "return [...document.body.querySelectorAll('*')].filter(isText).map((part) =>"
        "  [part.textContent, colour(getComputedStyle(part).color), behind(part)])"
    )
    assert texts
    return [text for text, ink, paper in texts if contrast(ink, paper) < 4.5]


def contrast(one, other):
    """Return the contrast of two sRGB colours, as WCAG defines it."""
    lights = sorted(luminance(colour) for colour in (one, other))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def luminance(colour):
    """Return the relative luminance of an sRGB colour, as WCAG defines it."""
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in (c / 255 for c in colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
