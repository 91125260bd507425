"""The server under test: eurekad, or Spring Cloud's Eureka server as the control. Both take the same words."""
import os, threading

from . import process, registry, verdict

# Short times, and nothing that keeps a lapsed lease or an old answer alive.
SETTINGS = ["--eureka.server.enable-self-preservation=false", "--eureka.server.eviction-interval-timer-in-ms=1000",
            "--eureka.server.use-read-only-response-cache=false"]

# A read that meets a change may put the old answer back into the Java server's cache, where it stays until the next
# change or for three minutes.
JAVA_ALONE = ["--eureka.server.response-cache-auto-expiration-in-seconds=1",
              # a server alone
              "--eureka.instance.hostname=localhost", "--eureka.client.register-with-eureka=false",
              "--eureka.client.fetch-registry=false",
              "--eureka.client.service-url.defaultZone=http://localhost:${server.port}/eureka/"]


# It copies from its peers at the start only if it registers with them.
JAVA_PEER = [JAVA_ALONE[0], "--eureka.client.register-with-eureka=true", "--eureka.client.fetch-registry=true"]


class Server:
    """plan: {"binary": path} or {"java": folder}. The Java server knows itself among its peers by its host's name, so
    those of a pair have different ones. words: more settings. login: what `base` has for it, `user:password@`. tls: whom
    to trust, if it is an https server. path: the context path, of eurekad alone."""

    def __init__(self, plan, log, host="127.0.0.1", port=None, peer=None, words=(), login="", tls=None,
                 path=""):
        self.plan, self.log, self.host, self.port, self.peer = plan, log, host, port or process.free_port(), peer
        self.base = "%s://%s%s:%d%s" % ("https" if tls else "http", login, host, self.port, path)
        self.words, self.tls = [*words, *(["--server.servlet.context-path=" + path] if path else [])], tls
        self.start()
        verdict.show_when_failing(lambda: self.process.tail())

    def start(self):
        """Comes back when it answers. A second start takes the same port."""
        words = ["--server.port=%d" % self.port, *SETTINGS, *self.words]
        if self.peer:
            words += ["--eureka.instance.hostname=" + self.host,
                      "--eureka.client.service-url.defaultZone="
                      + ",".join("%s/eureka/" % peer for peer in self.peer.split(","))]
        if "java" in self.plan:
            self.process = process.java(self.plan["java"], self.plan.get("main", "eurekad.interop.Server"), self.log, *words,
                                        *(JAVA_PEER if self.peer else JAVA_ALONE), system=self.plan.get("system"))
        else:
            # Its own folder, so that no application.yml of the caller's is read.
            self.process = process.Process([self.plan["binary"], *words], self.log, cwd=os.path.dirname(self.log))
        verdict.until("the server answers on %d" % self.port, self._answers, 90)

    def _answers(self):
        verdict.ensure(self.process.alive(), "the server ended by itself\n" + self.process.tail())
        return registry.Registry(self.base, self.tls).call("GET", "apps").status == 200

    def restart(self):
        """Ends it and starts one that knows nobody."""
        self.process.stop()
        self.start()


def pair(java_folder, log_folder):
    """A Java server and the server under test, peers of each other."""
    plans = {"java": {"java": java_folder}, "other": verdict.given()["server"]}
    hosts = {"java": "localhost", "other": "127.0.0.1"}
    ports = {name: process.free_port() for name in plans}
    started = {}

    def start(name, peer):
        started[name] = Server(plans[name], os.path.join(log_folder, name + ".log"), hosts[name], ports[name],
                               "http://%s:%d" % (hosts[peer], ports[peer]))

    # Each asks the other at its start, and waits for one that is not there.
    threads = [threading.Thread(target=start, args=names) for names in (("java", "other"), ("other", "java"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    verdict.ensure(len(started) == 2, "the two servers do not start")
    return started["java"], started["other"]
