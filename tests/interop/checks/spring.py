"""Two Spring Cloud applications, of two lines of Spring Boot, on a server of their own: a whole life.

Arguments: the line that does everything, the line that watches it (and is killed at the end).
"""
import os, signal, time

from harness import verdict
from harness.registry import Registry
from harness.server import Server
from harness.spring_client import SpringClient
from harness.verdict import ensure, given, until


def body():
    line, other_line = given()["args"]
    server = Server(given()["server"], os.path.join(given()["log"], "server.log"))
    registry = Registry(server.base)
    app, witness = SpringClient(line, "app-" + line, server.base), SpringClient(other_line, "witness", server.base)
    both = (app, witness)

    def each(test):
        return all(test(one, other) for one, other in (both, both[::-1]))

    until("both register", lambda: app.registered() and witness.registered(), 90)
    keys = ["%s/%s" % (one.app, one.id) for one in both]
    until("both are UP", lambda: registry.everything()[1] == {key: "UP" for key in keys})
    until("each finds the other", lambda: each(SpringClient.finds), 30)
    until("each calls the other by its name", lambda: each(SpringClient.calls))
    until("both read deltas", lambda: app.tap.seen("delta", status=200) and witness.tap.seen("delta", status=200))
    steady = time.time()

    renewed(app, registry)
    out_and_back(app, witness, registry)
    until("the watcher's copy and hash are the server's", lambda: copy(witness) == registry.everything())
    for one in both:
        ensure(not one.tap.seen("full", steady), "%s had to fetch everything again: delta or hash was wrong" % one.name)
        read = one.tap.seen("delta")[-1]
        ensure(read.answer_headers.get("content-encoding") == "gzip", "asked for gzip, got %s" % read.answer_headers)

    since = time.time()
    server.restart()
    for one in both:
        until("%s is told 404 by the new server" % one.name, lambda: one.tap.seen("heartbeat", since, 404), 30)
        until("%s registers again" % one.name, lambda: one.registered(since))
    until("each finds the other again", lambda: each(SpringClient.finds), 30)

    since = time.time()
    app.process.stop()
    ensure(app.tap.seen("cancel", since, 200), "no DELETE on SIGTERM, or not answered 200")
    until("after SIGTERM it is gone", lambda: registry.instance(app.app, app.id) is None, 3)
    until("the other no longer finds it", lambda: witness.ask("/instances/" + app.name) == [])
    witness.process.stop(signal.SIGKILL)
    until("after kill -9 the other is evicted", lambda: registry.everything()[1] == {}, 20)
    for one in both:
        # 404 after the restart and after a removed override; a heartbeat may also overtake the client's own leaving
        one.tap.ensure_no_surprise(("heartbeat", 404))


def renewed(app, registry):
    def lease():
        return registry.instance(app.app, app.id)["leaseInfo"]["lastRenewalTimestamp"]

    since, before = time.time(), lease()
    beats = until("three heartbeats", lambda: app.tap.seen("heartbeat", since)[2:], 10)
    ensure(all(beat.status == 200 and not beat.answer for beat in beats), "not empty 200s: %s" % list(map(str, beats)))
    ensure(lease() > before, "the renewal time does not move")


def out_and_back(app, witness, registry):
    for back in ("UP", "CANCEL_OVERRIDE"):
        since = time.time()
        app.set_own_status("OUT_OF_SERVICE")
        until("OUT_OF_SERVICE by its own actuator: not found", lambda: witness.ask("/instances/" + app.name) == [])
        until("it heartbeats on", lambda: app.tap.seen("heartbeat", since, 200)[2:])
        status = registry.instance(app.app, app.id)["status"]
        ensure(status == "OUT_OF_SERVICE", "a heartbeat undid the override: %s" % status)
        app.set_own_status(back)
        until("back by %s: found again" % back, lambda: witness.finds(app))


def copy(client):
    told = client.ask("/registry")
    return told["hash"], told["instances"]


verdict.give(body)
