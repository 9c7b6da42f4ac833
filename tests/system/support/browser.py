"""A headless Chromium, told what to do through a pair of pipes: the DevTools
protocol, in JSON with a NUL after each message.
"""

import base64
import json
import os
import subprocess
import tempfile

from support.clock import seconds, wait_until


class Browser:
    """One page. What its console and its policy complain of is kept."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory()
        to_read, self.out = os.pipe()
        self.into, to_write = os.pipe()

        # It reads descriptor 3 and writes descriptor 4.
        def arrange():
            for fd, wanted in ((to_read, 13), (to_write, 14)):
                os.dup2(fd, wanted)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu",
             "--hide-scrollbars", "--no-first-run", "--disable-extensions",
             "--disable-background-networking",
             "--user-data-dir=" + self.profile.name,
             "--remote-debugging-pipe", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=arrange)
        os.close(to_read)
        os.close(to_write)
        self.got = b""
        self.number = 0
        self.complaints = []
        self.session = None
        target = next(t for t in self.ask("Target.getTargets")["targetInfos"]
                      if t["type"] == "page")
        self.session = self.ask("Target.attachToTarget", flatten=True,
                                targetId=target["targetId"])["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(domain + ".enable")

    def _message(self):
        while b"\0" not in self.got:
            data = os.read(self.into, 1 << 20)
            assert data, "the browser ended"
            self.got += data
        text, self.got = self.got.split(b"\0", 1)
        return json.loads(text)

    def _note(self, message):
        """Errors of scripts, and what the content policy held back."""
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(params["exceptionDetails"])
        elif method == "Log.entryAdded" and \
                params["entry"]["level"] == "error":
            self.complaints.append(params["entry"]["text"])

    def ask(self, method, **params):
        """One command; its result."""
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.out, json.dumps(request).encode() + b"\0")
        while True:
            message = self._message()
            if message.get("id") == self.number:
                assert "error" not in message, message
                return message["result"]
            self._note(message)

    def run(self, script):
        """The value of an expression in the page."""
        result = self.ask("Runtime.evaluate", expression=script,
                          returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def look(self, width=1280, height=1000, dark=False):
        """How wide the window is, and which colours are preferred."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width,
                 height=height, deviceScaleFactor=1, mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme",
             "value": "dark" if dark else "light"}])

    def open(self, url):
        self.ask("Page.navigate", url=url)

    def text(self, selector="body"):
        """What can be read there now; empty if there is no such thing."""
        return self.run(
            "((e) => e?.innerText ?? e?.textContent ?? '')"
            "(document.querySelector(%s))" % json.dumps(selector))

    def wait(self, selector, text, base=15.0):
        """Waits until `text` can be read there."""
        return wait_until(lambda: text in self.text(selector),
                          lambda: "%r in %s: %s" % (
                              text, selector, self.text(selector)), base,
                          step=0.1)

    def screenshot(self, path):
        """The whole page as a PNG."""
        height = self.run("document.documentElement.scrollHeight")
        width = self.run("window.innerWidth")
        shot = self.ask("Page.captureScreenshot", format="png",
                        captureBeyondViewport=True,
                        clip={"x": 0, "y": 0, "width": width,
                              "height": height, "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait(seconds(10))
        os.close(self.out)
        os.close(self.into)
        self.profile.cleanup()
