"""Long packed lists are put together from pages: Python's zlib, Node's and Java's GZIPInputStream unpack them to what a
plain fetch of the same moment shows, before and after pages changed. On a server of its own, as nothing else may happen
between two fetches."""
import hashlib, http.client, json, os, subprocess, urllib.parse, zlib

from harness import registry, verdict
from harness.server import Server
from harness.tools import HERE
from harness.verdict import ensure, given, step

INSTANCES = 3000
FORMS = [(path, "application/" + format) for path in ("/eureka/apps/", "/eureka/apps/delta") for format in ("json", "xml")]


def body():
    server = Server(given()["server"], os.path.join(given()["log"], "server.log"))
    address = urllib.parse.urlsplit(server.base)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=10)

    def ask(method, path, body=None, status=200, **headers):
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        bytes = answer.read()
        ensure(answer.status == status, "%s %s: %d" % (method, path, answer.status))
        return bytes

    for number in range(INSTANCES):
        # A few large applications, which go over many pages, and many small ones, which share some.
        app = "LARGE-%d" % (number % 2) if number % 3 else "SMALL-%d" % (number // 9)
        text = json.dumps({"instance": registry.instance(app, "i-%d" % number)})
        ask("POST", "/eureka/apps/" + app, text, 204, Content_Type="application/json")
    step("%d instances are there" % INSTANCES)
    compare(server.base, ask)
    for number in (0, 1, INSTANCES // 2 + 1):
        app = "LARGE-%d" % (number % 2) if number % 3 else "SMALL-%d" % (number // 9)
        ask("PUT", "/eureka/apps/%s/i-%d/status?value=OUT_OF_SERVICE" % (app, number))
    step("three of them changed")
    compare(server.base, ask)
    server.process.stop()


def compare(base, ask):
    plain = [ask("GET", path, Accept=type) for path, type in FORMS]
    ensure(min(len(bytes) for bytes in plain) > 2_000_000, "there is more than one page")
    packed = [ask("GET", path, Accept=type, Accept_Encoding="gzip") for path, type in FORMS]
    for bytes, whole in zip(packed, plain):
        unpacking = zlib.decompressobj(wbits=31)
        ensure(unpacking.decompress(bytes) == whole, "zlib makes something else of it")
        ensure(unpacking.eof and not unpacking.unused_data, "it is one member and nothing more")
    expected = ["%d %s" % (len(whole), hashlib.sha256(whole).hexdigest()) for whole in plain]
    words = [word for path, type in FORMS for word in (base + path, type)]
    for name, command in (("node", ["node", "unpack.js"]), ("java", ["java", "-Xshare:auto", "Unpack.java"])):
        done = subprocess.run(command + words, cwd=os.path.join(HERE, "unpack"), capture_output=True, text=True)
        ensure(done.returncode == 0, "%s: %s" % (name, done.stderr[-300:]))
        ensure(done.stdout.split("\n")[:-1] == expected, "%s unpacks to something else: %s" % (name, done.stdout))
    step("Python, Node and Java unpack all lists to the same")


verdict.give(body)
