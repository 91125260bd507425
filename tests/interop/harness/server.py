"""The server under test: eurekad, or Spring Cloud's Eureka server as the control. Both take the same words."""
import os

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


class Server:
    """plan: {"binary": path} or {"java": folder}."""

    def __init__(self, plan, log):
        self.plan, self.log, self.port = plan, log, process.free_port()
        self.base = "http://127.0.0.1:%d" % self.port
        self.start()
        verdict.show_when_failing(lambda: self.process.tail())

    def start(self):
        """Comes back when it answers. A second start takes the same port."""
        words = ["--server.port=%d" % self.port, *SETTINGS]
        if "java" in self.plan:
            self.process = process.java(self.plan["java"], "eurekad.interop.Server", self.log, *words,
                                        *JAVA_ALONE)
        else:
            # Its own folder, so that no application.yml of the caller's is read.
            self.process = process.Process([self.plan["binary"], *words], self.log, cwd=os.path.dirname(self.log))
        verdict.until("the server answers on %d" % self.port, self._answers, 90)

    def _answers(self):
        verdict.ensure(self.process.alive(), "the server ended by itself\n" + self.process.tail())
        return registry.Registry(self.base).call("GET", "apps").status == 200

    def restart(self):
        """Ends it and starts one that knows nobody."""
        self.process.stop()
        self.start()
