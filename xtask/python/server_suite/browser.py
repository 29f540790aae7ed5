"""Chromium without a window, driven by its DevTools protocol over a pipe.

The protocol is JSON messages that end with a zero byte: commands with a number, answers with the
same number, and events.
"""

import base64
import fcntl
import itertools
import json
import os
import select
import shutil
import signal
import time

# The first is all that the tests need, and half as large.
PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome")
INSTALL = "apt-get install chromium-headless-shell"
LIMIT = 20  # seconds
PAUSE = 0.02
FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox",  # CI runs as root, for whom there is no sandbox
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
)


def program():
    """The path of a browser, or None."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    """A browser process, until the end of the `with` block."""

    def __init__(self, folder):
        read, self.commands = os.pipe()
        self.answers, write = os.pipe()
        # The browser reads commands on 3 and answers on 4: the ends are moved beyond these first.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (read, write)]
        log = os.open(folder / "browser.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        moves = [(os.POSIX_SPAWN_DUP2, *move) for move in zip((log, *ends), (2, 3, 4), strict=True)]
        command = [program(), *FLAGS, f"--user-data-dir={folder / 'profile'}"]
        self.process = os.posix_spawn(command[0], command, os.environ, file_actions=moves)
        for end in (read, write, log, *ends):
            os.close(end)
        self.numbers, self.buffer, self.events = itertools.count(1), b"", []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.commands)
        os.close(self.answers)

    def call(self, method, session=None, **parameters):
        """The result of a command; events that come before it are kept."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            told = self._next()
            if told.get("id") != number:
                self.events.append(told)
            elif "error" in told:
                raise AssertionError(f"{method}: {told['error']}")
            else:
                return told["result"]

    def _next(self):
        deadline = time.monotonic() + LIMIT
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], deadline - time.monotonic())[0]:
                raise AssertionError("the browser does not answer")
            part = os.read(self.answers, 1 << 16)
            assert part, "the browser has ended"
            self.buffer += part
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)


class Page:
    """A tab that shows an address. Faults of its scripts and policies are kept."""

    def __init__(self, browser, address, width=1280, height=900, dark=False, touch=False):
        self.browser = browser
        # A context of its own has no cookies and no storage of others.
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]
        made = browser.call("Target.createTarget", url="about:blank", browserContextId=self.context)
        self.session = browser.call(
            "Target.attachToTarget", targetId=made["targetId"], flatten=True
        )["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": touch}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)
        self.call("Page.navigate", url=address)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def close(self):
        self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)

    def value(self, script):
        """The value of a JavaScript expression; a promise is waited for."""
        told = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in told, (script, told)
        return told["result"].get("value")

    def until(self, script, reason=None, limit=LIMIT):
        """Wait until an expression is true."""
        deadline = time.monotonic() + limit
        while not self.value(f"!!({script})"):
            if time.monotonic() > deadline:
                seen = self.value("document.body.innerText")
                raise AssertionError(f"not so: {reason or script}; the page shows: {seen[:900]}")
            time.sleep(PAUSE)

    def text(self, selector="body"):
        return self.value(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def shows(self, text, selector="body", limit=LIMIT):
        """Wait until an element shows a text."""
        inner = f"document.querySelector({json.dumps(selector)})?.innerText"
        self.until(f"{inner}?.includes({json.dumps(text)})", f"`{selector}` shows {text!r}", limit)

    def middle(self, selector):
        """The middle of an element that is scrolled into view."""
        return self.value(
            f"(() => {{ const found = document.querySelector({json.dumps(selector)});"
            " found.scrollIntoView({ block: 'center' });"
            " const { x, y, width, height } = found.getBoundingClientRect();"
            " return [x + width / 2, y + height / 2]; })()"
        )

    def click(self, selector):
        """Click on an element, as a person does."""
        self.until(f"document.querySelector({json.dumps(selector)})", f"there is `{selector}`")
        self.drag([self.middle(selector)])

    def drag(self, points):
        """Press the mouse at the first point, move it along the others, and let go."""
        for kind, (x, y) in [
            ("mousePressed", points[0]),
            *(("mouseMoved", point) for point in points[1:]),
            ("mouseReleased", points[-1]),
        ]:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                      buttons=1, clickCount=1)  # fmt: skip

    def swipe(self, points):
        """The same with a finger."""
        for kind, touched in [
            ("touchStart", points[:1]),
            *(("touchMove", [point]) for point in points[1:]),
            ("touchEnd", []),
        ]:
            places = [{"x": x, "y": y} for x, y in touched]
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=places)

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            text = {"Enter": "\r"}.get(name, "") if kind == "keyDown" else ""
            code = {"Enter": 13, "Tab": 9}[name]
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, text=text,
                      windowsVirtualKeyCode=code)  # fmt: skip

    def fill(self, selector, text):
        """Replace the text of a field, as typing does."""
        field = f"document.querySelector({json.dumps(selector)})"
        self.value(f"{field}.focus(); {field}.select()")
        self.call("Input.insertText", text=text)

    def picture(self, file):
        """Save the whole page as a picture."""
        told = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(told["data"]))

    def faults(self):
        """Exceptions of scripts, and what the browser logs: refused files, errors of policies."""
        self.value("0")  # events before this have come
        own = [event for event in self.browser.events if event.get("sessionId") == self.session]
        return [
            event["params"]
            for event in own
            if event["method"] == "Runtime.exceptionThrown"
            or event["method"] == "Runtime.consoleAPICalled"
            or event["method"] == "Log.entryAdded"
        ]
