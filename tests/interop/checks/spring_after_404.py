"""A Spring Cloud application of a line that a body in a 404 stops for good: it must come back after its lease is gone."""
import os, time

from harness import removal, verdict
from harness.registry import Registry
from harness.spring_client import SpringClient
from harness.verdict import ensure, given, until


def body():
    line, = given()["args"]
    registry = Registry(given()["base"])
    app = SpringClient(line, "alone-%s-%d" % (line, os.getpid()), given()["base"])
    until("it registers", app.registered, 60)
    until("three heartbeats", lambda: app.tap.seen("heartbeat", status=200)[2:])
    until("it finds itself", lambda: app.finds(app), 30)
    back = removal.survived(registry, app.tap, app.app, app.id)
    since = time.time()
    app.process.stop()
    if back:
        ensure(app.tap.seen("cancel", since, 200), "no DELETE on SIGTERM, or not answered 200")
        until("after SIGTERM it is gone", lambda: registry.instance(app.app, app.id) is None, 3)
        app.tap.ensure_no_surprise(("heartbeat", 404))


verdict.give(body)
