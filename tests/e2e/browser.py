"""Chromium, driven by the WebDriver protocol (W3C) through ChromeDriver: both are Debian packages."""

import http.client
import json
import shutil

from harness import DEADLINE, free_port, until

# Without these Chromium looks for its maker's servers, and for a display.
ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync"]
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014",
        "ArrowDown": "\ue015"}


def is_there():
    return bool(shutil.which("chromium") and shutil.which("chromedriver"))


class StaleElement(AssertionError):
    """An element that the page no longer has."""


class Browser:
    """One window; ends with the test."""

    def __init__(self, test, width=1400, height=1000, arguments=()):
        port = free_port()
        test.start("chromedriver", f"--port={port}")
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
        until(self.is_ready, "ChromeDriver is ready")
        options = {"binary": shutil.which("chromium"), "args": [*ARGUMENTS, *arguments, f"--window-size={width},{height}"]}
        made = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = f"/session/{made['sessionId']}"
        test.addCleanup(self.close)

    def is_ready(self):
        try:
            return self.ask("GET", "/status")["ready"]
        except OSError:
            self.connection.close()
            return False

    def ask(self, method, path, body=None):
        text = json.dumps(body if body is not None else {}) if method == "POST" else None
        self.connection.request(method, path, body=text, headers={"Content-Type": "application/json"})
        answer = json.loads(self.connection.getresponse().read())["value"]
        if isinstance(answer, dict) and "error" in answer:
            kind = StaleElement if answer["error"] == "stale element reference" else AssertionError
            raise kind(f"{path}: {answer['error']}: {answer['message'][:600]}")
        return answer

    def close(self):
        self.ask("DELETE", self.session)
        self.connection.close()

    def open(self, url):
        self.ask("POST", self.session + "/url", {"url": url})

    def run(self, script, *arguments):
        """The value of `return ...` in the page."""
        return self.ask("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def text(self, selector):
        """What is shown of the first element, or None."""
        return self.run("const found = document.querySelector(arguments[0]); return found && found.checkVisibility() ? found.innerText : null",
                        selector)

    def click(self, selector):
        """Clicks on the element, which the page may replace by a newer one meanwhile."""
        def is_clicked():
            found = self.ask("POST", self.session + "/element", {"using": "css selector", "value": selector})
            try:
                self.ask("POST", f"{self.session}/element/{next(iter(found.values()))}/click")
            except StaleElement:
                return False
            return True
        until(is_clicked, f"{selector} is clicked")

    def press(self, *keys):
        """Real key presses, on whatever has the focus."""
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.ask("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def devtools(self, command, **parameters):
        return self.ask("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def complaints(self):
        """What the console says: errors of scripts, refused resources, violations of the security policy. Not what it says of its own
        pages, whose fonts are slow on a busy machine."""
        said = [line["message"] for line in self.ask("POST", self.session + "/se/log", {"type": "browser"})]
        return [message for message in said if not message.startswith("chrome://")]

    def screenshot(self, file):
        import base64
        with open(file, "wb") as f:
            f.write(base64.b64decode(self.ask("GET", self.session + "/screenshot")))
