"""Prometheus scrapes two nodes, finds what is registered by their HTTP service discovery, and takes alerts and board."""
import json, os, re, subprocess, tempfile, threading, urllib.parse

from harness import process, server, verdict
from harness.registry import Registry, request
from harness.verdict import ensure, given, until

CONFIG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "config")
SCRAPES = """
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [%(alerts)s]
scrape_configs:
- job_name: eurekad
  metrics_path: /actuator/prometheus
  static_configs: [{targets: [%(nodes)s]}]
- job_name: registered
  scrape_interval: 1h
  http_sd_configs:
  - url: %(base)s/eureka/prometheus/sd
    refresh_interval: 1s
- job_name: by-eureka
  scrape_interval: 1h
  eureka_sd_configs:
  - server: %(base)s/eureka
    refresh_interval: 1s
"""
WORDS = ["--management.endpoints.web.exposure.include=health,prometheus", "--eurekad.peers.digest-interval=1"]
VARIABLES = {"$job": "eurekad", "$instance": ".*", "$application": ".*", "$__rate_interval": "20s"}


def promtool(*words, text=None):
    tool = os.path.join(given()["tools"]["prometheus-tools"], "promtool")
    told = subprocess.run([tool, *words], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    ensure(told.returncode == 0, "promtool %s: %s" % (" ".join(words), told.stdout.decode()))


def two_nodes():
    """Peers of each other; the second is a region of the first as well."""
    ports, started = [process.free_port(), process.free_port()], {}
    bases = ["http://127.0.0.1:%d" % port for port in ports]

    def start(node, words):
        log = os.path.join(given()["log"], "node-%d.log" % node)
        started[node] = server.Server(given()["server"], log, port=ports[node], peer=bases[1 - node], words=[*WORDS, *words])

    region = ["--eureka.server.remote-region-urls-with-name.eu=%s/eureka/" % bases[1],
              "--eureka.server.remote-region-registry-fetch-interval=1"]
    threads = [threading.Thread(target=start, args=words) for words in ((0, region), (1, []))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ensure(len(started) == 2, "the nodes do not start")
    return started[0], started[1]


def expressions_of_the_board():
    with open(os.path.join(CONFIG, "grafana", "eurekad.json")) as file:
        board = json.load(file)
    found = [target["expr"] for panel in board["panels"] for target in panel.get("targets", [])]
    for variable, value in VARIABLES.items():
        found = [expression.replace(variable, value) for expression in found]
    ensure(len(found) > 30 and not [expression for expression in found if "$" in expression], "the board: %s" % found)
    return found


def body():
    if given()["java"]:
        verdict.step("a Java server has none of this")
        return
    alerts = os.path.join(CONFIG, "prometheus", "alerts.yml")
    promtool("check", "rules", alerts)
    promtool("check", "config", os.path.join(CONFIG, "prometheus", "prometheus.yml"))
    node, other = two_nodes()
    registry, port = Registry(node.base), process.free_port()
    for kind in (None, "application/openmetrics-text;version=1.0.0"):
        told = request("GET", node.base + "/actuator/prometheus", headers={"Accept": kind} if kind else {})
        ensure(told.status == 200, "figures: %d" % told.status)
        if not kind:
            promtool("check", "metrics", text=told.body)
    for app, id, status in (("ORDERS", "1", "UP"), ("ORDERS", "2", "UP"), ("ORDERS", "3", "DOWN"), ("STOCK", "4", "UP")):
        more = {"metadata": {"zone": "ü", "scrape.path": "/m", "a-b": "c"}}
        ensure(registry.register(app, id, status=status, **more) == 204, "register")
    ensure(registry.override("STOCK", "4", "OUT_OF_SERVICE") == 200, "override")

    with tempfile.TemporaryDirectory() as data:
        config = os.path.join(given()["log"], "prometheus.yml")
        nodes = ["127.0.0.1:%d" % each.port for each in (node, other)]
        with open(config, "w") as file:
            file.write(SCRAPES % {"alerts": json.dumps(alerts), "nodes": ", ".join(nodes), "base": node.base})
        prometheus = process.Process(
            [os.path.join(given()["tools"]["prometheus-tools"], "prometheus"), "--config.file=" + config,
             "--storage.tsdb.path=" + data, "--web.listen-address=127.0.0.1:%d" % port], os.path.join(given()["log"], "log"))
        verdict.show_when_failing(prometheus.tail)

        def ask(path):
            ensure(prometheus.alive(), "prometheus ended by itself")
            told = request("GET", "http://127.0.0.1:%d/api/v1/%s" % (port, path))
            if told.status == 503:
                raise OSError("it is not ready")
            ensure(told.status == 200, "%s: %d %s" % (path, told.status, told.body))
            return json.loads(told.body)["data"]

        def query(expression):
            return ask("query?" + urllib.parse.urlencode({"query": expression}))["result"]

        def traffic():
            """One round of what clients do."""
            registry.heartbeat("ORDERS", "1")
            registry.heartbeat("ORDERS", "none")
            for each in (registry, Registry(other.base)):
                each.everything()

        def instances():
            found = query('eureka_server_instances{instance="%s"}' % nodes[0])
            return {(each["metric"]["application"], each["metric"]["status"]): each["value"][1] for each in found}

        until("both nodes are scraped", lambda: [each["value"][1] for each in query('up{job="eurekad"}')] == ["1", "1"], 30)
        want = {("ORDERS", "UP"): "2", ("ORDERS", "DOWN"): "1", ("STOCK", "OUT_OF_SERVICE"): "1"}
        until("it has the instances by application and status", lambda: instances() == want, 15)

        left = expressions_of_the_board()

        def answered():
            traffic()
            left[:] = [expression for expression in left if not query(expression)]
            return not left

        try:
            until("every expression of the board has data", answered, 60, pause=0.5)
        except verdict.Failed as failed:
            raise verdict.Failed("no data for: %s" % "; ".join(left)) from failed

        def rules():
            found = [rule for group in ask("rules")["groups"] for rule in group["rules"]]
            return found if all(rule["health"] == "ok" for rule in found) else None

        found = until("every alert is evaluated", rules, 15)
        metrics = {name for rule in found for name in re.findall(r"\b(?:eurekad?|process|http_server)_\w+", rule["query"])}
        missing = [name for name in metrics if not query(name)]
        ensure(len(metrics) > 10 and not missing, "alerts go by metrics that are not there: %s" % missing)

        def targets(job):
            """Labels by application and id. What is of Prometheus itself aside."""
            active = [each["discoveredLabels"] for each in ask("targets?state=active")["activeTargets"]]
            ours = [labels for labels in active if labels["job"] == job]
            return {(labels["__meta_eureka_app_name"], labels["__meta_eureka_app_instance_id"]): {
                name: value for name, value in labels.items() if name not in ("job", "__meta_url")} for labels in ours}
        ids = {("ORDERS", "1"), ("ORDERS", "2"), ("ORDERS", "3"), ("STOCK", "4")}
        until("it finds what is registered", lambda: set(targets("registered")) == ids, 30)
        until("and the same through eureka_sd", lambda: set(targets("by-eureka")) == ids, 30)
        mine, theirs = targets("registered"), targets("by-eureka")
        ensure(mine == theirs, "labels: %s, by eureka_sd %s" % (mine[("STOCK", "4")], theirs[("STOCK", "4")]))
        ensure(registry.cancel("ORDERS", "3") == 200, "cancel")
        until("the target is gone", lambda: set(targets("registered")) == ids - {("ORDERS", "3")}, 30)
        until("and so is its series", lambda: ("ORDERS", "DOWN") not in instances(), 15)
        prometheus.stop()
    for each in (node, other):
        ensure(each.process.stop() == 0, "a node ends with an error")


verdict.give(body)
