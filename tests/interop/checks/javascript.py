"""eureka-js-client, full fetches or deltas (node/client.js has the steps). Arguments: full or delta, the service path."""
import os

from harness import process, verdict
from harness.tap import Tap
from harness.tools import HERE
from harness.verdict import ensure, given


def body():
    reads, path = given()["args"]
    tap = Tap(given()["base"])
    client = process.Process(["node", os.path.join(HERE, "node", "client.js"), "127.0.0.1", str(tap.port), reads, path],
                             os.path.join(given()["log"], "client.log"), cwd=given()["tools"]["node"])
    code = client.wait(given()["limit"])
    print(client.tail(40))
    ensure(code == 0, "the client: %s" % client.lines()[-1:])
    tap.ensure_no_surprise(("heartbeat", 404), ("look-up", 404))
    full, delta = tap.seen("full"), tap.seen("delta")
    ensure(len(full) == 1 and delta if reads == "delta" else len(full) > 2 and not delta,
           "%d full fetches, %d deltas" % (len(full), len(delta)))
    encodings = {e.answer_headers.get("content-encoding") for e in full + delta}
    ensure(encodings == {"gzip"}, "fetches asked for gzip, got %s" % encodings)


verdict.give(body)
