"""Netflix's eureka-client without Spring: mirrors what others do by delta, and comes back after a 404."""
import os, time

from harness import process, removal, verdict
from harness.registry import Registry
from harness.tap import Tap
from harness.verdict import ensure, given, until


def body():
    registry, tap = Registry(given()["base"]), Tap(given()["base"])
    app, other = "NETFLIX-%d" % os.getpid(), "NETFLIX-OTHER-%d" % os.getpid()
    client = process.java(
        given()["tools"]["java-netflix"], "eurekad.interop.Plain", os.path.join(given()["log"], "client.log"),
        system={"eureka.serviceUrl.default": tap.base + "/eureka/", "eureka.name": app, "eureka.instanceId": "one",
                "eureka.vipAddress": app.lower(), "eureka.port": 8080, "eureka.region": "default",
                "eureka.shouldUseDns": "false", "eureka.validateInstanceId": "false",
                "eureka.lease.renewalInterval": 1, "eureka.lease.duration": 10, "eureka.client.refresh.interval": 1,
                "eureka.appinfo.initial.replicate.time": 1, "eureka.appinfo.replicate.interval": 1,
                "eureka.shouldFilterOnlyUpInstances": "false", "org.slf4j.simpleLogger.logFile": "System.err"})
    verdict.show_when_failing(client.tail)

    def mirrors():
        """Its latest copy, hash and all, is what the server has."""
        ensure(client.alive(), "the client ended by itself")
        copies = [line for line in client.lines() if line.startswith("registry ")]
        hash, instances = registry.everything()
        return copies and copies[-1].split() == ["registry", hash, *sorted("%s=%s" % pair for pair in instances.items())]

    until("it registers", lambda: tap.seen("register", status=204), 60)
    until("three heartbeats", lambda: tap.seen("heartbeat", status=200)[2:])
    until("it reads deltas", lambda: tap.seen("delta", status=200))
    until("its copy is the server's", mirrors)
    steady = time.time()
    ensure(registry.register(other, "a", status="STARTING") == registry.register(other, "b") == 204, "register")
    until("others registered: its copy is the server's", mirrors)
    ensure(registry.override(other, "b", "OUT_OF_SERVICE") == registry.cancel(other, "a") == 200, "override and cancel")
    until("others changed and left: its copy is the server's", mirrors)
    ensure(registry.cancel(other, "b") == 200, "cancel")
    until("all others left: its copy is the server's", mirrors)
    ensure(not tap.seen("full", steady), "it had to fetch everything again: delta or hash was wrong")

    back = removal.survived(registry, tap, app, "one")
    since = time.time()
    client.stop()
    if back:
        ensure(tap.seen("cancel", since, 200), "no DELETE on SIGTERM, or not answered 200")
        until("after SIGTERM it is gone", lambda: registry.instance(app, "one") is None, 3)
        tap.ensure_no_surprise(("heartbeat", 404))


verdict.give(body)
