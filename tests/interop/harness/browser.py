"""A headless Chromium, driven over W3C WebDriver."""
import atexit, base64, http.client, json, os, tempfile

from . import process, verdict
from .verdict import ensure

# WebDriver's names of keys.
TAB, ENTER, ESCAPE = "\ue004", "\ue007", "\ue00c"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """folder: where chromium and chromedriver are. Nothing is found in a page that is not there: that is a failure."""

    def __init__(self, folder, log):
        self.port, self.log = process.free_port(), log
        self.driver = process.Process([os.path.join(folder, "chromedriver"), "--port=%d" % self.port],
                                      os.path.join(log, "chromedriver.log"))
        verdict.show_when_failing(self.driver.tail)
        self.session = ""
        verdict.until("the browser's driver answers", lambda: self._call("GET", "/status")["ready"], 60)
        self.profile = tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True)
        options = {"binary": os.path.realpath(os.path.join(folder, "chromium")), "args": [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--disable-background-networking", "--no-first-run", "--lang=en", "--user-data-dir=" + self.profile.name]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"},
                  "timeouts": {"script": 60000, "pageLoad": 60000}}
        told = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = "/session/" + told["sessionId"]
        atexit.register(self.end)
        self.size(1280, 900)

    def _call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=90)
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None,
                               {"Content-Type": "application/json"})
            answer = connection.getresponse()
            told = json.loads(answer.read())["value"]
        finally:
            connection.close()
        if answer.status != 200:
            raise verdict.Failed("browser: %s %s: %s" % (method, path, told.get("message", told)))
        return told

    def do(self, method, path, body=None):
        return self._call(method, self.session + path, {} if body is None and method == "POST" else body)

    def end(self):
        """Also when the check fails: a driver that is killed leaves its browser behind."""
        if self.session:
            self.do("DELETE", "")
            self.session = ""
            self.driver.stop()
            self.profile.cleanup()

    def go(self, url):
        self.do("POST", "/url", {"url": url})

    def run(self, script, *args):
        """The value of a function's body in the page."""
        return self.do("POST", "/execute/sync", {"script": script, "args": list(args)})

    def run_until_done(self, script, *args):
        """The value that a function's body hands to its last argument."""
        return self.do("POST", "/execute/async", {"script": script, "args": list(args)})

    def find(self, css):
        return self.do("POST", "/element", {"using": "css selector", "value": css})[ELEMENT]

    def _at(self, css, method, action, body=None):
        """A person means a place of the page, which may just have been written anew."""
        for _ in range(5):
            try:
                return self.do(method, "/element/%s/%s" % (self.find(css), action), body)
            except verdict.Failed as failed:
                if "stale element" not in str(failed):
                    raise
                last = failed
        raise last

    def click(self, css):
        self._at(css, "POST", "click")

    def type(self, css, text):
        self._at(css, "POST", "value", {"text": text})

    def press(self, keys):
        """Keys, whatever has the focus."""
        strokes = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.do("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]})

    def text(self, css):
        """What a person sees there."""
        return self._at(css, "GET", "text")

    def texts(self, css):
        return self.run("return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText.trim())", css)

    def size(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def colours(self, scheme):
        """light or dark"""
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def devtools(self, command, **parameters):
        return self.do("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def picture(self, name):
        path = os.path.join(self.log, name + ".png")
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.do("GET", "/screenshot")))
        return path

    def errors(self):
        """What the browser complained of since the last call: also what its rules for the page kept from running."""
        return [entry["message"] for entry in self.do("POST", "/se/log", {"type": "browser"})
                if entry["level"] == "SEVERE"]

    def ensure_fits(self, where):
        """Nothing makes the page wider than its window."""
        wide = self.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        ensure(wide <= 0, "%s: the page is %d pixels wider than its window" % (where, wide))
