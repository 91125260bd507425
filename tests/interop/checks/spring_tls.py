"""Two Spring Cloud applications with certificates of their own on a server that asks for one; and one without."""
import hashlib, os, socket, ssl, time

from harness import verdict
from harness.certificates import PASSWORD, Authority
from harness.process import Process, free_port
from harness.spring_client import SpringClient
from harness.verdict import ensure, given, until


def body():
    line, = given()["args"]
    log = given()["log"]
    authority = Authority(os.path.join(log, "certificates"))
    own, port = authority.store("server"), free_port()
    words = ["--server.port=%d" % port, "--eureka.server.eviction-interval-timer-in-ms=1000",
             "--eureka.server.enable-self-preservation=false",
             "--server.ssl.key-store=file:" + own, "--server.ssl.key-store-password=" + PASSWORD,
             "--server.ssl.client-auth=need", "--server.ssl.trust-store=" + authority.trust,
             "--server.ssl.trust-store-password=" + PASSWORD,
             "--eurekad.security.certificates[0].subject=CN=app-*,O=Example",
             "--eurekad.security.certificates[0].roles=read,register"]
    # Spring's own words: no Java server could tell who a client is by its certificate.
    server = Process([given()["server"]["binary"], *words], os.path.join(log, "server.log"), cwd=log)
    verdict.show_when_failing(server.tail)
    base = "https://127.0.0.1:%d" % port
    one, two = (SpringClient(line, name, base, words=tls(authority, authority.store(name))) for name in ("app-one", "app-two"))
    stranger = SpringClient(line, "app-three", base, words=tls(authority, None))
    foreign = SpringClient(line, "app-four", base, words=tls(authority, authority.store("foreign")))
    both = (one, two)
    until("both are registered and know each other", lambda: all(
        client.ask("/registry")["instances"] == {"%s/%s" % (each.app, each.id): "UP" for each in both} for client in both), 90)
    until("each finds the other", lambda: one.finds(two) and two.finds(one))
    until("each calls the other by its name", lambda: one.calls(two) and two.calls(one))

    before = shown(authority, port)
    authority.store("server-2")
    os.replace(os.path.join(authority.folder, "server-2.p12"), own)
    until("a new certificate is shown without a restart", lambda: shown(authority, port) != before, 30)
    time.sleep(4)       # longer than a lease
    ensure(one.finds(two) and two.finds(one), "a lease ended when the certificate changed")
    for client in (stranger, foreign):
        until("%s sees nobody" % client.name, lambda: client.ask("/registry")["instances"] == {}, 60)
        ensure(client.process.alive(), "the client ended by itself")
    two.process.stop()
    until("after SIGTERM the other no longer finds it", lambda: one.ask("/instances/" + two.name) == [])
    ensure(server.stop() == 0, "exit code after SIGTERM")


def tls(authority, store):
    """Words of a client that trusts the authority, and shows what is in a store."""
    words = {"enabled": "true", "trust-store": "file:" + authority.trust, "trust-store-type": "PKCS12",
             "trust-store-password": PASSWORD}
    if store:
        words |= {"key-store": "file:" + store, "key-store-type": "PKCS12", "key-store-password": PASSWORD,
                  "key-password": PASSWORD}
    return ["--eureka.client.tls.%s=%s" % pair for pair in words.items()]


def shown(authority, port):
    """A digest of the server's certificate."""
    context = authority.context()
    context.maximum_version = ssl.TLSVersion.TLSv1_3
    with socket.create_connection(("127.0.0.1", port), 5) as plain:
        with context.wrap_socket(plain, server_hostname="127.0.0.1") as wrapped:
            return hashlib.sha256(wrapped.getpeercert(binary_form=True)).hexdigest()


verdict.give(body)
