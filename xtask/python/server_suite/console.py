"""The web console in a browser: what it shows, what can be tried, and who may control models.

Pictures of the pages are in the group's folder: look at them after a change of the console.
"""

import contextlib
import json
import pathlib
import re
import shutil
import threading
import time
from functools import partial

from backend_suite import repository
from backend_suite.client import Http
from checks import Skip, title

from . import browser
from .browser import Browser, Page
from .models import add_words
from .server import Server

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
MARKED = "add<b>&'1'"  # a name that would be markup
# Strokes from the middle of a canvas of 224 pixels.
SEVEN = [(-50, -70), (0, -70), (50, -70), (20, -10), (0, 30), (-15, 80)]
ONE = [(-30, -50), (0, -80), (0, -40), (0, 0), (0, 40), (0, 80)]
ZERO = [(0, -80), (-35, -55), (-45, 0), (-35, 55), (0, 80), (35, 55), (45, 0), (35, -55), (0, -80)]
ADMIN = ("--console-admin", "--model-control-mode=explicit", "--load-model=*")
DARK, PHONE = {"dark": True}, {"width": 390, "height": 844, "touch": True}


def run(suite):
    if browser.program() is None:
        raise Skip(f"no browser ({browser.INSTALL})")
    folder = suite.folder / "console"
    models = repository.Repository(folder / "models")
    shutil.copytree(ROOT / "examples/models/digits", models.folder / "digits")
    repository.add_one(models)
    repository.add_one(models, MARKED)
    repository.countdown(models, "slow")
    add_words(models)
    models.add("broken", b"no model", repository.configuration({}, {}))
    with Browser(folder) as window:
        start = partial(Server, suite.trident, models.folder)
        with start(folder / "log", ("--exit-on-error=false",)) as running:
            for function in CHECKS:
                suite.check(title(function), partial(function, window, running, folder))
        with start(folder / "admin.log", (*ADMIN, "--exit-on-error=false")) as running:
            for function in CONTROL:
                suite.check(title(function), partial(function, window, running, folder))
        suite.check(
            title(waits_for_the_server), partial(waits_for_the_server, window, start, folder)
        )


def place(running, model=""):
    return f"http://{running.places['HTTP']}/ui{model and f'#{model}/1'}"


@contextlib.contextmanager
def shown(window, running, model="", **options):
    """A page of the console, whose scripts must have no fault."""
    page = Page(window, place(running, model), **options)
    page.shows("add, version 1", "#models")
    yield page
    faults = [fault for fault in page.faults() if fault.get("entry", {}).get("source") != "network"]
    assert not faults, faults
    page.close()


def row(model):
    """A script: the row of a version in the table."""
    own = f"row.innerText.includes({json.dumps(model)})"
    return f"[...document.querySelectorAll('#models tbody tr')].find((row) => {own})"


def figure(page, model, label):
    """A figure of the table, without its unit."""
    text = page.value(f"{row(model)}.querySelector('[data-label=\"{label}\"]').innerText")
    return text.strip()


def models_with_their_states(window, running, folder):
    """All models are shown, with version, state, and the reason why one is not ready."""
    with shown(window, running) as page:
        for name in ("add", MARKED, "digits", "slow", "words"):
            text = page.value(f"{row(f'{name}, version 1')}.innerText")
            assert "ready" in text and re.search(r"\d (B|KiB)", text), text
        text = page.value(f"{row('broken')}.innerText")
        assert "unavailable" in text, text
        page.shows("model.onnx", ".reason")
        page.shows("5 of 6", "#figures")
        page.shows("trident 0.", "#version")
        page.picture(folder / "models.png")


def figures_under_load(window, running, folder):
    """Rates, times, batches and shares follow the requests."""
    body = json.dumps(
        {"inputs": [{"name": "INPUT0", "datatype": "INT64", "shape": [1], "data": [300]}]}
    ).encode()
    sent, over = [0], threading.Event()

    def load():
        http = Http(running.port("HTTP"))
        while not over.is_set():
            assert http.call("POST", "/v2/models/slow/infer", body).status == 200
            sent[0] += 1
        http.close()

    thread = threading.Thread(target=load, daemon=True)
    with shown(window, running, "slow") as page:
        thread.start()
        try:
            latency = f"{row('slow')}?.querySelector('[data-label=Latency]')?.innerText"
            page.until(f"/[0-9]/.test({latency})", "the latency of `slow` is shown")
            start, before = time.monotonic(), sent[0]
            time.sleep(3)
            rate = (sent[0] - before) / (time.monotonic() - start)
            found = float(figure(page, "slow", "Requests/s").replace(",", ""))
            assert 0.2 * rate < found < 5 * rate, (found, rate)
            assert figure(page, "slow", "Batch") == "1"
            share = re.match(r"(\d+) %\s*weight 100", figure(page, "slow", "Share"))
            assert share and 5 < int(share[1]) <= 100, figure(page, "slow", "Share")
            assert re.search(r"\d (µs|ms)", figure(page, "slow", "Queue")), figure(
                page, "slow", "Queue"
            )
            assert figure(page, "add", "Requests/s") == "0", figure(page, "add", "Requests/s")
            line = page.value(f"{row('slow')}.querySelector('path').getAttribute('d')")
            assert line.count("L") >= 2, line
            page.shows("Runs by batch size", "#model")
            page.until("document.querySelector('#model .bars i')", "runs by batch size are shown")
            page.picture(folder / "load.png")
        finally:
            over.set()
            thread.join()
        rate = f"{row('slow')}.querySelector('[data-label=\"Requests/s\"]').innerText.trim()"
        page.until(f"{rate} === '0'", "the rate is 0 again")


def draw(page, stroke, gesture):
    page.until("document.querySelector('canvas')", "there is a place to draw")
    x, y = page.middle("canvas")
    gesture([(x + right, y + down) for right, down in stroke])


def drawn_digits(window, running, folder):
    """Digits drawn with the mouse are recognised."""
    with shown(window, running, "digits") as page:
        for stroke, digit in ((SEVEN, "7"), (ONE, "1"), (ZERO, "0")):
            draw(page, stroke, page.drag)
            page.shows("ms with", ".result")
            assert page.text(".answer") == digit, page.text(".result")
            page.picture(folder / f"digit {digit}.png")
            page.click(".drawing button")
            page.shows("Draw a digit", ".result")


def a_finger_on_a_phone(window, running, folder):
    """On a dark phone, a digit is drawn with a finger, and nothing is wider than the page."""
    with shown(window, running, "digits", **PHONE, **DARK) as page:
        draw(page, SEVEN, page.swipe)
        page.shows("ms with", ".result")
        assert page.text(".answer") == "7", page.text(".result")
        assert page.value("document.documentElement.scrollWidth <= innerWidth")
        for label in ("Requests/s", "Latency", "Queue", "Batch", "Share", "Memory"):
            cell = f"document.querySelector('#models [data-label=\"{label}\"]')"
            assert label in page.value(f"getComputedStyle({cell}, '::before').content"), label
        page.picture(folder / "phone.png")


def sentences_are_searched(window, running, folder):
    """Sentences are ranked by the vectors of a model, in batches that it takes."""
    with shown(window, running, "words") as page:
        page.until("document.querySelector('#sentences')", "there is a place for sentences")
        page.fill("#query", "sun")
        page.fill("#sentences", "rain\n\nthe moon\nsun")
        page.click("#model form button")
        page.shows("ms for 4 texts", "#model")
        found = page.value(
            "[...document.querySelectorAll('.found li')].map((line) => line.innerText)"
        )
        assert [line.split("\n") for line in found] == [
            ["1.00", "sun"],
            ["0.00", "rain"],
            ["0.00", "the moon"],
        ], found
        page.picture(folder / "search.png")


def raw_requests(window, running, folder):
    """Any request is sent as it is written, and answers and errors are shown."""
    with shown(window, running, "add") as page:
        page.until("document.querySelector('#model textarea')", "there is a place for a request")
        page.click("#model button.main")
        page.shows("OUTPUT0 FP32[1, 16]: 1, 1, 1", "#model pre")
        page.fill("#model textarea", '{"inputs": [')
        page.click("#model button.main")
        page.shows("failed to parse the request JSON buffer", "#model pre.fault")
        numbers = ", ".join(["NaN", "Infinity", *["0"] * 14])
        request = (
            '{"inputs": [{"name": "INPUT0", "datatype": "FP32", "shape": [1, 16], '
            f'"data": [{numbers}]}}]}}'
        )
        page.fill("#model textarea", request)
        page.click("#model button.main")
        page.shows("NaN,Infinity,1.0", "#model pre")
        page.picture(folder / "request.png")


def names_are_text(window, running, _):
    """A model whose name is markup is shown and tried by this name."""
    with shown(window, running) as page:
        page.until(f"{row(MARKED)}", "the model is shown")
        page.value(f"{row(MARKED)}.querySelector('button').click()")
        page.shows(f"Try {MARKED}", "#model h2")
        page.click("#model button.main")
        page.shows("OUTPUT0 FP32[1, 16]: 1, 1, 1", "#model pre")
        assert page.value("!document.querySelector('#models b')")


def keys_and_addresses(window, running, _):
    """A model is chosen by the keyboard, and by going back in the browser."""
    with shown(window, running) as page:
        page.until(f"{row('digits')}", "the model is shown")
        page.value(f"{row('digits')}.querySelector('button').focus()")
        time.sleep(1.3)  # the table was made anew
        page.key("Enter")
        page.shows("Try digits", "#model h2")
        assert page.value("document.activeElement.innerText") == "digits, version 1"
        page.value(f"{row('words')}.querySelector('button').click()")
        page.shows("Try words", "#model h2")
        page.value("history.back()")
        page.shows("Try digits", "#model h2")


def texts_stand_out(window, running, folder):
    """All texts stand out from their backgrounds, by day and by night."""
    for dark in (False, True):
        with shown(window, running, "digits", dark=dark) as page:
            page.until("document.querySelector('canvas')", "the model is shown")
            page.picture(folder / f"{'dark' if dark else 'light'}.png")
            weak = page.value((HERE / "contrast.js").read_text())
            assert not weak, weak


def only_its_own_files(window, running, _):
    """A page loads files of its server only."""
    with shown(window, running, "digits") as page:
        page.until("document.querySelector('canvas')", "the model is shown")
        loaded = page.value("performance.getEntriesByType('resource').map((file) => file.name)")
        own = place(running).removesuffix("/ui")
        assert len(loaded) > 10 and all(file.startswith(own) for file in loaded), loaded


def reading_only(window, running, _):
    """Without --console-admin there are no buttons for models, and the server refuses."""
    with shown(window, running) as page:
        time.sleep(1.3)
        assert page.value("document.querySelectorAll('#models td.control button').length") == 0
        told = page.value(POST.replace("ACTION", "add/unload"))
        assert told[0] == 403 and "--console-admin" in told[1], told
        page.shows("add, version 1", "#models")
        assert is_ready(running, "add")


def models_are_controlled(window, running, folder):
    """With --console-admin, models are unloaded and loaded."""
    with shown(window, running) as page:
        page.click("button[aria-label='unload add']")
        page.shows("unloaded", "#models")
        page.until("document.querySelector(\"button[aria-label='load add']\")", "it can be loaded")
        assert not is_ready(running, "add")
        page.picture(folder / "unloaded.png")
        page.click("button[aria-label='load add']")
        page.until(f"{row('add, version 1')}?.innerText.includes('ready')", "it is ready again")
        assert is_ready(running, "add")


def a_load_that_fails(window, running, _):
    """A load that fails shows the server's reason."""
    with shown(window, running) as page:
        page.click("button[aria-label='load broken']")
        page.shows("broken: load failed for model 'broken'", "#trouble")


def pages_of_others(window, running, _):
    """Pages of other hosts control nothing, though the server may be controlled."""
    http = Http(running.port("HTTP"))
    for headers in ({}, {"Origin": "http://evil.example"}):
        told = http.call("POST", "/ui/models/add/unload", b"", headers)
        assert told.status == 403, told
    http.close()
    assert is_ready(running, "add")


def waits_for_the_server(window, start, folder):
    """A page says that its server is gone, and goes on once it is back."""
    with start(folder / "first.log", ("--exit-on-error=false",)) as running:
        page = Page(window, place(running))
        page.shows("add, version 1", "#models")
        port = running.port("HTTP")
    page.shows("The server does not answer", "#trouble")
    flags = ("--exit-on-error=false", f"--http-port={port}")
    with start(folder / "second.log", flags):
        page.until("document.querySelector('#trouble').hidden", "the trouble is over")
        page.shows("add, version 1", "#models")
    page.close()


def is_ready(running, model):
    http = Http(running.port("HTTP"))
    told = http.call("GET", f"/v2/models/{model}/ready")
    http.close()
    return told.status == 200


POST = """fetch("ui/models/ACTION", { method: "POST" })
    .then(async (answer) => [answer.status, await answer.text()])"""
CHECKS = (
    models_with_their_states,
    figures_under_load,
    drawn_digits,
    a_finger_on_a_phone,
    sentences_are_searched,
    raw_requests,
    names_are_text,
    keys_and_addresses,
    texts_stand_out,
    only_its_own_files,
    reading_only,
)
CONTROL = (models_are_controlled, a_load_that_fails, pages_of_others)
