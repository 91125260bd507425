"""A Spring Cloud application behind a tap of its own."""
import json, os

from . import process, registry, tap, verdict


class SpringClient:
    """line: the line of Spring Boot that it is built on, such as boot40. Its lease is 3 s, all its intervals 1 s. With
    several servers it has a tap before each (`taps`), but none where TLS hides what is said. words: more settings."""

    def __init__(self, line, name, *bases, words=()):
        given = verdict.given()
        self.name, self.app, self.port = name, name.upper(), process.free_port()
        self.taps = [tap.Tap(base) for base in bases if base.startswith("http:")]
        self.tap = self.taps[0] if self.taps else None
        urls = ",".join("%s/eureka/" % base for base in [one.base for one in self.taps] or bases)
        self.id = "127.0.0.1:%s:%d" % (name, self.port)
        self.process = process.java(
            given["tools"]["java-" + line], "eurekad.interop.Client", os.path.join(given["log"], name + ".log"),
            "--server.port=%d" % self.port, "--spring.application.name=" + name,
            "--eureka.instance.instance-id=" + self.id,
            "--eureka.client.service-url.defaultZone=" + urls, *words)
        verdict.show_when_failing(self.process.tail)

    def registered(self, since=0):
        verdict.ensure(self.process.alive(), "the client ended by itself")
        return self.tap.seen("register", since, 204)

    def ask(self, path):
        """What the application tells under a path: JSON, or text."""
        verdict.ensure(self.process.alive(), "the client ended by itself")
        answer = registry.request("GET", "http://127.0.0.1:%d%s" % (self.port, path))
        if answer.status != 200:
            raise OSError("%s: %d %.200s" % (path, answer.status, answer.body))
        return json.loads(answer.body) if "json" in answer.headers["Content-Type"] else answer.body.decode()

    def finds(self, other):
        return self.ask("/instances/" + other.name) == [other.id]

    def calls(self, other):
        return self.ask("/call/" + other.name) == other.id

    def set_own_status(self, status):
        """Through its actuator, as a deployment script does it."""
        answer = registry.request("POST", "http://127.0.0.1:%d/actuator/serviceregistry" % self.port,
                                  json.dumps({"status": status}), {"Content-Type": "application/json"})
        verdict.ensure(answer.status in (200, 204), "the actuator answered %d %.300s" % (answer.status, answer.body))
