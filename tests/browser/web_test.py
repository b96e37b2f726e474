#!/usr/bin/env python3
"""The viewer as a page of a headless Chromium, with real keys and clicks. See scripts/test-web."""
import base64
import contextlib
import functools
import gzip
import http.server
import json
import os
import re
import shutil
import subprocess
import threading
import time

from program import BIN, ROOT, SAMPLES, Skip, json_of, run_all, scratch, text_of
from selenium import webdriver
from selenium.webdriver import ActionChains
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

WEB = os.environ.get("LANESCOPE_WEB") or os.path.join(ROOT, "build", "web")
SAMPLE = SAMPLES / "synthetic_step.json.gz"
PATIENCE = 60
PICTURES = os.environ.get("LANESCOPE_WEB_PICTURES")  # a folder for pictures; none are kept without it


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def server(folder):
    """Serves a folder on the loopback interface; gives its address."""
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_port}"
        serving.shutdown()


class Page:
    def __init__(self, driver, address):
        self.driver = driver
        self.address = address
        self.expected = []  # texts of messages on the console

    def state(self):
        return self.driver.execute_async_script("lanescope.state().then(arguments[0])")

    def table(self, name):
        return self.driver.execute_async_script("lanescope.table(arguments[0]).then(arguments[1])", name)

    def wait(self, condition, what):
        end = time.monotonic() + PATIENCE
        state = None
        while time.monotonic() < end:
            state = self.state()
            if state and condition(state):
                return state
            time.sleep(0.1)
        raise AssertionError(f"waited in vain for {what}; the page says {self.said()!r}, the console "
                             f"{self.driver.get_log('browser')}, the state is {json.dumps(state)[:1500]}")

    def said(self):
        return self.driver.execute_script("return document.getElementById('message').innerText")

    def rest(self):
        return self.wait(lambda s: s["at_rest"] and not s["moving"] and not s["loading"] and s["waiting_inputs"] == 0, "rest")

    def key(self, *keys):
        before = self.rest()["inputs"]
        ActionChains(self.driver).send_keys(*keys).perform()
        self.wait(lambda s: s["inputs"] > before, f"the keys {keys}")
        return self.rest()

    def drop(self, *paths):
        """Drops files on the page: the bytes come through the driver, the event is that of a real drop."""
        files = [[os.path.basename(path), base64.b64encode(open(path, "rb").read()).decode()] for path in map(str, paths)]
        self.driver.execute_script("""
            const data = new DataTransfer();
            for (const [name, text] of arguments[0])
              data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
            dispatchEvent(new DragEvent('drop', {dataTransfer: data, cancelable: true}));""", files)

    def open(self, *paths):
        self.drop(*paths)
        name = os.path.basename(str(paths[0]))
        return self.wait(lambda s: s["file"].endswith(name) and not s["loading"] and s.get("events"), name)

    def picture(self, name):
        if PICTURES:
            os.makedirs(PICTURES, exist_ok=True)
            self.driver.save_screenshot(os.path.join(PICTURES, name + ".png"))


@contextlib.contextmanager
def page(query="", arguments=(), size="1300,900", address=None, folder=WEB):
    """A browser that shows the viewer. In the end its console must be empty, and it has asked only its own server."""
    options = Options()
    for argument in ("--headless=new", "--no-sandbox", f"--window-size={size}", "--enable-unsafe-swiftshader", *arguments):
        options.add_argument(argument)
    options.binary_location = shutil.which("chromium")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with server(folder) as server_address:
        driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        driver.set_script_timeout(PATIENCE)
        try:
            driver.get(address or f"{server_address}/index.html{query}")
            shown = Page(driver, server_address)
            yield shown
            harmless = ["GPU stall", *shown.expected]
            logged = [entry for entry in driver.get_log("browser") if not any(text in entry["message"] for text in harmless)]
            assert not logged, logged
            asked = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
            urls = [one["params"]["request"]["url"] for one in asked if one["method"] == "Network.requestWillBeSent"]
            assert urls and all(url.startswith((address or server_address, "blob:", "data:")) for url in urls), urls
            sent = [one for one in asked if one["method"] == "Network.requestWillBeSent" and one["params"]["request"].get("hasPostData")]
            assert not sent, sent
        finally:
            driver.quit()


def test_the_start():
    with page() as p:
        p.wait(lambda s: s["at_rest"], "the start screen")
        p.picture("start")


def test_a_dropped_file_and_its_keys():
    with page() as p:
        p.rest()
        whole = p.open(SAMPLE)
        p.rest()
        p.picture("sample")
        near = None
        for _ in range(4):
            near = p.key("w")
        assert near["range"][1] - near["range"][0] < 0.9 * (whole["range"][1] - whole["range"][0]), near["range"]
        right = p.key("d")
        assert right["range"][0] > near["range"][0]
        p.picture("near")
        p.key("f")
        shown = p.key("?")
        p.picture("keys")
        assert shown["help"]
        p.key(Keys.ESCAPE)


def check_alike(here, there, where):
    """Equal, but for the last digits of numbers with a fraction: the two C libraries round cos() and atan() differently, by which
    confidence intervals are computed."""
    assert type(here) is type(there), (where, here, there)
    if isinstance(here, dict):
        assert list(here) == list(there), (where, list(here), list(there))
        for key in here:
            check_alike(here[key], there[key], f"{where}: {key}")
    elif isinstance(here, list):
        assert len(here) == len(there), (where, len(here), len(there))
        for i, (a, b) in enumerate(zip(here, there)):
            check_alike(a, b, f"{where}[{i}]")
    elif isinstance(here, float):
        assert abs(here - there) <= 1e-12 * max(abs(here), abs(there)), (where, here, there)
    else:
        assert here == there, (where, here, there)


def test_tables_equal_the_command_lines():
    compared = 0
    with page() as p:
        p.rest()
        for path in (SAMPLE, *sorted((SAMPLES / "torch_cpu").glob("*.json.gz"))[:2]):
            p.open(path)
            tables = [spec["table"] for spec in json_of("columns")]
            for name in sorted(set(tables)):
                here = p.table(name)
                if not here:
                    continue
                there = text_of("table", name, path, "--format", "json")
                compared += 1
                if here != there:
                    check_alike(json.loads(here), json.loads(there), f"{name} of {os.path.basename(path)}")
    assert compared >= 60, compared


# What depends on the pointer, the machine's speed, and where a file is.
NOT_COMPARED = {"file", "hover", "inputs", "longest_frame", "pointer", "path", "keys_in"}


def state_of_the_window(trace, width, height, theme):
    """The state of the native window with this trace, on a screen that it fills."""
    with scratch() as folder:
        screen = f":{90 + os.getpid() % 900}"
        xvfb = subprocess.Popen(["Xvfb", screen, "-screen", "0", f"{width}x{height}x24"], stderr=subprocess.DEVNULL)
        try:
            end = time.monotonic() + PATIENCE
            while not os.path.exists(f"/tmp/.X11-unix/X{screen[1:]}") and time.monotonic() < end:
                time.sleep(0.05)
            path = os.path.join(folder, "state.json")
            environment = {**os.environ, "DISPLAY": screen, "XDG_CONFIG_HOME": folder, "LIBGL_ALWAYS_SOFTWARE": "1"}
            environment.pop("WAYLAND_DISPLAY", None)
            window = subprocess.Popen([BIN / "lanescope-viewer", trace, "--state", path, "--theme", theme], env=environment)
            try:
                last = None
                while time.monotonic() < end:
                    time.sleep(0.5)
                    if not os.path.exists(path):
                        continue
                    with open(path, encoding="utf-8") as file:
                        state = json.load(file)
                    if state["at_rest"] and not state["loading"] and not state["moving"] and state.get("events") and state == last:
                        return state
                    last = state
                raise AssertionError(f"the window never came to rest: {json.dumps(last)[:500]}")
            finally:
                window.terminate()
                window.wait()
        finally:
            xvfb.terminate()
            xvfb.wait()


def without(state, names):
    if isinstance(state, dict):
        return {key: without(value, names) for key, value in state.items() if key not in names}
    return [without(value, names) for value in state] if isinstance(state, list) else state


def test_the_state_equals_the_windows():
    if not shutil.which("Xvfb") or not (BIN / "lanescope-viewer").exists():
        raise Skip("the window needs Xvfb and a build with it")
    with page() as p:
        p.rest()
        p.open(SAMPLE)
        here = p.key("t")
        there = state_of_the_window(SAMPLE, *p.driver.execute_script("return [innerWidth, innerHeight]"), here["theme"])
    check_equal_numbers(without(here, NOT_COMPARED), without(there, NOT_COMPARED), "state")


def check_equal_numbers(here, there, where):
    """As check_alike(), but JavaScript does not tell 1.0 from 1."""
    if isinstance(here, dict) and isinstance(there, dict):
        assert sorted(here) == sorted(there), (where, set(here) ^ set(there))
        for key in here:
            check_equal_numbers(here[key], there[key], f"{where}: {key}")
    elif isinstance(here, list) and isinstance(there, list):
        assert len(here) == len(there), (where, here, there)
        for i, (a, b) in enumerate(zip(here, there)):
            check_equal_numbers(a, b, f"{where}[{i}]")
    elif isinstance(here, float) or isinstance(there, float):
        assert abs(here - there) <= 1e-9 * max(1, abs(here)), (where, here, there)
    else:
        assert here == there, (where, here, there)


def test_a_cancelled_load():
    with scratch() as folder:
        for name in os.listdir(WEB):
            os.symlink(os.path.join(WEB, name), os.path.join(folder, name))
        events = 600_000
        with open(os.path.join(folder, "large.json"), "w", encoding="utf-8") as file:
            file.write('{"traceEvents": [\n')
            for i in range(events):
                file.write(f'{{"ph": "X", "pid": 1, "tid": {i % 7}, "ts": {i * 3}, "dur": 2, "name": "work {i % 100}", "cat": "cpu_op"}},\n')
            file.write('{}]}\n')
        with page("?url=large.json", folder=folder) as p:
            busy = "return !document.getElementById('busy').hidden && document.getElementById('busy-text').innerText"
            end = time.monotonic() + PATIENCE
            said = ""
            while time.monotonic() < end and not str(said).startswith("Reading large.json"):
                said = p.driver.execute_script(busy)
            assert str(said).startswith("Reading large.json"), (said, p.state())
            p.driver.find_element(By.ID, "busy-cancel").click()
            p.wait(lambda s: s["at_rest"] and not s["file"] and "events" not in s, "the start screen after a cancelled load")
            p.open(SAMPLE)
            # By such a request the worker notices that the load is cancelled.
            p.expected = ["net::ERR_FILE_NOT_FOUND"]


def test_a_url_of_the_page():
    with page("?url=synthetic_step.json.gz") as p:
        p.wait(lambda s: s["file"].endswith("synthetic_step.json.gz") and not s["loading"] and s.get("events"), "the trace")


def test_a_damaged_file():
    with page() as p, scratch() as folder:
        p.rest()
        damaged = os.path.join(folder, "damaged.json.gz")
        data = open(SAMPLE, "rb").read()
        with open(damaged, "wb") as file:
            file.write(data[:64] + b"\xff" * 64)
        p.drop(damaged)
        state = p.wait(lambda s: s["error"] and not s["loading"], "the error")
        assert "damaged" in state["error"]["text"], state["error"]
        p.picture("damaged")
        empty = os.path.join(folder, "empty.json")
        open(empty, "w").close()
        p.drop(empty)
        state = p.wait(lambda s: s["error"] and "empty" in s["error"]["text"], "the error")


def test_a_trace_by_message():
    with page() as p:
        p.rest()
        p.driver.execute_script("""
            window.answers = [];
            addEventListener('message', (event) => answers.push(event.data));
            postMessage('PING', '*');""")
        time.sleep(1)
        assert "PONG" in p.driver.execute_script("return answers")
        text = gzip.decompress(open(SAMPLE, "rb").read())
        p.driver.execute_script("""
            const bytes = Uint8Array.from(atob(arguments[0]), (c) => c.charCodeAt(0));
            postMessage({perfetto: {buffer: bytes.buffer, title: 'from a script'}}, '*');""", base64.b64encode(text).decode())
        p.wait(lambda s: s["file"].endswith("from a script") and not s["loading"] and s.get("events"), "the trace")


def test_settings_outlive_a_reload():
    with page() as p:
        p.rest()
        light = p.key("t")["theme"]
        time.sleep(2)
        p.driver.get(p.address + "/index.html")
        assert p.rest()["theme"] == light


def test_an_idle_page_draws_nothing():
    with page() as p:
        p.open(SAMPLE)
        p.rest()
        time.sleep(1)
        first = p.state()
        time.sleep(2)
        assert p.state() == first


def page_with_everything(trace):
    """One document: the page's files and a trace inside, which may ask for nothing."""
    def text_of_file(name):
        with open(os.path.join(WEB, name), encoding="utf-8") as file:
            return file.read()

    def inside(data):
        return base64.b64encode(data).decode()

    nonce = "abc123"
    policy = (f"default-src 'none'; script-src 'nonce-{nonce}' 'wasm-unsafe-eval' blob:; worker-src blob:; "
              f"style-src 'nonce-{nonce}'; img-src data:; connect-src blob:")
    with open(os.path.join(WEB, "lanescope.wasm"), "rb") as file:
        wasm = gzip.compress(file.read(), 9)
    with open(trace, "rb") as file:
        data = file.read()
    text = text_of_file("index.html")
    text = re.sub(r'content="default-src.*?"', f'content="{policy}"', text, flags=re.DOTALL)
    text = text.replace('<link rel="stylesheet" href="page.css">', f'<style nonce="{nonce}">{text_of_file("page.css")}</style>')
    parts = [
        f'<script type="text/plain" id="packed-program">{text_of_file("lanescope.js")}</script>',
        f'<script type="text/plain" id="packed-wasm">{inside(wasm)}</script>',
        f'<script type="text/plain" data-trace="{os.path.basename(trace)}">{inside(data)}</script>',
        f'<script nonce="{nonce}">{text_of_file("page.js")}</script>']
    assert all(part.count("</script") == 1 for part in parts)
    return text.replace('<script src="page.js"></script>', "\n".join(parts))


def test_one_file_from_disk():
    with scratch() as folder:
        path = os.path.join(folder, "trace.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(page_with_everything(SAMPLE))
        with page(address=f"file://{path}") as p:
            p.wait(lambda s: s["file"].endswith("synthetic_step.json.gz") and not s["loading"] and s.get("events"), "the trace")
            p.rest()
            p.picture("one_file")
        print(f"one file: {os.path.getsize(path) / 1e6:.2f} MB")


run_all(globals())
