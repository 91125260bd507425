"""A Java server and the server under test as peers: what happens to one is so on the other, through restarts of either."""
import signal, time

from harness import server, verdict
from harness.registry import Registry
from harness.verdict import ensure, given, step, until


def body():
    java, other = server.pair(given()["tools"]["java-server"], given()["log"])
    names = {java: "java", other: "the other"}
    nodes = {one: Registry(one.base) for one in names}
    for here, there in ((java, other), (other, java)):
        way = "%s to %s" % (names[here], names[there])
        changes(nodes[here], nodes[there], way)
        conflicts(nodes[here], nodes[there], way)
    for away, stays, sign in ((other, java, signal.SIGTERM), (java, other, signal.SIGTERM), (other, java, signal.SIGKILL)):
        restart(away, nodes[away], nodes[stays], "%s restarted after signal %d" % (names[away], sign), sign)
    code = other.process.stop()
    ensure(code == 0 or given()["java"], "exit code %s after SIGTERM" % code)


def facts(registry, app, id):
    """What peers must agree on."""
    found = registry.instance(app, id)
    if found is None:
        return None
    metadata = {name: value for name, value in found["metadata"].items() if not name.startswith("@")}
    return found["status"], found["overriddenStatus"], str(found["lastDirtyTimestamp"]), metadata


def changes(here, there, way):
    app, id, dirty = "CHANGES-%d" % time.time(), "one", int(time.time() * 1000)

    def shown():
        return (facts(there, app, id) or (None, None))[:2]

    ensure(here.register(app, id, lastDirtyTimestamp=str(dirty)) == 204, "register")
    until(way + ": registered", lambda: there.instance(app, id))

    def renewed():
        return there.instance(app, id)["leaseInfo"]["lastRenewalTimestamp"]
    before = renewed()
    ensure(here.heartbeat(app, id, dirty) == 200, "heartbeat")
    until(way + ": renewed", lambda: renewed() > before)

    ensure(here.override(app, id, "OUT_OF_SERVICE") == 200, "override")
    until(way + ": overridden", lambda: shown() == ("OUT_OF_SERVICE", "OUT_OF_SERVICE"))
    before = renewed()
    ensure(here.heartbeat(app, id) == 200, "heartbeat under an override")
    until(way + ": renewed under the override", lambda: renewed() > before)
    ensure(shown() == ("OUT_OF_SERVICE", "OUT_OF_SERVICE"), "a heartbeat undid the override: %s" % (shown(),))
    ensure(here.remove_override(app, id) == 200, "removal of the override")
    until(way + ": override removed", lambda: shown() == ("UP", "UNKNOWN"))

    ensure(here.metadata(app, id, colour="green é <&>") == 200, "metadata")
    until(way + ": metadata", lambda: facts(there, app, id)[3].get("colour") == "green é <&>")
    ensure(facts(here, app, id) == facts(there, app, id), "they differ")
    # A heartbeat on its way would bring it back.
    time.sleep(1.5)
    ensure(here.cancel(app, id) == 200, "cancel")
    until(way + ": cancelled", lambda: there.instance(app, id) is None)


def conflicts(here, there, way):
    """The copy of one is changed as by a replication, which goes no further; then a client renews at the other."""
    app, past = "CONFLICTS-%d" % time.time(), int(time.time() * 1000) - 60000

    def put(registry, id, dirty, mark, as_peer=False):
        ensure(registry.register(app, id, as_peer, lastDirtyTimestamp=str(dirty), metadata={"mark": mark}) in (200, 204),
               "register")

    def mark(registry, id):
        return (facts(registry, app, id) or [{}])[-1].get("mark")

    for id in ("newer", "older", "lost", "stale"):
        put(here, id, past, "old")
    until(way + ": all registered", lambda: all(there.instance(app, id) for id in ("newer", "older", "lost", "stale")))

    put(there, "newer", past + 7000, "new", as_peer=True)
    ensure(here.heartbeat(app, "newer", past) == 200, "heartbeat")
    until(way + ": the peer's newer copy is taken over", lambda: mark(here, "newer") == "new")

    put(here, "older", past + 9000, "new", as_peer=True)
    ensure(here.heartbeat(app, "older", past + 9000) == 200, "heartbeat")
    until(way + ": the peer's older copy is replaced", lambda: mark(there, "older") == "new")

    ensure(there.cancel(app, "lost", as_peer=True) == 200, "cancel")
    ensure(here.heartbeat(app, "lost", past) == 200, "heartbeat")
    until(way + ": what the peer has lost comes back", lambda: mark(there, "lost") == "old")

    put(there, "stale", past - 5000, "older", as_peer=True)
    ensure(mark(there, "stale") == "old", "an older registration replaced a newer one")
    put(here, "both", past, "old")
    put(there, "both", past + 3000, "new")
    until(way + ": of two at once the newer one wins on both", lambda: mark(here, "both") == mark(there, "both") == "new")
    put(here, "quiet", past, "here only", as_peer=True)
    time.sleep(1.2)
    ensure(there.instance(app, "quiet") is None, "a replication was sent on")
    time.sleep(1)
    for id in ("newer", "older", "lost", "stale", "both", "quiet"):
        here.cancel(app, id)
    until(way + ": all cancelled", lambda: not any(one.instance(app, id) for one in (here, there) for id in
                                                   ("newer", "older", "lost", "stale", "both")))


def restart(away, back, stays, what, sign):
    app = "RESTART-%d" % time.time()
    statuses = ("UP", "UP", "DOWN", "STARTING", "OUT_OF_SERVICE")
    ids = ["%d" % number for number in range(20)]
    for at, id in enumerate(ids):
        ensure(stays.register(app, id, status=statuses[at % 5], metadata={"n": id}) == 204, "register")
    ensure(stays.override(app, "0", "OUT_OF_SERVICE") == 200, "override")

    def differ(only_up=False):
        pairs = ((id, facts(stays, app, id), facts(back, app, id)) for id in ids)
        return [one for one in pairs if one[1] != one[2] and not (only_up and one[1][0] != "UP")]
    until(what + ": the same before", lambda: not differ())
    away.process.stop(sign)
    ensure(stays.cancel(app, "5") == 200 and stays.override(app, "6", "OUT_OF_SERVICE") == 200, "changes meanwhile")
    ensure(stays.remove_override(app, "0") == 200 and stays.register(app, "new") == 204, "changes meanwhile")
    ids.append("new")
    away.start()
    up_only = "java" in away.plan
    if up_only:
        until(what + ": what is UP is copied", lambda: not differ(only_up=True), 30)
        for id in ids:
            stays.heartbeat(app, id)
        until(what + ": the rest comes with heartbeats", lambda: not differ())
    ensure(not differ(), "%s: not all was copied before it opened: %s" % (what, differ()[:2]))
    step(what + (": all is there" if up_only else ": all is there with the first answer"))
    for here, there, id in ((stays, back, "to"), (back, stays, "from")):
        ensure(here.register(app, id) == 204, "register")
        until("%s: told again, %s it" % (what, id), lambda: there.instance(app, id), 40)
    for id in ids + ["to", "from"]:
        stays.cancel(app, id)
    until(what + ": all cancelled", lambda: not any(back.instance(app, id) for id in ids), 40)


verdict.give(body)
