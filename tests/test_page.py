"""The exported page in a browser: it runs like the simulator, can be damaged, and asks nobody for anything."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from .circuits import bits, border_checkerboard, digits, hand_made_life, plain_life
from .test_export import random_circuit

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run"]  # fmt: skip


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed; see .ci/install")
    if not shutil.which("chromium"):
        pytest.skip("chromium is not installed; see .ci/install")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Open the page of a circuit; at the end, no error and no request but for the page itself."""
    seen, asked, pages = [], [], []

    def call(exported, name, **viewport):
        path = tmp_path / "page.html"
        exported.export(path, name=name)
        page = browser.new_page(**viewport)
        pages.append(page)
        page.on("console", lambda message: seen.append(message.text))
        page.on("pageerror", lambda error: seen.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        return page

    yield call
    for page in pages:
        page.close()
    assert seen == []
    assert {url for url in asked if not url.startswith("data:")} == {(tmp_path / "page.html").as_uri()}


def grid(page, channel):
    return bits(page.evaluate(f"automaton.text({channel})").split("\n"))


def put(page, start):
    height, width = start.shape[1:]
    page.fill("#height", str(height))
    page.fill("#width", str(width))
    page.locator("#width").blur()
    page.evaluate("texts => automaton.load(texts)", [digits(channel) for channel in start])


@pytest.mark.parametrize(("height", "width"), [(20, 31), (7, 32), (5, 65), (1, 1), (64, 64)])
def test_the_page_runs_like_the_simulator(open_page, height, width):
    rng = np.random.default_rng(width)
    for exported in (hand_made_life(), border_checkerboard(), random_circuit(3, 2, "periodic", 60)):
        page = open_page(exported, "circuit")
        start = rng.random((exported.channels, height, width)) < 0.4
        put(page, start)
        for _ in range(9):
            page.click("#step")
        expected = exported.run(start[None], 9, backend="numpy")[0]
        for channel in range(exported.channels):
            assert np.array_equal(grid(page, channel), expected[channel])
        assert page.inner_text("#count") == "9"


def test_life_in_the_page_is_life_by_counting(open_page):
    page = open_page(hand_made_life().simplify(), "life")
    start = np.random.default_rng(1).random((12, 40)) < 0.4
    put(page, start[None])
    page.click("#step")
    assert np.array_equal(grid(page, 0), plain_life(start))


def test_cells_that_do_not_fire_keep_their_bits(open_page):
    exported = hand_made_life()
    page = open_page(exported, "life")
    rng = np.random.default_rng(2)
    start, fire = rng.random((6, 32)) < 0.4, rng.random((6, 32)) < 0.6
    put(page, start[None])
    words = [int(sum(int(bit) << x for x, bit in enumerate(row))) for row in fire]
    page.evaluate("words => automaton.step(Int32Array.from(words, (word) => word | 0))", words)
    assert np.array_equal(grid(page, 0), np.where(fire, plain_life(start), start))
    share = page.evaluate("(() => { automaton.resize(512, 512); let n = 0; for (let word of automaton.chance())"
                          " for (; word; word &= word - 1) n++; return n / 512 / 512; })()")  # fmt: skip
    assert share == pytest.approx(0.6, abs=0.01)
    page.select_option("#mode", "async")
    page.click("#step")


def test_the_brush_damages_and_the_pattern_heals(open_page):
    page = open_page(border_checkerboard(), "checkerboard")
    page.evaluate("for (let i = 0; i < 200; i++) automaton.step()")
    healthy = grid(page, 0)
    box = page.locator("#grid").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    damaged = grid(page, 0)
    assert not damaged[30:35, 30:35].any()
    assert healthy[30:35, 30:35].any()
    changed = damaged != healthy
    changed[30:35, 30:35] = False
    assert not changed.any()
    page.evaluate("for (let i = 0; i < 200; i++) automaton.step()")
    assert np.array_equal(grid(page, 0), healthy)


def test_the_keyboard_plays_steps_paints_and_restarts(open_page):
    page = open_page(hand_made_life(), "life")
    page.select_option("#start", "empty")
    page.select_option("#brush", "draw")
    page.fill("#size", "1")
    page.focus("#grid")
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert np.argwhere(grid(page, 0)).tolist() == [[33, 33]]
    page.keyboard.press("s")
    assert not grid(page, 0).any()  # a lonely cell dies
    page.keyboard.press("Space")
    assert page.inner_text("#play") == "Pause"
    page.wait_for_function("automaton.steps > 3")
    page.keyboard.press("Space")
    page.keyboard.press("r")
    assert page.evaluate("automaton.steps") == 0


def test_every_gate_is_drawn_and_the_page_fits_a_phone(open_page):
    exported = border_checkerboard().simplify([0])
    page = open_page(exported, "checkerboard", viewport={"width": 390, "height": 844})
    assert page.locator("#drawing circle").count() == exported.netlist.gates
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("#channel option").count() == 5
