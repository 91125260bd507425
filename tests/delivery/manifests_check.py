"""config/kubernetes and config/helm: valid for real schemas and real readers, sound as a whole, and a real server does with
them what they promise. No cluster: what only one shows is named in docs/kubernetes.md."""
import base64, json, os, pathlib, re, shutil, socket, ssl, subprocess, tempfile, unittest, warnings

import name_server, played, provided
from harness import verdict
from provided import ROOT

# The newest that there is a schema of, and one that is still met.
VERSIONS = ["1.37.0", "1.30.0"]
CHART = os.path.join(ROOT, "config", "helm", "eurekad")
PLAIN = os.path.join(ROOT, "config", "kubernetes")

# By name: values of the chart.
VALUES = {
    "default": {},
    "one node": {"replicas": 1},
    "everything": {
        "serviceMonitor": {"enabled": True, "basicAuth": {"username": {"name": "metrics", "key": "user"},
                                                          "password": {"name": "metrics", "key": "password"}}},
        "loginsSecret": "registry-logins",
        "ingress": {"enabled": True, "className": "nginx", "host": "registry.example", "tlsSecret": "registry-web",
                    "annotations": {"example/of": "one"}},
        "networkPolicy": {"egress": [{"to": [{"ipBlock": {"cidr": "10.0.0.0/8"}}], "ports": [{"port": 443}]}]},
        "imagePullSecrets": [{"name": "pull"}], "nodeSelector": {"disk": "ssd"}, "podAnnotations": {"a": "b"},
        "tolerations": [{"key": "registry", "operator": "Exists"}],
        "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
                                       "whenUnsatisfiable": "ScheduleAnyway",
                                       "labelSelector": {"matchLabels": {"app.kubernetes.io/name": "eurekad"}}}],
        "persistence": {"storageClass": "fast", "size": "2Gi"},
    },
    "little": {"serviceMonitor": {"enabled": False}, "networkPolicy": {"enabled": False},
               "podAnnotations": {"prometheus.io/" + name: None for name in ("scrape", "port", "path")},
               "podDisruptionBudget": {"enabled": False}, "persistence": {"enabled": False}},
    "logins": {"loginsSecret": "registry-logins"},
    "TLS": {"tlsSecret": "registry-tls", "serviceMonitor": {"enabled": True}},
    "settings": {"settings": {"eureka": {"server": {"renewal-percent-threshold": 0.5}}, "server": {"tomcat": {"max-connections": 100}}}},
}


def setUpModule():
    global kubernetes_validate, objects, yaml
    provided.python_packages()
    import kubernetes_validate, objects, yaml


def plain():
    text = ""
    for name in sorted(os.listdir(PLAIN)):
        with open(os.path.join(PLAIN, name)) as file:
            text += "---\n" + file.read()
    return objects.read(text)


def chart(values, version=VERSIONS[0], release="eurekad"):
    told = subprocess.run([provided.tool("manifests-go", "delivery"), "chart", CHART, release, "default", "v" + version], text=True,
                          input=json.dumps(values), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if told.returncode:
        raise AssertionError(told.stderr)
    return objects.read(told.stdout)


class Valid(unittest.TestCase):
    def validate(self, each, version):
        if each["apiVersion"].startswith("monitoring.coreos.com/"):
            told = subprocess.run([provided.tool("manifests-go", "delivery"), "monitor"], input=yaml.safe_dump(each), text=True,
                                  stderr=subprocess.PIPE)
            self.assertEqual(told.stderr, "")
            return
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            kubernetes_validate.validate(each, version, strict=True)
        # Of a version that is not there the nearest is taken, with a warning.
        self.assertEqual([str(warning.message) for warning in warned if "version" in str(warning.message)], [])

    def test_plain_manifests(self):
        for version in VERSIONS:
            for each in plain():
                with self.subTest(version=version, kind=each["kind"]):
                    self.validate(each, version)

    def test_charts(self):
        for name, values in VALUES.items():
            for version in VERSIONS:
                for each in chart(values, version):
                    with self.subTest(values=name, version=version, kind=each["kind"]):
                        self.validate(each, version)

    def test_what_is_wrong_is_found(self):
        wrong = plain().stateful_set
        wrong["spec"]["template"]["spec"]["containers"][0]["livenesProbe"] = {}
        with self.assertRaises(kubernetes_validate.ValidationError):
            self.validate(wrong, VERSIONS[0])
        monitor = plain().the("ServiceMonitor")
        monitor["spec"]["endpoint"] = []
        with self.assertRaises(AssertionError):
            self.validate(monitor, VERSIONS[0])
        ingress = {"enabled": True, "host": "eureka.test"}
        for values in [{"ingress": ingress}, {"loginsSecret": "a", "ingress": {"enabled": True}}, {"replica": 1},
                       {"networkPolicy": {"enable": False}}, {"settings": {"management.server.port": 8762}},
                       {"settings": {"management": {"server.port": 8762}}}, {"settings": {"server": {"port": 80}}},
                       {"settings": {"management": {"endpoints.web": {"basePath": "/a"}}}},
                       {"settings": {"server.ssl.client-auth": "need"}},
                       {"settings": {"eurekad.security.public_health": False}}]:
            with self.assertRaises(AssertionError, msg=values):
                chart(values)

    def test_a_release_that_no_service_can_be_called_by(self):
        with self.assertRaises(AssertionError):
            chart({}, release="1eurekad")

    def test_settings_that_nothing_else_goes_by_are_taken(self):
        chart({"settings": {"server": {"tomcat.max-connections": 10, "ssl.client-auth": "want"}}})

    def test_the_chart_of_a_long_name(self):
        for each in chart({}, release="a" * 53):
            self.assertLessEqual(len(each["metadata"]["name"]), 63 - len("-0"))


class Sound(unittest.TestCase):
    def test_objects_hang_together(self):
        defaults = effective(played.Container())
        for name, found in [("plain", plain()), *((name, chart(values)) for name, values in VALUES.items())]:
            with self.subTest(name):
                objects.ensure_they_hang_together(self, found, defaults.get)

    def test_plain_manifests_and_the_chart_say_the_same(self):
        def told(found):
            """Without what only helm needs."""
            for each in found:
                for metadata in [each["metadata"], each.get("spec", {}).get("template", {}).get("metadata", {})]:
                    for mark in ("instance", "version", "managed-by"):
                        metadata.get("labels", {}).pop("app.kubernetes.io/" + mark, None)
                    metadata.get("annotations", {}).pop("checksum/settings", None)
                if each["kind"] == "ConfigMap":
                    each["data"]["application.yml"] = dict(objects.flat("", yaml.safe_load(each["data"]["application.yml"])))
            text = json.dumps(sorted(found, key=lambda each: (each["kind"], each["metadata"]["name"])), indent=1, sort_keys=True)
            return re.sub(r'\s*"app.kubernetes.io/instance": "eurekad",?', "", text).replace(",\n }", "\n }")
        self.maxDiff = None
        self.assertMultiLineEqual(told(plain()), told(chart({"serviceMonitor": {"enabled": True}})))

    def test_versions_agree(self):
        with open(os.path.join(ROOT, "Cargo.toml")) as file:
            version = re.search(r'(?m)^version = "(.*)"', file.read()).group(1)
        with open(os.path.join(CHART, "Chart.yaml")) as file:
            about = yaml.safe_load(file)
        self.assertEqual((str(about["version"]), str(about["appVersion"])), (version, version))
        for found in [plain(), chart({})]:
            self.assertEqual(found.container["image"], "eurekad:" + version)

    def test_the_image_has_what_the_manifests_go_by(self):
        with open(os.path.join(ROOT, "Dockerfile")) as file:
            text = file.read()
        self.assertIn("WORKDIR /app\n", text)
        self.assertIn("USER %d:%d\n" % (played.USER, played.USER), text)
        self.assertIn(" /var/lib/eurekad\n", text)


class Documented(unittest.TestCase):
    def test_the_values_of_the_chart(self):
        with open(os.path.join(ROOT, "docs", "kubernetes.md")) as file:
            rows = re.findall(r"(?m)^\| `([\w.]+)` \| (.*?) \|", file.read())
        with open(os.path.join(CHART, "values.yaml")) as file:
            values = yaml.safe_load(file)
        # What goes into other objects as it is, is told as a whole.
        whole = ["settings", "resources", "podAnnotations"]
        told = {name: value for key in values for name, value in (
            [(key, values[key])] if key in whole or values[key] == {} else objects.flat(key, values[key]))}
        self.assertEqual([name for name, _ in rows], list(told))
        for name, shown in rows:
            value = told[name]
            if value in ("", {}, []):
                self.assertEqual(shown, "–", name)
            elif name not in whole:
                self.assertEqual(shown.strip("`"), json.dumps(value).strip('"'), name)


class Played(unittest.TestCase):
    """A real server with the settings, the mounts and the rights of a pod."""

    def play(self, found, secrets=None):
        rename = {"eurekad-peers": "eurekad-peers.test"}
        node = played.Container(environment(found.container), found.writable(), rename)
        self.addCleanup(node.close)
        node.put("/app/config/application.yml", found.settings_text)
        for path, text in (secrets or {}).items():
            node.put(path, text)
        code, told = node.run("check")
        self.assertEqual((code, told.rstrip().splitlines()[-1]), (0, "The settings are right."), told)
        stub = name_server.Stub({"eurekad-peers.test": "127.0.0.1"})
        self.addCleanup(stub.close)
        node.start("--eurekad.peers.dns-server=127.0.0.1:%d" % stub.port)
        return node

    def probe(self, found, node, tls=None):
        """As the kubelet does, which has no login and trusts every certificate."""
        for name, (path, scheme) in found.probes().items():
            self.assertEqual(scheme, "HTTPS" if tls else "HTTP")
            verdict.until(name, lambda: node.ask(path, tls=tls).status == 200, 60)

    def scraped(self, found):
        paths = {endpoint["path"] for each in found.all("ServiceMonitor") for endpoint in each["spec"]["endpoints"]}
        return paths | {value for key, value in found.pod["metadata"]["annotations"].items() if key == "prometheus.io/path"}

    def register(self, node, **more):
        body = {"instance": {"instanceId": "ord-1", "hostName": "ord-1.test", "app": "ORDERS", "ipAddr": "10.0.0.1",
                             "vipAddress": "orders", "status": "UP", "dataCenterInfo": {
                                 "@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo", "name": "MyOwn"}}}
        more.setdefault("headers", {})["Content-Type"] = "application/json"
        return node.ask("/eureka/apps/ORDERS", "POST", json.dumps(body), **more).status

    def test_plain_manifests(self):
        found = plain()
        node = self.play(found)
        self.probe(found, node)
        for path in self.scraped(found):
            self.assertIn(b"eurekad_leases", node.ask(path).body)
        self.assertEqual(self.register(node), 204)
        verdict.until("the registry is on disk", lambda: "ord-1" in node.reads(found.settings["eurekad.snapshot.path"]))
        self.assertEqual(node.stop(), 0)
        self.assertFalse([line for line in node.process.lines() if re.search(r"\b(ERROR|WARN)\b", line) and "open to" not in line],
                         node.process.tail())

    def test_one_node_without_a_volume(self):
        found = chart(VALUES["little"] | {"replicas": 1})
        node = self.play(found)
        self.probe(found, node)
        self.assertEqual(self.register(node), 204)
        self.assertEqual(node.stop(), 0)

    def test_logins_from_a_secret(self):
        found = chart(VALUES["logins"])
        login = {"spring.security.user.name": "eureka", "spring.security.user.password": "from-a-secret"}
        node = self.play(found, {"/run/secrets/eurekad/" + name: value for name, value in login.items()})
        self.probe(found, node)
        self.assertEqual(self.register(node), 401)
        basic = "Basic " + base64.b64encode(":".join(login.values()).encode()).decode()
        self.assertEqual(self.register(node, headers={"Authorization": basic}), 204)
        for path in self.scraped(found):
            self.assertEqual((node.ask(path).status, node.ask(path, headers={"Authorization": basic}).status), (401, 200))
        self.assertEqual(node.stop(), 0)

    def test_tls_from_a_secret(self):
        if not shutil.which("openssl"):
            self.skipTest("no openssl on this machine")
        found = chart(VALUES["TLS"])
        made = certificates(["eurekad", "eurekad.default.svc", "*.eurekad-peers.default.svc.cluster.local"])
        node = self.play(found, {"/run/tls/" + name: text for name, text in made.items()})
        anybody = ssl._create_unverified_context()
        self.probe(found, node, anybody)
        monitor = found.the("ServiceMonitor")["spec"]["endpoints"][0]
        self.assertEqual(monitor["scheme"], "https")
        trusting = ssl.create_default_context(cadata=made["ca.crt"])
        with socket.create_connection(("127.0.0.1", node.port), 10) as connection:
            # Prometheus goes on if this does.
            trusting.wrap_socket(connection, server_hostname=monitor["tlsConfig"]["serverName"]).close()
        self.assertEqual(self.register(node, tls=anybody), 204)
        self.assertEqual(node.stop(), 0)


def environment(of):
    """What a pod's container has in its environment."""
    return {each["name"]: each["value"].replace("$(POD_IP)", "127.0.0.1") for each in of.get("env", []) if "value" in each}


def effective(node):
    """By property: what the program goes by."""
    code, told = node.run("config", "--json")
    node.close()
    assert code == 0, told
    return {each["name"]: each["value"] for each in json.loads(told)["properties"]}


def certificates(hosts):
    """tls.crt, tls.key and ca.crt, as a secret has them."""
    with tempfile.TemporaryDirectory() as folder:
        def openssl(*words):
            subprocess.run(["openssl", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.crt", "-days", "2", "-subj", "/CN=authority")
        openssl("req", *key, "-keyout", "tls.key", "-out", "tls.csr", "-subj", "/CN=" + hosts[0])
        with open(os.path.join(folder, "ext"), "w") as file:
            file.write("subjectAltName=" + ",".join("DNS:" + host for host in hosts))
        openssl("x509", "-req", "-in", "tls.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
                "-extfile", "ext", "-out", "tls.crt")
        return {name: pathlib.Path(folder, name).read_text() for name in ("tls.crt", "tls.key", "ca.crt")}
