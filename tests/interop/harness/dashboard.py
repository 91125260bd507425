"""The dashboard as a person has it in a browser, and what fills it."""
import json, urllib.parse

from .registry import instance, request
from .verdict import ensure, step, until


class Dashboard:
    """base: where its page is, with the slash at the end. registry: the same server's API."""

    def __init__(self, browser, base, registry):
        self.browser, self.base, self.registry = browser, base, registry

    def open(self, path=""):
        """Comes back when it can be used. Says how long that took in the browser, in milliseconds."""
        self.browser.go(self.base + path)
        until("%s can be used" % (path[:60] or "the page"), lambda: self.browser.run("return document.body.dataset.ready"), 60)
        return round(self.browser.run("return performance.getEntriesByName('ready')[0].startTime"))

    def search(self, words):
        """Types into the search in one go; the time until it is shown, in milliseconds."""
        return round(self.browser.run("""
            const field = document.getElementById("q"), began = performance.now();
            field.value = arguments[0];
            field.dispatchEvent(new Event("input"));
            document.body.getBoundingClientRect();
            return performance.now() - began;""", words), 1)

    def found(self):
        """The cells of the lines that the search has found."""
        return self.browser.run("""return [...document.querySelectorAll("#found tbody tr")].map(
            (line) => [...line.children].map((cell) => cell.innerText.trim()))""")

    def is_live(self):
        """Whether it follows the server's events, once that is known."""
        return until("it follows what happens", lambda: self.browser.run("return document.body.dataset.state")) == "live"

    def has_operations(self):
        return self.registry.call("GET", "operations/overrides").status == 200

    def page_of(self, app, id=None):
        return "app/" + "/".join(urllib.parse.quote(name, safe="") for name in [app, id] if name is not None)


def fill(registry, apps, each):
    """Registers so many instances of so many applications, as a peer does, which is quicker."""
    items = [{"appName": "SHOP-%d" % app, "id": "shop-%d-%d.example:shop:8080" % (app, at), "status": "UP",
              "action": "Register", "lastDirtyTimestamp": 1,
              "instanceInfo": instance("SHOP-%d" % app, "shop-%d-%d.example:shop:8080" % (app, at),
                                       hostName="shop-%d-%d.example" % (app, at), ipAddr="10.%d.%d.%d" % (app % 250, at // 250, at % 250),
                                       metadata={"zone": "zone-%d" % (at % 3), "version": "1.%d" % (at % 7)})}
             for app in range(apps) for at in range(each)]
    for begin in range(0, len(items), 500):
        batch = json.dumps({"replicationList": items[begin:begin + 500]})
        told = request("POST", registry.base + "/eureka/peerreplication/batch/", batch, {"Content-Type": "application/json"})
        ensure(told.status == 200, "batch: %d" % told.status)
    step("%d instances are registered" % len(items))
