"""A Spring Cloud application that knows a Java server and the server under test, which are peers: one ends, then the other.

Argument: the line of the application.
"""
import signal, time

from harness import server, verdict
from harness.registry import Registry
from harness.spring_client import SpringClient
from harness.verdict import ensure, given, until


def body():
    line, = given()["args"]
    servers = server.pair(given()["tools"]["java-server"], given()["log"])
    names = ("java", "the other")
    app = SpringClient(line, "mover", *(one.base for one in servers))
    until("it registers", lambda: any(tap.seen("register", status=204) for tap in app.taps), 90)

    def beats(at, since):
        return app.taps[at].seen("heartbeat", since, 200)[2:]

    at = until("it renews its lease at one of them", lambda: [n for n in (0, 1) if beats(n, 0)], 30)[0]
    for sign in (signal.SIGTERM, signal.SIGKILL):
        left, at = at, 1 - at
        until("both have it", lambda: all(Registry(one.base).instance(app.app, app.id) for one in servers))
        since = time.time()
        servers[left].process.stop(sign)
        until("%s has ended (signal %d), it goes on at %s" % (names[left], sign, names[at]), lambda: beats(at, since), 60)
        until("it finds itself", lambda: app.finds(app), 30)
        bad = [str(e) for e in app.taps[at].seen("heartbeat", since, 404)]
        ensure(not bad, "its lease was lost: %s" % bad)
        servers[left].start()
        until("both have it again", lambda: Registry(servers[left].base).instance(app.app, app.id), 40)
    since = time.time()
    app.process.stop()
    ensure(any(tap.seen("cancel", since, 200) for tap in app.taps), "no DELETE on SIGTERM, or not answered 200")
    until("it is gone from both", lambda: not any(Registry(one.base).instance(app.app, app.id) for one in servers))


verdict.give(body)
