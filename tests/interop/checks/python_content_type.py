"""wasp-eureka, which takes every answer for JSON and refuses one that does not say so, an empty one too."""
import asyncio, atexit, os

from harness import verdict
from harness.registry import Registry
from harness.tap import Tap
from harness.verdict import ensure, given, step


async def life():
    # It opens its session when it is imported, which needs a running loop.
    import aiohttp
    import wasp_eureka
    from wasp_eureka.client import StatusType, _SESSION
    from wasp_eureka.exc import EurekaException

    registry, tap = Registry(given()["base"]), Tap(given()["base"])
    app, id = "wasp-%d" % os.getpid(), "127.0.0.1:wasp:9"
    client = wasp_eureka.EurekaClient(app, 9, "127.0.0.1", eureka_url=tap.base, hostname="127.0.0.1", instance_id=id,
                                      loop=asyncio.get_running_loop())
    untyped = []

    async def call(what, coroutine, found=lambda answer: True):
        try:
            ensure(found(await coroutine), "%s: not the answer" % what)
        except aiohttp.ContentTypeError as refused:
            last = tap.exchanges[-1]
            ensure(given()["java"] and not last.answer and "content-type" not in last.answer_headers,
                   "%s: %s" % (what, refused))
            untyped.append(what)
        step(what)

    def held():
        return registry.instance(app, id)

    def among(answer):
        return [id] == [i["instanceId"] for a in answer["applications"]["application"] for i in a["instance"]
                        if i["app"] == app.upper()]

    await call("register", client.register(metadata={"n": 3}))
    ensure(held()["status"] == "UP" and held()["metadata"] == {"n": "3"}, "registered: %s" % held())
    await call("renew", client.renew())
    await call("all apps", client.get_apps(), among)
    await call("the app", client.get_app(), lambda answer: answer["application"]["instance"][0]["instanceId"] == id)
    await call("the instance of the app", client.get_app_instance(), lambda answer: answer["instance"]["instanceId"] == id)
    await call("the instance", client.get_instance(), lambda answer: answer["instance"]["app"] == app.upper())
    await call("by VIP", client.get_by_vip(), among)
    await call("set metadata", client.update_meta("k", "v w"))
    ensure(held()["metadata"]["k"] == "v w", "metadata: %s" % held()["metadata"])
    await call("set the status", client.set_status_override(StatusType.OUT_OF_SERVICE))
    ensure(held()["status"] == "OUT_OF_SERVICE", "status: %s" % held()["status"])
    await call("remove the status", client.remove_status_override())
    await call("register again", client.register())
    await call("deregister", client.deregister())
    ensure(held() is None, "still there")
    for what, lost in ("renew", client.renew()), ("the app", client.get_app()):
        try:
            await lost
            ensure(False, what + " works after the end")
        except EurekaException as refused:
            ensure(tap.exchanges[-1].status == 404, "%s after the end: %s" % (what, refused))
    await _SESSION.close()
    atexit.unregister(_SESSION.close)       # a coroutine: nobody would await it
    if untyped:
        verdict.allowed("no-content-type-when-empty", "its caller sees an error after: %s" % ", ".join(untyped))


verdict.give(lambda: asyncio.run(life()))
