"""The image: what the Dockerfile's last stage makes of the static binary, and the binary at work in it.

There is no container engine here. buildah builds the last stage with a folder in place of the first; what runs in the
image runs by chroot (see container.py). The first stage, which is a `cargo build` in an image from a registry, is not
run: that its context has every source is looked at, and the build itself is the one that made the binary.
"""
import concurrent.futures, gzip, http.client, json, os, random, re, shutil, statistics, subprocess, tempfile, time, unittest

import name_server, provided
from container import Image
from provided import run
from harness import process, registry, verdict

# 15 MB is the aim, met with little to spare; panics name the folder of crates, whose length is the machine's.
MOST = 15 << 20
ROOTS = "/etc/ssl/certs/ca-certificates.crt"


def setUpModule():
    global folder, buildah, image, size
    if os.geteuid():
        raise unittest.SkipTest("only root may mount and change the root of a process")
    binary, program = provided.static_binary(), provided.tool("buildah", "buildah")
    folder = tempfile.mkdtemp(prefix="eurekad-image-")
    unittest.addModuleCleanup(shutil.rmtree, folder)
    # vfs: plain folders, which every file system bears.
    buildah = [program, "--root", os.path.join(folder, "storage"), "--runroot", os.path.join(folder, "run"),
               "--storage-driver", "vfs"]
    context = os.path.join(folder, "first-stage", "image")
    for made in ("image/app/config", "image/etc/ssl/certs", "state"):
        os.makedirs(os.path.join(folder, "first-stage", made))
    run("strip", "-o", os.path.join(context, "eurekad"), binary)
    certificates()
    with open(context + ROOTS, "w") as roots:
        for source in (ROOTS, path("known.pem")):
            with open(source) as certificate:
                roots.write(certificate.read())
    nothing = path("nothing")
    os.mkdir(nothing)
    run(*buildah, "build", "--isolation", "chroot", "--format", "docker", "--build-context",
        "build=" + path("first-stage"), "--build-arg", "EUREKAD_COMMIT=abc1234", "--tag", "eurekad:checked",
        "--file", os.path.join(provided.ROOT, "Dockerfile"), nothing)
    container = run(*buildah, "from", "--pull-never", "eurekad:checked").strip()
    root = run(*buildah, "mount", container).strip()
    config = json.loads(run(*buildah, "inspect", "--type", "image", "eurekad:checked"))["Docker"]["config"]
    image = Image(root, config)
    size = sum(os.lstat(os.path.join(where, name)).st_size for where, _, names in os.walk(root) for name in names)


def path(name):
    return os.path.join(folder, name)


def certificates():
    """Two for localhost: one that the image's roots have, one that nobody knows."""
    for name in ("known", "stranger"):
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=%s" % name, "-addext", "subjectAltName=DNS:localhost", "-addext",
            "basicConstraints=critical,CA:FALSE", "-keyout", path(name + ".key"), "-out", path(name + ".pem"))


class Dockerfile(unittest.TestCase):
    def test_hadolint_finds_no_fault(self):
        run(provided.tool("hadolint", "bin/hadolint"), os.path.join(provided.ROOT, "Dockerfile"))

    def test_the_first_stage_is_given_every_source(self):
        """cargo wrote down beside the binary what it was made of."""
        binary = provided.static_binary()
        if not os.path.exists(binary + ".d"):
            self.skipTest("no list of its sources lies beside the binary")
        with open(binary + ".d") as listing:
            sources = listing.read().replace("\\ ", "\0").split(": ", 1)[1].split()
        needed = {os.path.relpath(source.replace("\0", " "), provided.ROOT) for source in sources}
        needed |= {"Cargo.toml", "Cargo.lock", "benches/Cargo.toml"}
        with open(path("all"), "w") as file:
            file.write("FROM scratch\nCOPY . /\n")
        # Without what was built: target has gigabytes.
        listing = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=provided.ROOT)
        for name in filter(None, listing.split("\0")):
            os.makedirs(os.path.dirname(os.path.join(path("sources"), name)), exist_ok=True)
            if os.path.exists(os.path.join(provided.ROOT, name)):
                shutil.copy(os.path.join(provided.ROOT, name), os.path.join(path("sources"), name))
        run(*buildah, "build", "--isolation", "chroot", "--tag", "context", "--file", path("all"), path("sources"))
        root = run(*buildah, "mount", run(*buildah, "from", "--pull-never", "context").strip()).strip()
        self.assertEqual([], sorted(name for name in needed if not os.path.exists(os.path.join(root, name))))
        self.assertFalse(os.path.exists(os.path.join(root, ".git")))


class Content(unittest.TestCase):
    def test_there_is_the_binary_and_nothing_that_could_be_abused(self):
        found = sorted(os.path.join(where, name)[len(image.root):]
                       for where, folders, names in os.walk(image.root) for name in [*folders, *names])
        self.assertEqual(["/app", "/app/config", "/etc", "/etc/ssl", "/etc/ssl/certs", ROOTS, "/eurekad", "/var",
                          "/var/lib", "/var/lib/eurekad"], found)

    def test_the_binary_is_static(self):
        self.assertNotRegex(run("readelf", "--program-headers", image.root + "/eurekad"), "INTERP")
        self.assertNotRegex(run("readelf", "--dynamic", image.root + "/eurekad"), "NEEDED")

    def test_scanners_find_what_it_is_made_of(self):
        parts = json.loads(run(os.path.join(provided.ROOT, "release", "parts"), image.root + "/eurekad"))
        self.assertIn("tokio", {part["name"] for part in parts["components"]})

    def test_it_is_small(self):
        binary = os.path.getsize(image.root + "/eurekad")
        with open(image.root + "/eurekad", "rb") as file:
            packed = len(gzip.compress(file.read(), 6))
        print("image %.2f MB, binary %.2f MB, %.2f MB packed" % (size / 1e6, binary / 1e6, packed / 1e6))
        self.assertLess(size, MOST)

    def test_it_says_what_it_is(self):
        self.assertEqual("10001:10001", image.config["User"])
        self.assertEqual(["/eurekad"], image.config["Entrypoint"])
        self.assertEqual(["CMD", "/eurekad", "healthcheck"], image.config["Healthcheck"]["Test"])
        self.assertEqual({"8761/tcp": {}}, image.config["ExposedPorts"])
        self.assertIn("PATH=/", image.config["Env"], "`docker exec NAME eurekad ls` finds it")
        labels = {name.removeprefix("org.opencontainers.image."): value for name, value in image.config["Labels"].items()}
        with open(os.path.join(provided.ROOT, "Cargo.toml")) as manifest:
            version = re.search(r'^version = "(.*)"', manifest.read(), re.M).group(1)
        self.assertEqual(version, labels["version"])
        self.assertEqual("abc1234", labels["revision"])
        self.assertEqual("Apache-2.0", labels["licenses"])

    def test_nobody_but_root_could_change_the_binary(self):
        about = os.stat(image.root + "/eurekad")
        self.assertEqual((0, 0o755), (about.st_uid, about.st_mode & 0o777))
        self.assertEqual(10001, os.stat(image.root + "/var/lib/eurekad").st_uid)


class AtWork(unittest.TestCase):
    def start(self, *words, env=None, state="", scheme="http"):
        """A server in the image that answers."""
        port, log = process.free_port(), path(self.id() + "-%d.log" % time.monotonic_ns())
        at = time.monotonic()
        server = image.run(log, "--server.port=%d" % port, *words, env=env, state=state)
        self.addCleanup(server.kill)
        while not answers(port, scheme):
            self.assertTrue(server.alive(), server.tail())
            time.sleep(0.0005)
        server.ready, server.port, server.log = time.monotonic() - at, port, log
        server.registry = registry.Registry("http://127.0.0.1:%d" % port)
        return server

    def test_it_serves_and_ends_when_it_is_told(self):
        server = self.start()
        self.assertEqual(204, server.registry.register("ORDERS", "ord-1"))
        self.assertEqual(200, server.registry.heartbeat("ORDERS", "ord-1"))
        self.assertEqual({"ORDERS/ord-1": "UP"}, server.registry.everything()[1])
        with open("/proc/%d/status" % server.inside()) as status:
            told = status.read()
        self.assertRegex(told, r"Uid:\t10001\t10001\t10001\t10001")
        self.assertRegex(told, r"Gid:\t10001\t10001\t10001\t10001")
        self.assertRegex(told, r"CapEff:\t0000000000000000")
        self.assertRegex(told, r"NoNewPrivs:\t1")
        self.assertRegex(told, r"NSpid:\t\d+\t1\n", "it is the first process of its name space")
        self.assertEqual(0, server.terminate(), server.tail())
        self.assertIn("bye", server.lines()[-1])

    def test_the_healthcheck_of_the_image_says_whether_it_is_ready(self):
        server = self.start()
        ask = image.config["Healthcheck"]["Test"][1:]
        port = "--server.port=%d" % server.port
        asked = image.run(path("healthcheck.log"), port, command=ask)
        self.assertEqual(0, asked.wait(20), asked.tail())
        self.assertEqual(0, server.terminate())
        self.assertEqual(1, image.run(path("healthcheck.log"), port, command=ask).wait(20))

    def test_what_it_knows_outlives_the_container(self):
        state = path("state")
        os.mkdir(state)
        os.chown(state, 10001, 10001)
        word = "--eurekad.snapshot.path=/var/lib/eurekad/registry.snapshot"
        server = self.start(word, state=state)
        self.assertEqual(204, server.registry.register("ORDERS", "ord-1"))
        self.assertEqual(0, server.terminate())
        self.assertEqual({"ORDERS/ord-1": "UP"}, self.start(word, state=state).registry.everything()[1])

    def test_it_trusts_the_roots_of_the_image_and_no_others(self):
        self.place("/etc/hosts", "127.0.0.1 localhost\n")
        answered, no_answer = 1, 69     # the answer is that nobody is registered
        for name, code in (("known", answered), ("stranger", no_answer)):
            words = []
            for property, ending in (("certificate", "pem"), ("certificate-private-key", "key")):
                with open(path("%s.%s" % (name, ending))) as file:
                    words.append("--server.ssl.%s=%s" % (property, file.read()))
            server = self.start(*words, scheme="https")
            command = ["/eurekad", "ls", "--server", "https://localhost:%d/eureka/" % server.port]
            asked = image.run(path(name + ".log"), command=command)
            self.assertEqual(code, asked.wait(20), asked.tail())

    def test_it_finds_peers_by_name(self):
        """Once by the resolver that asks name servers itself, once by that of the C library."""
        names = name_server.Stub({"peer.registry.test": "127.0.0.1"}, "127.%d.%d.%d" % (
            random.randint(64, 250), random.randint(0, 255), random.randint(1, 254)), 53)
        self.addCleanup(names.close)
        self.place("/etc/resolv.conf", "nameserver %s\nsearch registry.test\n" % names.host)
        peer = self.start()
        for number, word in enumerate(("--eurekad.peers.dns=peer:%d", "--eureka.client.service-url.defaultZone=http://peer:%d/eureka/")):
            names.asked.clear()
            server = self.start(word % peer.port)
            id = "ord-%d" % number
            self.assertEqual(204, server.registry.register("ORDERS", id))
            verdict.until("the peer has it", lambda: peer.registry.instance("ORDERS", id), 30)
            self.assertIn("peer.registry.test", names.asked)
            self.assertEqual(0, server.terminate())

    def test_it_serves_without_a_name_server(self):
        self.assertFalse(os.path.exists(image.root + "/etc/resolv.conf"))
        server = self.start("--eurekad.peers.dns=peer.registry.test", "--eurekad.first-copy.limit=1s")
        self.assertEqual(204, server.registry.register("ORDERS", "ord-1"))
        verdict.until("it is there", lambda: server.registry.instance("ORDERS", "ord-1"), 30)
        self.assertEqual(0, server.terminate(), server.tail())

    def test_the_log_has_utc_unless_a_zone_is_spelled_out(self):
        """There are no time zones in the image; mount /usr/share/zoneinfo for names."""
        for zone, offset in ((None, "Z"), ("Europe/Berlin", "Z"), ("XYZ-3", "+03:00")):
            server = self.start(env={"TZ": zone} if zone else None)
            self.assertEqual(0, server.terminate())
            stamp = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}" + re.escape(offset)
            self.assertTrue(any(re.match(stamp, line) for line in server.lines()), (zone, server.tail()))

    def test_it_is_ready_at_once_and_takes_little_memory(self):
        starts = []
        for _ in range(15):
            server = self.start()
            starts.append(server.ready)
            self.assertEqual(0, server.terminate())
        server = self.start()
        time.sleep(1)
        idle = server.resident()
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            self.assertEqual([2500] * 4, list(pool.map(lambda part: fill(server.port, part, 2500), range(4))))
        full = server.resident()
        answer = registry.request("GET", server.registry.base + "/eureka/apps",
                                  headers={"Accept": "application/json", "Accept-Encoding": "gzip"})
        self.assertEqual(200, answer.status)
        read = server.resident()
        print("ready after %.1f ms (median of %d, the changes of root included); resident: idle %.1f MB, with 10,000 "
              "instances %.1f MB, read as JSON gzip %.1f MB" % (statistics.median(starts) * 1000, len(starts), idle / 1e6,
                                                               full / 1e6, read / 1e6))
        # Far more than on any machine: a fault, not noise.
        self.assertLess(statistics.median(starts), 1)
        self.assertLess(read, 200e6)

    def place(self, name, text):
        """A file that an engine puts into the container."""
        with open(image.root + name, "w") as file:
            file.write(text)
        self.addCleanup(os.remove, image.root + name)


def answers(port, scheme):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.connect()
        if scheme == "https":
            return True
        connection.request("GET", "/actuator/health/liveness")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def fill(port, part, count):
    """Registers so many on one connection, and says how many were taken."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    taken = 0
    for number in range(count):
        app, id = "APP-%d-%d" % (part, number // 20), "host-%d-%d:8080" % (part, number)
        connection.request("POST", "/eureka/apps/" + app, json.dumps({"instance": registry.instance(app, id)}),
                           {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        taken += answer.status == 204
    connection.close()
    return taken
