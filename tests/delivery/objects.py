"""The objects of a set of manifests, and whether they hang together: what no schema sees."""
import yaml


def read(text):
    return Objects([each for each in yaml.safe_load_all(text) if each])


class Objects(list):
    def all(self, kind):
        return [each for each in self if each["kind"] == kind]

    def the(self, kind, where=lambda _: True):
        found = [each for each in self.all(kind) if where(each)]
        if len(found) != 1:
            raise AssertionError("%d of kind %s" % (len(found), kind))
        return found[0]

    @property
    def stateful_set(self):
        return self.the("StatefulSet")

    @property
    def pod(self):
        return self.stateful_set["spec"]["template"]

    @property
    def container(self):
        return self.pod["spec"]["containers"][0]

    @property
    def headless(self):
        return self.the("Service", lambda each: each["spec"].get("clusterIP") == "None")

    @property
    def api(self):
        return self.the("Service", lambda each: each["spec"].get("clusterIP") != "None")

    @property
    def settings_text(self):
        return self.the("ConfigMap")["data"]["application.yml"]

    @property
    def settings(self):
        """By property: the tree of application.yml, flat."""
        return dict(flat("", yaml.safe_load(self.settings_text)))

    def probes(self):
        """By name: path and scheme."""
        asked = {name: self.container[name]["httpGet"] for name in ("startupProbe", "livenessProbe", "readinessProbe")}
        return {name: (get["path"], get.get("scheme", "HTTP")) for name, get in asked.items()}

    def mounts(self):
        """By path: the volume or claim, and whether it can be written to."""
        spec = self.stateful_set["spec"]
        volumes = {each["name"]: each for each in self.pod["spec"]["volumes"]}
        claims = {each["metadata"]["name"]: each for each in spec.get("volumeClaimTemplates", [])}
        return {each["mountPath"]: ((volumes | claims)[each["name"]], not each.get("readOnly"))
                for each in self.container["volumeMounts"]}

    def writable(self):
        return [path for path, (_, can_write) in self.mounts().items() if can_write]


def flat(name, value):
    if not isinstance(value, dict) or not value:
        yield name, value
        return
    for key, below in value.items():
        yield from flat(name + "." + key if name else key, below)


def fits(selector, labels):
    return bool(selector) and selector.items() <= labels.items()


def ensure_they_hang_together(test, objects, default_of):
    """default_of(property): what the program goes by where the settings say nothing."""
    spec, pod, container = objects.stateful_set["spec"], objects.pod, objects.container
    labels = pod["metadata"]["labels"]
    own = spec["selector"]["matchLabels"]
    setting = lambda name: objects.settings.get(name, default_of(name))
    with test.subTest("everything that selects pods selects these"):
        test.assertTrue(fits(own, labels))
        test.assertTrue(all(fits(each["spec"]["selector"], labels) for each in objects.all("Service")))
        rules = pod["spec"]["affinity"]["podAntiAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
        for term in [rule["podAffinityTerm"] for rule in rules]:
            test.assertEqual((term["topologyKey"], term["labelSelector"]["matchLabels"]), ("kubernetes.io/hostname", own))
        for each in objects.all("PodDisruptionBudget"):
            test.assertEqual((each["spec"]["selector"]["matchLabels"], each["spec"]["maxUnavailable"]), (own, 1))
        for each in objects.all("NetworkPolicy"):
            test.assertEqual(each["spec"]["podSelector"]["matchLabels"], own)
    with test.subTest("nodes find each other by the headless service, before they are ready"):
        headless = objects.headless
        name = headless["metadata"]["name"]
        test.assertEqual(spec["serviceName"], name)
        test.assertTrue(headless["spec"]["publishNotReadyAddresses"])
        found_by = {key: value for key, value in objects.settings.items() if key in ("eurekad.peers.dns", "eurekad.peers.srv")}
        port = headless["spec"]["ports"][0]
        srv = {"eurekad.peers.srv": "https://_%s._tcp.%s" % (port["name"], name)}
        test.assertIn(found_by, [{"eurekad.peers.dns": name}, srv])
        test.assertFalse([key for key in objects.settings if "service-url" in key])
    with test.subTest("ports"):
        ports = {each["name"]: each["containerPort"] for each in container["ports"]}
        test.assertEqual(ports, {"http": int(setting("server.port"))})
        for each in objects.all("Service"):
            for port in each["spec"]["ports"]:
                target = port.get("targetPort", port["port"])
                test.assertEqual(ports.get(target, target), ports["http"], port)
        for name in ("startupProbe", "livenessProbe", "readinessProbe"):
            test.assertIn(container[name]["httpGet"]["port"], ports)
        for each in objects.all("NetworkPolicy"):
            allowed = [port["port"] for rule in each["spec"]["ingress"] for port in rule["ports"]]
            test.assertEqual(allowed, [ports["http"]])
            others, names = each["spec"]["egress"][:2]
            test.assertEqual((others["to"][0]["podSelector"]["matchLabels"], others["ports"][0]["port"]), (own, ports["http"]))
            test.assertEqual(sorted((port["port"], port["protocol"]) for port in names["ports"]), [(53, "TCP"), (53, "UDP")])
    with test.subTest("a pod has no rights that it does not need"):
        of_pod, of_container = pod["spec"]["securityContext"], container["securityContext"]
        test.assertEqual((of_pod["runAsNonRoot"], of_pod["runAsUser"], of_pod["fsGroup"]), (True, 10001, 10001))
        test.assertEqual(of_pod["seccompProfile"], {"type": "RuntimeDefault"})
        test.assertEqual(of_container, {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                        "capabilities": {"drop": ["ALL"]}})
        test.assertFalse(pod["spec"]["automountServiceAccountToken"])
        test.assertTrue(container["resources"]["requests"].keys() >= {"cpu", "memory"})
        test.assertIn("memory", container["resources"]["limits"])
    with test.subTest("services of the namespace are no settings"):
        test.assertIs(pod["spec"]["enableServiceLinks"], False)
    with test.subTest("a pod has the time that its end takes"):
        delay = float(str(setting("eurekad.http.shutdown-delay") or 0).removesuffix("s"))
        phases = int(setting("spring.lifecycle.timeout-per-shutdown-phase")) / 1000
        # Then peers are told, and the snapshot is written.
        test.assertGreaterEqual(pod["spec"]["terminationGracePeriodSeconds"], delay + phases + 10)
    with test.subTest("one pod at a time is replaced"):
        test.assertEqual(spec["updateStrategy"], {"type": "RollingUpdate"})
        test.assertEqual(spec["podManagementPolicy"], "Parallel")
    with test.subTest("what is written is written to a volume"):
        snapshot = objects.settings.get("eurekad.snapshot.path")
        if snapshot:
            test.assertIn(snapshot.rpartition("/")[0], objects.writable())
        else:
            test.assertEqual(objects.writable(), [])
        read_only = {path for path, (_, can_write) in objects.mounts().items() if not can_write}
        test.assertTrue(read_only >= {"/app/config", "/run/secrets/eurekad"})
    with test.subTest("Prometheus finds each pod once"):
        for each in objects.all("ServiceMonitor"):
            selector = each["spec"]["selector"]["matchLabels"]
            found = [service for service in objects.all("Service") if fits(selector, service["metadata"]["labels"])]
            test.assertEqual(found, [objects.api])
            [endpoint] = each["spec"]["endpoints"]
            test.assertIn(endpoint["port"], [port["name"] for port in objects.api["spec"]["ports"]])
        told = pod["metadata"]["annotations"]
        if told.get("prometheus.io/scrape") == "true":
            test.assertEqual(told["prometheus.io/port"], str(setting("server.port")))
    with test.subTest("an ingress leads to the service"):
        for each in objects.all("Ingress"):
            for rule in each["spec"]["rules"]:
                service = rule["http"]["paths"][0]["backend"]["service"]
                test.assertEqual(service["name"], objects.api["metadata"]["name"])
                test.assertIn(service["port"]["name"], [port["name"] for port in objects.api["spec"]["ports"]])
