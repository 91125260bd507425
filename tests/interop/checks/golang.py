"""The Go client fargo (go/main.go has the steps). Argument: xml or json."""
import os

from harness import process, verdict
from harness.tap import Tap
from harness.verdict import ensure, given


def body():
    form, = given()["args"]
    tap = Tap(given()["base"])
    client = process.Process([os.path.join(given()["tools"]["go"], "fargo"), tap.base + "/eureka/v2", form],
                             os.path.join(given()["log"], "client.log"))
    code = client.wait(given()["limit"])
    print(client.tail(40))
    ensure(code == 0, "the client: %s" % client.lines()[-1:])
    # It looks before it registers, and heartbeats after it left.
    tap.ensure_no_surprise(("look-up", 404), ("heartbeat", 404))
    kinds = {e.answer_headers.get("content-type", "none").split(";")[0] for e in tap.exchanges
             if e.method == "GET" and e.status == 200}
    ensure(kinds == {"application/" + form}, "reads were answered as %s" % kinds)


verdict.give(body)
