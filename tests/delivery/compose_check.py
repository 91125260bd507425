"""config/compose: read by the parser of docker compose itself, and played by processes."""
import json, os, subprocess, unittest

import played, provided
from harness import verdict
from provided import ROOT

COMPOSE = os.path.join(ROOT, "config", "compose")
INSTANCE = json.dumps({"instance": {"instanceId": "ord-1", "hostName": "ord-1.test", "app": "ORDERS", "ipAddr": "10.0.0.1",
                                    "vipAddress": "orders", "status": "UP", "dataCenterInfo": {
                                        "@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo", "name": "MyOwn"}}})


def composed(name):
    """The file as docker compose understands it."""
    told = subprocess.run([provided.tool("manifests-go", "compose"), "-format", "json", name], cwd=COMPOSE, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if told.returncode:
        raise AssertionError(told.stderr)
    return json.loads(told.stdout)


def services(name):
    """By name."""
    return composed(name)["services"]


def mounts(service):
    return [each["target"] for each in service.get("volumes", [])]


class Compose(unittest.TestCase):
    def play(self, service, rename=None):
        node = played.Container(service["environment"], mounts(service), rename)
        self.addCleanup(node.close)
        return node

    def test_services_have_no_rights_that_they_do_not_need(self):
        published = []
        for file in sorted(os.listdir(COMPOSE)):
            for name, service in services(file).items():
                with self.subTest(file=file, service=name):
                    self.assertTrue(service["read_only"])
                    self.assertEqual(service["cap_drop"], ["ALL"])
                    self.assertEqual(service["security_opt"], ["no-new-privileges:true"])
                    self.assertTrue(service["mem_limit"])
                    self.assertEqual([port["target"] for port in service["ports"]], [8761])
                    published += [(file, port["published"]) for port in service["ports"]]
                    path = service["environment"]["EUREKAD_SNAPSHOT_PATH"]
                    self.assertIn(os.path.dirname(path), mounts(service))
                    code, told = self.play(service).run("check")
                    self.assertEqual((code, told.rstrip().splitlines()[-1]), (0, "The settings are right."), told)
        self.assertEqual(len(published), len(set(published)))

    def test_the_image_is_built_once_and_no_other_is_asked_for(self):
        names = set()
        for file in sorted(os.listdir(COMPOSE)):
            with self.subTest(file=file):
                told = composed(file)
                names.add(told["name"])
                built, *others = sorted(told["services"].values(), key=lambda service: "build" not in service)
                self.assertEqual(built["build"]["context"], ROOT)
                for service in others:
                    self.assertEqual((service["image"], service["pull_policy"]), (built["image"], "never"))
                    self.assertNotIn("build", service)
        self.assertEqual(len(names), len(os.listdir(COMPOSE)), "one does not take the other's containers for its own")

    def test_one_node_keeps_its_registry(self):
        [service] = services("single.yml").values()
        node = self.play(service)
        node.start()
        self.assertEqual(node.ask("/eureka/apps/ORDERS", "POST", INSTANCE, {"Content-Type": "application/json"}).status, 204)
        self.assertEqual(node.stop(), 0)
        node.start()
        self.assertEqual(node.ask("/eureka/apps/ORDERS/ord-1").status, 200)
        self.assertEqual(node.stop(), 0)

    def test_three_nodes_are_a_cluster(self):
        found = services("cluster.yml")
        self.assertEqual(len(found), 3)
        nodes = {name: self.play(service) for name, service in found.items()}
        rename = {"http://%s:8761/" % name: "http://127.0.0.1:%d/" % node.port for name, node in nodes.items()}
        for name, node in nodes.items():
            text = found[name]["environment"]["EUREKA_CLIENT_SERVICEURL_DEFAULTZONE"]
            self.assertEqual(sorted(text.split(",")), sorted("http://%s:8761/eureka/" % each for each in found))
            for old, new in rename.items():
                text = text.replace(old, new)
            node.environment["EUREKA_CLIENT_SERVICEURL_DEFAULTZONE"] = text
            node.start()
        for name, node in nodes.items():
            verdict.until("%s is open" % name, lambda: node.ask("/actuator/health/readiness").status == 200, 60)
        first = next(iter(nodes.values()))
        self.assertEqual(first.ask("/eureka/apps/ORDERS", "POST", INSTANCE, {"Content-Type": "application/json"}).status, 204)
        for name, node in nodes.items():
            verdict.until("%s has it" % name, lambda: node.ask("/eureka/apps/ORDERS/ord-1").status == 200, 30)
            peers = json.loads(node.ask("/eureka/operations/peers").body)["peers"]
            # Two others: it recognises itself.
            verdict.until("%s knows the others" % name, lambda: sum(
                peer["state"] == "up" for peer in json.loads(node.ask("/eureka/operations/peers").body)["peers"]) == 2, 60)
            self.assertEqual(len(peers), 2, peers)
        for node in nodes.values():
            self.assertEqual(node.stop(), 0)
