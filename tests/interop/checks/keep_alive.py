"""One connection between heartbeats: it must outlive the 30 s of every client's default, and 60 s with one heartbeat lost."""
import http.client, json, os, time, urllib.parse

from harness import registry, verdict
from harness.verdict import ensure, given, step

IDLE = 65


def body():
    server = urllib.parse.urlsplit(given()["base"])
    app = "KEEP-ALIVE-%d" % os.getpid()
    connection = http.client.HTTPConnection(server.hostname, server.port, timeout=10)
    connection.connect()
    socket = connection.sock

    def send(method, path, body=None):
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        ensure(answer.read() == b"", "the answer has a body")
        ensure(connection.sock is socket, "the server closes the connection after %s" % method)
        return answer.status

    ensure(send("POST", "/eureka/apps/" + app, json.dumps({"instance": registry.instance(app, "one")})) == 204, "register")
    path = "/eureka/apps/%s/one" % app
    ensure(send("PUT", path) == 200, "heartbeat")
    step("registered and renewed on one connection, now idle for %d s" % IDLE)
    time.sleep(IDLE)
    try:
        ensure(send("PUT", path) == 200, "heartbeat after %d s" % IDLE)
    except (OSError, http.client.HTTPException) as closed:
        verdict.allowed("idle-60-s", "Tomcat closes a connection that was idle for a minute: %r" % closed)
    step("done")


verdict.give(body)
