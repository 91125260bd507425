"""Spring Boot and eurekad read the same settings: what Spring binds to its server's beans, eurekad has too.

The inputs: what people really write (tests/fixtures/settings), every known name in every spelling and source, and the
inputs in settings/. For each a JVM of its own gathers and binds; the project runs on a whole server too.
"""
import concurrent.futures, glob, json, os, re, signal

from harness import process, settings, verdict
from harness.settings import Given
from harness.verdict import ensure, given, step, until

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FIXTURES = os.path.join(os.path.dirname(HERE), "fixtures", "settings")

# A value that each of these takes; all others take 1.
VALUES = {"server.address": "127.0.0.1", "server.shutdown": "immediate", "server.servlet.context-path": "/a",
          "server.forward-headers-strategy": "native", "server.error.include-message": "always",
          "eureka.instance.initial-status": "down", "eureka.instance.data-center-info.name": "MyOwn",
          "eureka.server.binding-strategy": "eip", "eureka.client.tls.key-store": "a.p12",
          "eureka.client.tls.trust-store": "a.p12"}

# No variable can tell these: their key has dashes.
NOT_BY_VARIABLE = "us-east-1"

# Names that this line of Spring does not bind, and eurekad takes.
OF_OTHERS = {settings.key(name) for name in (
    "server.error.include-message", "server.servlet.encoding.force",        # moved by Boot 4
    "server.jetty.threads.max", "server.undertow.threads.io",               # of other web servers
    # read by Netflix's code under these names, or not at all
    "eureka.client.transport.session-reconnect-interval-seconds", "eureka.server.experimental.bugfix.934",
    "eureka.server.experimental.registration.validation.dataCenterInfoId",
    "eureka.server.experimental.transport.enabled", "eureka.server.version.filter.debug.response-header")}


class Difference:
    """ours: name, value, origin; theirs: name, value; either may be None."""

    def __init__(self, given, key, ours, theirs):
        self.given, self.key, self.ours, self.theirs = given.name, key, ours, theirs
        self.name = (ours or theirs)[0]

    def by_variable(self):
        return self.theirs is None and self.ours[2].startswith("environment variable") and "." not in self.ours[2]

    def __str__(self):
        return "%s: %s: eurekad %s, Spring %s" % (
            self.given, self.name, *("nothing" if one is None else "%r" % one[1] for one in (self.ours, self.theirs)))


def of_yaml(*keys):
    return lambda d: d.given == "yaml" and d.name.rpartition(".")[2] in keys


# What may differ: the name under which README.md tells it, and when it is that. Each must be met.
DIFFERENCES = {
    "names-of-others": lambda d: d.theirs is None and d.key in OF_OTHERS,
    "words-with-underscores": lambda d: d.theirs is None and d.given == "14-words",
    "time-units": lambda d: d.theirs is None and d.ours[1] == "5s",
    "keys-by-variable": lambda d: d.by_variable() and bool(settings.MAPS.fullmatch(d.name)),
    "twin-keys": lambda d: d.ours is None and d.given in ("sources", "properties-beside-variables")
    and bool(settings.MAPS.fullmatch(d.name)),
    "lists-in-maps-by-variable": lambda d: "appwhitelist." in d.key and "variables" in d.given,
    "empty-is-nothing": lambda d: d.ours is None and d.theirs[1] == "",
    "blanks-in-keys": lambda d: d.given == "sources" and d.name.lower().replace(" ", "").endswith(".escapedkey"),
    "lists-in-metadata": lambda d: d.given == "yaml" and bool(re.search(r"\.list\b", d.name)),
    "yaml-letters": of_yaml("letter", "letters", "non-secure-port-enabled"),
    "yaml-octal": of_yaml("octal", "old-octal", "response-cache-update-interval-ms"),
    "yaml-sixties": of_yaml("wait-time-in-ms-when-sync-empty"),
    "yaml-infinity": of_yaml("infinite"),
    "not-told-by-actuator": lambda d: d.given == "whole-server" and d.name == "server.compression.enabled",
}

# What makes Spring refuse to start, and eurekad does not mind: by input, the property.
REFUSED = {"17-project": "eureka.server.eviction-interval-timer-in-ms",
           "yaml": "eureka.instance.non-secure-port-enabled"}

MISTAKES = """\
server:
  port: 87610
eureka:
  client:
    register-with-eureka: flase
    server-url: {defaultZone: "http://peer:8761/eureka/"}
  server:
    eviction-interval-timer-in-ms: 60 sec
  instance:
    hostname: ${HOST_NAME}
"""


def every_name():
    """Each spelling and source with all names that a Java server knows."""
    with open(os.path.join(FIXTURES, "names.txt")) as file:
        names = [name for name in file.read().splitlines() if name.startswith(settings.SCOPE)]
    plain = [name for name in names if NOT_BY_VARIABLE not in name]

    def each(spelling, among=names):
        return {spelling(name): VALUES.get(name, "1") for name in among}

    def camel(name):
        return re.sub(r"-(\w)", lambda letter: letter.group(1).upper(), name)

    def variable(name):
        return name.replace(".", "_").replace("[", "_").replace("]", "")

    def lines(pairs, start=""):
        return [start + "%s=%s" % pair for pair in pairs.items()]

    return [
        Given("words-kebab", lines(each(str), "--")),
        Given("system-properties-camel", lines(each(camel), "-D")),
        Given("variables-joined", environment=each(lambda name: variable(name.replace("-", "")).upper(), plain)),
        Given("variables-parted", environment=each(lambda name: variable(name.replace("-", "_")).upper(), plain)),
        Given("variables-camel", environment=each(lambda name: variable(camel(name)), plain)),
        Given("variables-dotted", environment=each(camel)),
        Given("json-kebab", environment={"SPRING_APPLICATION_JSON": json.dumps(each(str))}),
        Given("properties-snake", files={
            "application.properties": "\n".join(lines(each(lambda name: name.replace("-", "_"))))}),
        Given("properties-beside-variables",
              environment=each(lambda name: variable(name.replace("-", "")).upper(), plain),
              files={"application.properties": "\n".join("%s=9" % name for name in names)}),
    ]


def body():
    folder, log, binary = given()["tools"]["java-server"], given()["log"], given()["server"].get("binary")
    paths = sorted(glob.glob(os.path.join(FIXTURES, "*.toml"))) + sorted(glob.glob(os.path.join(HERE, "settings", "*.toml")))
    inputs = [Given.read(path) for path in paths]
    ensure(len(inputs) == 20, "inputs are missing: %s" % [one.name for one in inputs])
    project = next(one for one in inputs if one.name == "17-project")
    inputs += every_name()
    if given()["java"]:
        # The control: what the snippets say should come of them is what comes of them in Spring.
        inputs = [one for one in inputs if one.effective]
    whole, server = start_whole_server(folder, project, os.path.join(log, "server.log"))

    def ours(one):
        if binary:
            return settings.eurekad(binary, one)
        return {settings.key(name): (name, value, "environment variable" if one.environment else "")
                for name, value in one.effective.items() if name.startswith(settings.SCOPE)}

    differences, refused, compared = [], {}, 0
    pool = concurrent.futures.ThreadPoolExecutor(2)
    try:
        answers = pool.map(lambda one: settings.bound(folder, one, os.path.join(log, one.name + ".log")), inputs)
        for one, (theirs, no) in zip(inputs, answers):
            differences += compare(one, ours(one), theirs)
            compared += len(theirs)
            refused.update({one.name: ", ".join(no)} if no else {})
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    step("%d inputs, %d values" % (len(inputs), compared))

    theirs = until("the whole server tells what it has bound", server.bound, 40)
    server.process.stop(signal.SIGKILL)
    if binary:
        differences += compare(whole, ours(whole), theirs)
        step("%d values of the project on the whole server" % len(theirs))
    judge(differences, refused)
    if binary:
        names_five_mistakes(binary)


def start_whole_server(folder, project, log):
    """The project without what Spring refuses, and with its actuator open."""
    port = process.free_port()
    whole = Given("whole-server", [
        "--spring.profiles.active=prod", "--server.port=%d" % port, "--eureka.server.eviction-interval-timer-in-ms=5000",
        "--eureka.server.registry-sync-retries=0", "--management.endpoints.web.exposure.include=configprops",
        "--management.endpoint.configprops.show-values=always"], project.environment)
    whole.folder = project.folder
    return whole, settings.SpringServer(folder, whole, port, log)


def compare(one, ours, theirs):
    """What differs. A zone by a variable, without a file beside it, is in lower case in Spring's map, where nobody looks."""
    for lower in [name for name in theirs if name not in ours]:
        upper = [name for name in ours if name.lower() == lower and name not in theirs]
        if upper and ours[upper[0]][2].startswith("environment variable"):
            theirs[upper[0]] = theirs.pop(lower)
    return [Difference(one, name, ours.get(name), theirs.get(name)) for name in sorted({*ours, *theirs})
            if name not in ours or name not in theirs or not settings.same(ours[name][1], theirs[name][1])]


def judge(differences, refused):
    met, unexpected = set(), []
    for difference in differences:
        why = [name for name, is_that in DIFFERENCES.items() if is_that(difference)]
        met.update(why)
        if not why:
            unexpected.append(str(difference))
    ensure(not unexpected, "%d differences:\n%s" % (len(unexpected), "\n".join(unexpected)))
    if not given()["java"]:
        ensure(met == set(DIFFERENCES), "no longer differ, take them off the list: %s" % (set(DIFFERENCES) - met))
        ensure(refused == REFUSED, "Spring refuses %s" % refused)
    step("%d differences, all known: %s" % (len(differences), ", ".join(sorted(met))))


def names_five_mistakes(binary):
    told = settings.ask(binary, Given("mistakes", files={"application.yml": MISTAKES}), "check")
    ensure(told.returncode == 78, "check: exit code %d\n%s" % (told.returncode, told.stdout))
    lines = told.stdout.splitlines()
    for number, name in ((2, "server.port"), (5, "eureka.client.register-with-eureka"),
                         (6, "eureka.client.server-url.defaultZone"),
                         (8, "eureka.server.eviction-interval-timer-in-ms"), (10, "eureka.instance.hostname")):
        ensure(any(name in line and "(application.yml line %d)" % number in line for line in lines),
               "check does not name %s\n%s" % (name, told.stdout))
    step("check names five mistakes of five")


verdict.give(body)
