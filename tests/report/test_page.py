"""The page in a real browser: it draws itself, asks for nothing, and can be read by everybody."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fipscm import FiP

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
SCHEMES = ["light", "dark"]


def draw_everything(page):
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.wait_for_function("[...document.querySelectorAll('.chart')].every(chart => chart.querySelector('.main-svg'))")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_it_draws_every_chart_without_a_complaint_or_a_request(new_page, address, scheme):
    page = new_page(color_scheme=scheme)
    page.goto(address)
    draw_everything(page)
    assert page.complaints == []
    assert page.requests == [address]
    assert page.locator(".chart").count() > 8


def test_a_chart_is_drawn_when_it_comes_into_view(new_page, address):
    page = new_page()
    page.goto(address)
    last = page.locator("#fit .chart").last
    assert last.locator(".main-svg").count() == 0
    last.scroll_into_view_if_needed()
    last.locator(".main-svg").first.wait_for()


@pytest.mark.parametrize("width", [320, 390, 768])
def test_nothing_but_the_graph_and_tables_scrolls_sideways(new_page, address, width):
    page = new_page(width=width)
    page.goto(address)
    draw_everything(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_markup_in_names_stays_text(new_page, address, table):
    page = new_page()
    alerts = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    page.goto(address)
    draw_everything(page)
    assert not alerts
    assert page.locator("main script, main b:not(.bar b)").count() == 0
    assert set(page.locator("#order .chips li").all_inner_texts()) == set(table.columns)
    assert set(page.locator("svg.graph text").all_text_contents()) == set(table.columns)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_has_enough_contrast(new_page, address, scheme):
    page = new_page(color_scheme=scheme)
    page.goto(address)
    colours = page.evaluate(
        """() => Object.fromEntries(['ink', 'muted', 'raises', 'lowers', 'shared', 'good', 'notes', 'bad', 'paper',
        'soft', 'box'].map(name => [name, getComputedStyle(document.documentElement).getPropertyValue('--' + name)]))"""
    )
    light = {name: luminance(colour.strip()) for name, colour in colours.items()}
    grounds = {"ink": ["paper", "soft", "box"], "good": ["soft"], "notes": ["soft"], "bad": ["soft"]}
    for name in ("ink", "muted", "raises", "lowers", "shared", "good", "notes", "bad"):
        for ground in grounds.get(name, ["paper", "soft"]):
            darker, lighter = sorted((light[name], light[ground]))
            assert (lighter + 0.05) / (darker + 0.05) >= 4.5, (scheme, name, ground)


def luminance(colour):
    channels = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def test_the_keyboard_suffices(new_page, address):
    page = new_page()
    page.goto(address)
    page.keyboard.press("Tab")
    page.wait_for_function("document.activeElement.className === 'skip'")
    page.keyboard.press("Enter")
    page.wait_for_url("**#verdict")
    summary = page.locator("#graph summary")
    summary.focus()
    page.keyboard.press("Enter")
    page.locator("#graph table").first.wait_for()


def test_what_is_drawn_is_also_said(new_page, address):
    page = new_page()
    page.goto(address)
    for picture in page.locator("[role=img]").all():
        assert len(picture.get_attribute("aria-label")) > 15
    for region in page.locator(".scroll").all():
        assert region.get_attribute("aria-label")
        assert region.get_attribute("tabindex") == "0"
    assert page.locator("h1").count() == 1
    assert page.locator("html").get_attribute("lang") == "en"


def test_it_can_be_printed(new_page, address):
    page = new_page()
    page.goto(address)
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert page.pdf().startswith(b"%PDF")


@pytest.mark.skipif("FIPSCM_PICTURES" not in os.environ, reason="set FIPSCM_PICTURES=1 to renew the pictures in docs")
def test_the_picture_in_the_docs(new_page, tmp_path):
    table = patients(np.random.default_rng(1), 1500)
    FiP(random_state=0).fit(table).report(table).save(tmp_path / "report.html")
    page = new_page(width=1100, height=1400)
    page.goto((tmp_path / "report.html").as_uri())
    page.wait_for_timeout(1000)
    page.screenshot(path=PICTURES / "report.png")
    assert (PICTURES / "report.png").stat().st_size < 300_000


def patients(rng, rows):
    """An invented table that a physician would understand."""
    age = 18 + rng.gamma(9, 5, rows)
    exercise = np.maximum(6 - 0.06 * age + rng.exponential(1.6, rows), 0) + 0.01 * rng.normal(size=rows)
    salt = rng.gamma(4, 1.6, rows)
    weight = 62 + 9 * np.tanh((age - 45) / 18) - 2.2 * exercise + rng.laplace(0, 5, rows)
    pressure = 88 + 0.35 * age + 5.7 * np.sqrt(salt) + 0.25 * (weight - 65) + rng.laplace(0, 4, rows)
    sugar = 4.2 + 0.02 * weight + 0.012 * age - 0.05 * exercise + rng.gamma(2, 0.25, rows)
    risk = 0.004 * (pressure - 90) ** 2 + 1.8 * sugar + rng.laplace(0, 2, rows)
    columns = {"age": age, "salt (g/day)": salt, "exercise (h/week)": exercise, "weight (kg)": weight}
    return pd.DataFrame({**columns, "blood pressure": pressure, "blood sugar": sugar, "risk score": risk})
