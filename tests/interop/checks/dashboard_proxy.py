"""The dashboard under a context path, behind an nginx that puts it below a path of its own."""
import os

from harness import browser, process, verdict
from harness.dashboard import Dashboard
from harness.registry import Registry, request
from harness.server import Server
from harness.verdict import ensure, given, step, until

CONFIG = """
daemon off; master_process off; pid %(folder)s/pid; error_log stderr; worker_processes 1;
events {}
http {
  access_log off; client_body_temp_path %(folder)s/body; proxy_temp_path %(folder)s/proxy;
  fastcgi_temp_path %(folder)s/fastcgi; uwsgi_temp_path %(folder)s/uwsgi; scgi_temp_path %(folder)s/scgi;
  server {
    listen 127.0.0.1:%(port)d;
    location /tools/registry/ { proxy_pass http://127.0.0.1:%(server)d/ctx/; proxy_buffering off; }
  }
}
"""


def body():
    if given()["java"]:
        return step("the Java server's page is another one")
    log, port = given()["log"], process.free_port()
    server = Server(given()["server"], os.path.join(log, "server.log"), path="/ctx")
    with open(os.path.join(log, "nginx.conf"), "w") as file:
        file.write(CONFIG % {"folder": log, "port": port, "server": server.port})
    nginx = process.Process([os.path.join(given()["tools"]["nginx"], "nginx"), "-c", os.path.join(log, "nginx.conf")],
                            os.path.join(log, "nginx.log"))
    verdict.show_when_failing(nginx.tail)
    base = "http://127.0.0.1:%d/tools/registry/" % port
    until("nginx answers", lambda: request("GET", base).status == 200, 20)
    registry, chromium = Registry(server.base), browser.Browser(given()["tools"]["chromium"], log)
    page = Dashboard(chromium, base, registry)
    for id in ("ord-1", "a/b", "é&?#"):
        ensure(registry.call("POST", "apps/ORDERS", {"instance": {
            "instanceId": id, "hostName": "ord.example", "app": "ORDERS", "ipAddr": "10.0.0.1", "status": "UP",
            "dataCenterInfo": {"@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo", "name": "MyOwn"}}}
        ).status == 204, "register")
    page.open()
    page.search("ord.example")
    ensure(sorted(line[0] for line in page.found()) == ["a/b", "ord-1", "é&?#"], "found %s" % page.found())
    # From page to page, as a person goes.
    for at in range(3):
        page.open()
        page.search("ord.example")
        id = chromium.text("#found tbody tr:nth-child(%d) a" % (at + 1))
        chromium.click("#found tbody tr:nth-child(%d) a" % (at + 1))
        until("the page of %s" % id, lambda: chromium.texts("h1") == [id] and chromium.run("return document.body.dataset.ready"))
        ensure(chromium.run("return document.getElementById('fields') !== null"), "%s is not there" % id)
        chromium.click("main a")
        until("its application", lambda: chromium.texts("h1") == ["ORDERS"] and chromium.run("return document.body.dataset.ready"))
        chromium.click("nav a:nth-child(3)")
        until("the last ones", lambda: "ORDERS(%s)" % id in chromium.texts("#lastNRegistered td:nth-child(2)"))
        chromium.click("nav a:nth-child(2)")
        until("home", lambda: chromium.run("return location.href.split('#')[0]") == base)
    page.open()
    live = page.is_live()
    registry.override("ORDERS", "ord-1", "OUT_OF_SERVICE")
    page.search("ord-1")
    until("a change comes through the proxy, by %s" % ("events" if live else "looking"),
          lambda: page.found()[0][2].startswith("OUT_OF_SERVICE"), 15)
    if page.has_operations():
        chromium.click("#found [data-act=resume]")
        chromium.click("#confirm [value=yes]")
        until("an action goes through the proxy", lambda: registry.instance("ORDERS", "ord-1")["status"] == "UP")
    errors = [error for error in chromium.errors() if "/eureka/events" not in error]
    ensure(not errors, "the browser complains: %s" % errors)
    chromium.end()
    nginx.stop()


verdict.give(body)
