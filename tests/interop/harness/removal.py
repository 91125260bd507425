"""The lease of a running client is taken away; its next heartbeat is answered 404, and it has to register again."""
import time

from . import verdict


def survived(registry, tap, app, id):
    """Whether it came back; False is allowed to the Java server alone, whose 404 has a body that stops old clients."""
    since = time.time()
    verdict.ensure(registry.cancel(app, id) == 200, "cancelled by an operator")
    lost = verdict.until("its heartbeat is answered 404", lambda: tap.seen("heartbeat", since, 404))[0]
    if not lost.answer:
        verdict.until("it has registered again", lambda: registry.instance(app, id))
        return True
    verdict.allowed("json-404-body", "the 404 has a body, %.80r" % lost.text())
    time.sleep(5)
    came_back = registry.instance(app, id) is not None
    verdict.step("five seconds later it %s" % ("has registered again" if came_back else "has still not registered again"))
    return came_back
