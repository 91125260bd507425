"""A Spring Cloud application that logs in at a secured server, one that gets its password wrong, one that is not its own."""
import os, time

from harness import verdict
from harness.registry import Registry, request
from harness.server import Server
from harness.spring_client import SpringClient
from harness.verdict import ensure, given, until

# "password"
HASHED = "{bcrypt}$2a$10$dXJ3SW6G7P50lGmMkkmwe.20cQQubK3.HZWzG3YB1tlRy.fqvM/BG"
WORDS = ["--spring.security.user.name=operator", "--spring.security.user.password=" + HASHED,
         "--eurekad.security.users[0].name=shop", "--eurekad.security.users[0].password=shop/secret",
         "--eurekad.security.users[0].roles=read,register", "--eurekad.security.users[0].apps=shop-*",
         "--eurekad.security.users[1].name=reader", "--eurekad.security.users[1].password={noop}look",
         "--eurekad.security.users[1].roles=read"]


def body():
    line, = given()["args"]
    server = Server(given()["server"], os.path.join(given()["log"], "server.log"), words=WORDS, login="operator:password@")
    registry = Registry(server.base)
    bare = "127.0.0.1:%d" % server.port

    def of(login):
        return "http://%s@%s" % (login, bare)

    good = SpringClient(line, "shop-good", of("shop:shop%2Fsecret"))
    wrong = SpringClient(line, "shop-wrong", of("shop:guessed"))
    other = SpringClient(line, "other", of("shop:shop%2Fsecret"))
    until("with its login an application registers", good.registered, 120)
    until("it is UP, and alone", lambda: registry.everything()[1] == {"%s/%s" % (good.app, good.id): "UP"})
    until("it finds itself", lambda: good.finds(good), 30)
    until("it heartbeats", lambda: good.tap.seen("heartbeat", status=200)[2:])
    until("the wrong password is refused", lambda: wrong.tap.seen("register", status=401), 120)
    until("an application of another name is refused", lambda: other.tap.seen("register", status=403), 120)
    for client, status in ((wrong, 401), (other, 403)):
        refused = client.tap.seen("register", status=status)[-1]
        ensure(not refused.answer, "a refusal with a body: %.200r" % refused.answer)
        ensure(client.process.alive(), "the client ended by itself")
    strangers(bare)
    reader = Registry(of("reader:look"))
    ensure(reader.instance(good.app, good.id), "who may read does not")
    ensure(reader.register("SHOP-X", "x") == 403, "who may only read registers")
    ensure(reader.override(good.app, good.id, "OUT_OF_SERVICE") == 403, "who may only read overrides")

    ensure(registry.override(good.app, good.id, "OUT_OF_SERVICE") == 200, "override by the operator")
    until("out of service: not found", lambda: good.ask("/instances/" + good.name) == [])
    ensure(registry.remove_override(good.app, good.id) == 200, "removal by the operator")
    until("back: found again", lambda: good.finds(good))
    since = time.time()
    good.process.stop()
    ensure(good.tap.seen("cancel", since, 200), "no DELETE on SIGTERM, or not answered 200")
    until("after SIGTERM it is gone", lambda: registry.everything()[1] == {}, 3)
    good.tap.ensure_no_surprise(("heartbeat", 404))


def strangers(bare):
    """Who does not log in sees that the server is well, and nothing else."""
    health = request("GET", "http://%s/actuator/health" % bare)
    ensure(health.status == 200, "health asks for a login: %d" % health.status)
    for method, path in (("GET", "apps"), ("GET", "apps/delta"), ("POST", "apps/X"), ("PUT", "apps/X/x"),
                         ("DELETE", "apps/X/x"), ("POST", "peerreplication/batch/"), ("GET", "nothing")):
        answer = request(method, "http://%s/eureka/%s" % (bare, path))
        ensure(answer.status == 401 and not answer.body, "%s %s: %d %.100r" % (method, path, answer.status, answer.body))
        ensure("Basic" in answer.headers.get("WWW-Authenticate", ""), "a 401 that does not say what is wanted")


verdict.give(body)
