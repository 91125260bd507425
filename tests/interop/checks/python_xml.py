"""py-eureka-client, which names no format and so reads XML: an application's life with it, and each of its look-ups."""
import asyncio, inspect, logging, os, time

from py_eureka_client import eureka_basic, eureka_client

from harness import verdict
from harness.registry import Registry
from harness.tap import Tap
from harness.verdict import ensure, given, until

logging.disable(logging.CRITICAL)       # it logs a stack trace for each 404


def body():
    registry, tap = Registry(given()["base"]), Tap(given()["base"])
    url, app, id = tap.base + "/eureka/", "PY-%d" % os.getpid(), "127.0.0.1:py:9"
    client = eureka_client.EurekaClient(
        eureka_server=url, app_name=app, instance_id=id, instance_ip="127.0.0.1", instance_host="127.0.0.1",
        instance_port=9, renewal_interval_in_secs=1, duration_in_secs=10, metadata={"zone": "ä <&>"})

    # Its methods share a lock between two event loops and may hang in it when they meet its heartbeat. The functions
    # underneath send the same requests without that lock.
    def basic(function, *args):
        async def run():
            answer = await function(url, *args)
            return await answer if inspect.isawaitable(answer) else answer     # get_instance forgets one await
        return asyncio.run(run())

    def copied(status):
        mine = client.applications.get_application(app)
        return mine and mine.get_instance(id) and mine.get_instance(id).status == status

    asyncio.run(client.start())
    ensure(tap.seen("register", status=204), "not registered")
    ensure(registry.instance(app, id)["metadata"]["zone"] == "ä <&>", "metadata: %s" % registry.instance(app, id))
    until("three heartbeats", lambda: tap.seen("heartbeat", status=200)[2:])
    until("it reads deltas", lambda: tap.seen("delta", status=200))
    until("its copy has itself", lambda: copied("UP"))
    other = app + "-OTHER"
    ensure(registry.register(other, "other") == 204, "register the other one")
    until("its copy has another one", lambda: client.applications.get_application(other).instances)
    read = client.applications.get_application(other).instances[0]
    ensure((read.port.port, read.port.enabled, read.metadata) == (9, True, {"zone": "a"}), "as read: %s" % vars(read))

    basic(eureka_basic.status_update, app, id, str(int(time.time() * 1000)), "OUT_OF_SERVICE")
    until("its copy has the override", lambda: copied("OUT_OF_SERVICE"))
    basic(eureka_basic.delete_status_override, app, id, str(int(time.time() * 1000)))
    until("its copy has itself UP again", lambda: copied("UP"))

    for function, args, found in (
            (eureka_basic.get_applications, (), lambda a: a.get_application(app).get_instance(id)),
            (eureka_basic.get_delta, (), lambda a: a.get_application(app).get_instance(id)),
            (eureka_basic.get_vip, (app.lower(),), lambda a: a.get_application(app).get_instance(id)),
            (eureka_basic.get_secure_vip, (app.lower(),), lambda a: a.get_application(app).get_instance(id)),
            (eureka_basic.get_application, (app,), lambda a: a.get_instance(id)),
            (eureka_basic.get_app_instance, (app, id), lambda i: i.instanceId == id),
            (eureka_basic.get_instance, (id,), lambda i: i.instanceId == id)):
        ensure(found(basic(function, *args)), "%s does not find it" % function.__name__)
    verdict.step("each look-up finds it")

    since = time.time()
    ensure(registry.cancel(app, id) == 200, "cancelled by an operator")
    until("it is told 404", lambda: tap.seen("heartbeat", since, 404))
    until("it registers again", lambda: tap.seen("register", since, 204))
    until("it heartbeats again", lambda: tap.seen("heartbeat", since, 200))
    reads = [e for e in tap.exchanges if e.method == "GET" and e.status == 200]
    kinds = {e.answer_headers.get("content-type", "none").split(";")[0] for e in reads}
    ensure(kinds == {"application/xml"}, "reads without an Accept header were answered as %s" % kinds)
    ensure(all(e.answer_headers.get("content-encoding") == "gzip" for e in reads if e.kind in ("full", "delta")),
           "a fetch that asked for gzip was answered without")
    since = time.time()
    asyncio.run(asyncio.wait_for(client.stop(), 10))
    ensure(tap.seen("cancel", since, 200), "no DELETE, or not answered 200")
    tap.ensure_no_surprise(("heartbeat", 404))


verdict.give(body)
