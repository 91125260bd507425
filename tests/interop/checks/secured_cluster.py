"""Two nodes of the server under test and a Java server with Spring Security as peers: TLS and a login both ways."""
import os, threading, time

from harness import process, verdict
from harness.certificates import PASSWORD, Authority
from harness.registry import Registry, request
from harness.server import Server
from harness.verdict import ensure, given, until

LOGIN = "cluster:between us@"
IN_URL = "cluster:between%20us@"


def body():
    log = given()["log"]
    authority = Authority(os.path.join(log, "certificates"))
    trusted = authority.context()
    ports = {name: process.free_port() for name in ("java", "one", "two")}
    # The Java server knows itself by its host's name.
    hosts = {"java": "localhost", "one": "127.0.0.1", "two": "127.0.0.1"}
    plans = {"java": java(given()["tools"]["java-secured"], authority), "one": given()["server"], "two": given()["server"]}
    words = {"java": [], "one": [*ours(authority, "one"), *bundle(authority, "one")],
             "two": [*ours(authority, "two"), *client(authority, "two")]}
    words["java"] = served(authority, "java")
    nodes = {}

    def start(name):
        peers = ["https://%s%s:%d" % (IN_URL, hosts[peer], ports[peer]) for peer in ports if peer != name]
        login = ["--spring.security.user.name=cluster", "--spring.security.user.password=between us"]
        server = Server(plans[name], os.path.join(log, name + ".log"), hosts[name], ports[name], ",".join(peers),
                        words=[*words[name], *login], login=LOGIN, tls=trusted)
        nodes[name] = Registry(server.base, trusted)

    threads = [threading.Thread(target=start, args=(name,)) for name in ports]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ensure(len(nodes) == 3, "not all servers start: %s" % list(nodes))
    for name, here in nodes.items():
        spread(here, {other: node for other, node in nodes.items() if other != name}, name)
    refused(ports["one"], trusted)


def spread(here, others, name):
    app, id = "FROM-" + name.upper(), "%d" % time.time()

    def everywhere(test):
        return all(test(node.instance(app, id)) for node in others.values())

    ensure(here.register(app, id) == 204, "register")
    until("from %s: registered at all" % name, lambda: everywhere(lambda found: found), 30)
    ensure(here.override(app, id, "OUT_OF_SERVICE") == 200, "override")
    until("from %s: overridden at all" % name, lambda: everywhere(lambda found: found["status"] == "OUT_OF_SERVICE"))
    ensure(here.remove_override(app, id) == 200, "removal of the override")
    until("from %s: back at all" % name, lambda: everywhere(lambda found: found["status"] == "UP"))
    # A heartbeat on its way would bring it back.
    time.sleep(1.5)
    ensure(here.cancel(app, id) == 200, "cancel")
    until("from %s: cancelled at all" % name, lambda: everywhere(lambda found: found is None))


def refused(port, trusted):
    answer = request("POST", "https://127.0.0.1:%d/eureka/peerreplication/batch/" % port, '{"replicationList":[]}',
                     {"Content-Type": "application/json"}, trusted)
    ensure(answer.status == 401 and not answer.body, "a batch of nobody: %d %.200r" % (answer.status, answer.body))


def served(authority, name):
    return ["--server.ssl.key-store=file:" + authority.store(name), "--server.ssl.key-store-password=" + PASSWORD,
            "--server.ssl.key-store-type=PKCS12"]


def ours(authority, name):
    """It asks for a certificate; the check has none."""
    return [*served(authority, name), "--server.ssl.client-auth=want", "--server.ssl.trust-store=" + authority.trust,
            "--server.ssl.trust-store-password=" + PASSWORD]


def bundle(authority, name):
    start = "--spring.ssl.bundle.jks.cluster."
    return ["--eurekad.peers.ssl.bundle=cluster", start + "keystore.location=" + store(authority, name),
            start + "keystore.password=" + PASSWORD, start + "keystore.type=PKCS12",
            start + "truststore.location=" + authority.trust, start + "truststore.password=" + PASSWORD]


def client(authority, name):
    words = {"enabled": "true", "key-store": store(authority, name), "key-store-password": PASSWORD,
             "key-password": PASSWORD, "trust-store": authority.trust, "trust-store-password": PASSWORD}
    return ["--eureka.client.tls.%s=%s" % pair for pair in words.items()]


def store(authority, name):
    return os.path.join(authority.folder, name + ".p12")


def java(folder, authority):
    """Replication of a Java server takes its key and its trust from the JVM, and only if it is told to."""
    own = authority.store("java-client")
    return {"java": folder, "main": "eurekad.interop.SecuredServer", "system": {
        "com.netflix.eureka.shouldSSLConnectionsUseSystemSocketFactory": "true",
        "javax.net.ssl.trustStore": authority.trust, "javax.net.ssl.trustStorePassword": PASSWORD,
        "javax.net.ssl.trustStoreType": "PKCS12", "javax.net.ssl.keyStore": own,
        "javax.net.ssl.keyStorePassword": PASSWORD, "javax.net.ssl.keyStoreType": "PKCS12"}}


verdict.give(body)
