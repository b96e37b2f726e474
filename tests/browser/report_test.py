#!/usr/bin/env python3
"""Pages of lanescope report in a headless Chromium. See scripts/test-report."""
import contextlib
import json
import shutil
import time

import html5lib
from program import SAMPLES, lanescope, real_trace, run_all, scratch
from selenium import webdriver
from selenium.webdriver import ActionChains
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


@contextlib.contextmanager
def page_of(trace, *words):
    """A browser that shows the report of a trace. In the end its console must be empty, and it has asked for nothing."""
    options = Options()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1300,1000"):
        options.add_argument(argument)
    options.binary_location = shutil.which("chromium")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with scratch() as folder:
        lanescope("report", trace, "-o", f"{folder}/page.html", *words)
        with open(f"{folder}/page.html", encoding="utf-8") as file:
            parser = html5lib.HTMLParser()
            parser.parse(file.read())
        assert not parser.errors, parser.errors[:5]
        driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        try:
            driver.get(f"file://{folder}/page.html")
            wait(driver, "return window.lanescope !== undefined")
            yield driver
            assert not driver.get_log("browser")
            asked = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
            urls = [one["params"]["request"]["url"] for one in asked if one["method"] == "Network.requestWillBeSent"]
            assert all(url.startswith(("file:", "blob:", "data:")) for url in urls), urls
        finally:
            driver.quit()


def wait(driver, script):
    for _ in range(100):
        if driver.execute_script(script):
            return
        time.sleep(0.05)
    raise AssertionError(script)


def hold(driver, key, seconds):
    ActionChains(driver).key_down(key).pause(seconds).key_up(key).perform()


def view(driver):
    return driver.execute_script("return [lanescope.begin, lanescope.end]")


def focus(driver):
    canvas = driver.find_element(By.ID, "timeline")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
    driver.execute_script("arguments[0].focus()", canvas)
    return canvas


def test_flying_with_keys():
    with page_of(SAMPLES / "synthetic_step.json.gz") as driver:
        focus(driver)
        begin, end = view(driver)
        hold(driver, "w", 0.6)
        near = view(driver)
        assert near[1] - near[0] < 0.6 * (end - begin), (near, begin, end)
        hold(driver, "d", 0.4)
        right = view(driver)
        assert right[0] > near[0] and abs((right[1] - right[0]) - (near[1] - near[0])) < 2, (near, right)
        hold(driver, "a", 0.4)
        assert view(driver)[0] < right[0]
        hold(driver, "s", 0.5)
        assert view(driver)[1] - view(driver)[0] > right[1] - right[0]
        ActionChains(driver).send_keys("f").perform()
        wait(driver, "return Math.abs(lanescope.end - lanescope.begin - lanescope.trace.span) < 1")


def test_a_click_selects_and_shows_links():
    with page_of(SAMPLES / "synthetic_step.json.gz") as driver:
        canvas = focus(driver)
        # The middle of a kernel that was launched by a call.
        x, y, name, slice_number = driver.execute_script("""
            const t = lanescope, linked = t.trace.to[0], at = t.where(linked);
            t.go(at.row.start[at.index], at.row.end[at.index], at.row);
            return [t.xOf((at.row.start[at.index] + at.row.end[at.index]) / 2), at.row.y + 22 - t.top + 8,
                    t.trace.labels[at.row.label[at.index]][0], linked];""")
        size = canvas.size
        ActionChains(driver).move_to_element_with_offset(canvas, int(x - size["width"] / 2), int(y - size["height"] / 2)).click().perform()
        assert driver.execute_script("return lanescope.selected") == slice_number
        details = driver.find_element(By.ID, "details")
        assert name in details.text and "launched by" in details.text, details.text
        details.find_element(By.TAG_NAME, "button").click()
        assert driver.execute_script("return lanescope.selected") != slice_number
        ActionChains(driver).send_keys(Keys.ESCAPE).perform()


def test_search_goes_from_match_to_match():
    with page_of(SAMPLES / "synthetic_step.json.gz") as driver:
        focus(driver)
        ActionChains(driver).send_keys("/").perform()
        name = driver.execute_script("return lanescope.trace.labels[lanescope.rows[0].label[0]][0]")
        driver.find_element(By.ID, "search").send_keys(name)
        assert "found" in driver.find_element(By.ID, "found").text
        driver.find_element(By.ID, "search").send_keys(Keys.ENTER)
        assert driver.find_element(By.ID, "found").text.startswith("1 of "), driver.find_element(By.ID, "found").text
        assert name in driver.find_element(By.ID, "details").text
        driver.find_element(By.ID, "search").send_keys(Keys.ESCAPE)
        assert driver.find_element(By.ID, "found").text == ""


def test_a_place_of_a_finding_is_shown():
    with page_of(SAMPLES / "synthetic_step.json.gz") as driver:
        button = driver.find_element(By.CSS_SELECTOR, "button[data-begin]")
        begin, end = float(button.get_attribute("data-begin")), float(button.get_attribute("data-end"))
        driver.execute_script("arguments[0].click()", button)
        shown = view(driver)
        assert shown[0] <= begin and shown[1] >= end and shown[1] - shown[0] < 4 * max(end - begin, 30), (shown, begin, end)


def test_tables_sort_and_filter():
    with page_of(SAMPLES / "synthetic_step.json.gz") as driver:
        rows = "return [...document.querySelectorAll('#kernels tbody tr:not([hidden])')].map((r) => [...r.cells].map((c) => c.dataset.v))"
        heads = driver.execute_script("return [...document.querySelectorAll('#kernels th')].map((h) => h.textContent)")
        column = heads.index("calls")
        head = driver.find_elements(By.CSS_SELECTOR, "#kernels th")[column]
        for reverse in (True, False):
            driver.execute_script("arguments[0].click()", head)
            calls = [int(row[column]) for row in driver.execute_script(rows)]
            assert calls == sorted(calls, reverse=reverse) and len(set(calls)) > 1, calls
        box = driver.find_element(By.CSS_SELECTOR, "input[data-table=kernels]")
        every = len(driver.execute_script(rows))
        box.send_keys("memcpy")
        assert 0 < len(driver.execute_script(rows)) < every
        dark = driver.execute_script("return document.body.classList.contains('dark')")
        driver.find_element(By.ID, "theme").click()
        assert driver.execute_script("return document.body.classList.contains('dark')") != dark


def test_frames_of_a_large_trace():
    with page_of(real_trace("torch/v100_memory_nccl.json.gz")) as driver:
        assert driver.execute_script("return lanescope.trace.slices") > 100_000
        focus(driver)
        driver.execute_script("lanescope.times.length = 0")
        for key, seconds in (("w", 2), ("d", 1), ("a", 1), ("s", 1.5), ("w", 1)):
            hold(driver, key, seconds)
        times = sorted(driver.execute_script("return lanescope.times"))
        share = times[int(len(times) * 0.95)]
        print(f"{len(times)} frames: median {times[len(times) // 2]:.1f} ms, 95th percentile {share:.1f} ms")
        assert len(times) > 50 and share <= 16, (len(times), share)


run_all(globals())
