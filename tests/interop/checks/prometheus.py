"""Prometheus with eureka_sd_configs: finds targets with their labels (from uncompressed XML), and loses them again."""
import json, os, tempfile

from harness import process, verdict
from harness.registry import Registry, request
from harness.tap import Tap
from harness.verdict import ensure, given, until

CONFIG = """
global: {scrape_interval: 1h}
scrape_configs:
- job_name: eureka
  eureka_sd_configs:
  - server: %s/eureka
    refresh_interval: 1s
"""


def body():
    registry, tap, port = Registry(given()["base"]), Tap(given()["base"]), process.free_port()
    app = "PROMETHEUS-%d" % os.getpid()
    with tempfile.TemporaryDirectory() as data:
        config = os.path.join(given()["log"], "prometheus.yml")
        with open(config, "w") as file:
            file.write(CONFIG % tap.base)
        prometheus = process.Process(
            [os.path.join(given()["tools"]["prometheus-tools"], "prometheus"), "--config.file=" + config,
             "--storage.tsdb.path=" + data, "--web.listen-address=127.0.0.1:%d" % port], os.path.join(given()["log"], "log"))
        verdict.show_when_failing(prometheus.tail)

        def targets():
            """Labels by instance id; it looks through what it was told every five seconds."""
            ensure(prometheus.alive(), "prometheus ended by itself")
            told = request("GET", "http://127.0.0.1:%d/api/v1/targets?state=active" % port)
            if told.status != 200:
                raise OSError("it is not ready: %d" % told.status)
            found = [target["discoveredLabels"] for target in json.loads(told.body)["data"]["activeTargets"]]
            return {labels["__meta_eureka_app_instance_id"]: labels for labels in found
                    if labels["__meta_eureka_app_name"] == app}

        until("prometheus listens", lambda: targets() == {}, 30)
        for id in ("a", "b"):
            ensure(registry.register(app, id, metadata={"zone": "ü <&>", "scrape.path": "/m"}) == 204, "register")
        until("it has both targets", lambda: len(targets()) == 2, 30)
        want = {"__address__": "127.0.0.1:9", "__meta_eureka_app_instance_hostname": "127.0.0.1",
                "__meta_eureka_app_instance_ip_addr": "127.0.0.1", "__meta_eureka_app_instance_status": "UP",
                "__meta_eureka_app_instance_port": "9", "__meta_eureka_app_instance_port_enabled": "true",
                "__meta_eureka_app_instance_secure_port": "443",
                "__meta_eureka_app_instance_secure_port_enabled": "false",
                "__meta_eureka_app_instance_vip_address": app.lower(),
                "__meta_eureka_app_instance_secure_vip_address": app.lower(),
                "__meta_eureka_app_instance_homepage_url": "http://127.0.0.1:9/",
                "__meta_eureka_app_instance_statuspage_url": "http://127.0.0.1:9/actuator/info",
                "__meta_eureka_app_instance_healthcheck_url": "http://127.0.0.1:9/actuator/health",
                "__meta_eureka_app_instance_country_id": "1",
                "__meta_eureka_app_instance_datacenterinfo_name": "MyOwn",
                # It takes metadata as the XML has it, so that the way of escaping shows.
                "__meta_eureka_app_instance_metadata_zone": "ü &lt;&amp;&gt;",
                "__meta_eureka_app_instance_metadata_scrape_path": "/m"}
        labels = targets()["a"]
        wrong = {name: labels.get(name) for name in want if labels.get(name) != want[name]}
        ensure(not wrong, "labels that are not as registered: %s" % wrong)
        ensure(registry.override(app, "a", "OUT_OF_SERVICE") == 200, "override")
        until("its label has the override",
              lambda: targets()["a"]["__meta_eureka_app_instance_status"] == "OUT_OF_SERVICE", 30)
        ensure(registry.cancel(app, "a") == registry.cancel(app, "b") == 200, "cancel")
        until("it has lost both", lambda: targets() == {}, 30)
        prometheus.stop()
        tap.ensure_no_surprise()
        read = tap.seen("full")[-1].answer_headers
        ensure("xml" in read["content-type"] and "content-encoding" not in read, "read as %s" % read)


verdict.give(body)
