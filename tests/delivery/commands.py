"""Runs the commands of one document, in order, in a folder of their own, against a server of their own.

A command that starts a server goes on in the background until the document ends, or another one takes its port. Where a
document asks a server and starts none, one is there, with some instances in it. Ports, hosts and absolute paths of the
text stand for free ports, this machine and the folder. curl fails on a status of 400 and more.

What a comment at the end of the line says is expected: `# exit code 78`, `# exit code 0 or 78`, `# 401`.
"""
import json, os, re, shlex, shutil, subprocess, tempfile, time, urllib.request

from provided import ROOT
from harness import process

TLS = os.path.join(ROOT, "tests", "fixtures", "tls")

# What cannot be run here, and why. All else must run.
NOT_HERE = [
    (r"(docker|podman|buildah|skopeo|hadolint)\b", "there is no container engine on the machines that build"),
    (r"(kubectl|helm|kind)\b", "there is no cluster"),
    (r"(systemctl|journalctl|systemd-\w+)\b", "there is no systemd"),
    (r"(sudo|apt|apt-get|dpkg|rustup|npm|pip)\b", "it changes the machine"),
    (r"cargo (install|build|test|bench|fuzz|clippy|fmt|doc|deny|deb|machete|tree|update)\b",
     "it builds, which takes minutes; .ci/run does it"),
    (r"(\.ci|tests/\w+|benches/\w+|fuzz)/(run|seed|record)\b", "it is a check of its own, and takes minutes"),
    (r"(git|gh)\b", "it is about the repository"),
    (r"(mvn|\./mvnw|\./gradlew|keytool|java)\b", "it takes Java; tests/interop does it"),
    (r"kill(all)?\b|pkill\b", "a signal could meet a process that is none of this check"),
    (r"(promtool|prometheus)\b", "tests/interop does it"),
    (r"scp\b|ssh\b|rsync\b", "there is no other machine"),
]

SERVER = re.compile(r"(?:\w+=\S* )*(?:eurekad|cargo run --release)(?: --)?(?: serve)?((?: -[-D][\w.\[\]-]+=\S*)*)\s*(?:#.*)?$")
STREAM = re.compile(r"\bcurl -N\b|\beurekad watch\b")


class Failed(AssertionError):
    """A command did something else than the document says."""


def commands(text):
    """The commands of a block for a shell, each with the lines that belong to it: continued, quoted, here documents."""
    found, lines = [], iter(text.split("\n"))
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        while line.endswith("\\") or not _is_closed(line):
            more = next(lines, None)
            if more is None:
                raise Failed("it has no end: " + line)
            line += "\n" + more
        here = re.search(r"<<-?\s*'?(\w+)'?", line)
        if here and "<<<" not in line:
            for more in lines:
                line += "\n" + more
                if more.strip() == here[1]:
                    break
        found.append(line)
    return found


def _is_closed(line):
    """Whether each of its quotes has another one."""
    try:
        shlex.split(line, comments=True)
        return True
    except ValueError:
        return False


def session(text):
    """(command, output) of a block in which `$ ` stands before commands."""
    parts = re.split(r"^\$ ", text, flags=re.M)[1:]
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]


def cannot_run(command):
    """Why, if it is one of those."""
    return next((reason for pattern, reason in NOT_HERE if re.match(r"(?:\w+=\S* )*" + pattern, command)), None)


def expected(command):
    """(exit codes, status) that the comment behind a command names."""
    comment = re.search(r"\s#\s(.*)$", command)
    codes = re.search(r"exit code ((?:\d+(?:, | or )?)+)", comment[1]) if comment else None
    status = re.search(r"\b([45]\d\d)\b", comment[1]) if comment else None
    if codes:
        return {int(code) for code in re.findall(r"\d+", codes[1])}, None
    return ({22}, status[1]) if status and "curl" in command else ({0}, None)


class Shell:
    """Where a document's commands run. To be closed, which ends its servers."""

    def __init__(self, binary):
        self.folder = tempfile.mkdtemp(prefix="eurekad-documents-")
        self.ports, self.servers = {}, {}
        programs = os.path.join(self.folder, "bin")
        os.makedirs(programs)
        os.symlink(os.path.abspath(binary), os.path.join(programs, "eurekad"))
        self.work = os.path.join(self.folder, "work")
        home = os.path.join(self.folder, "home")
        os.makedirs(self.work)
        os.makedirs(home)
        self._write(os.path.join(home, ".curlrc"), "fail-with-body\nsilent\nshow-error\nmax-time = 10\n")
        self._write(os.path.join(home, ".eurekad"), "change-me\n")
        self.environment = {"PATH": programs + ":" + os.environ["PATH"], "HOME": home, "LC_ALL": "C.UTF-8", "TZ": "UTC",
                            "SERVER_PORT": self.port("8761")}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for port in list(self.servers):
            self._end(port)
        shutil.rmtree(self.folder, ignore_errors=True)

    def port(self, written):
        """The free port that stands for one of the text."""
        if written not in self.ports:
            self.ports[written] = str(process.free_port())
        return self.ports[written]

    def translated(self, text):
        text = re.sub(r"(?<![\w.:/])/(run|etc|var)/(?=\w)", lambda m: "%s/%s/" % (self.folder, m[1]), text)
        text = re.sub(r"\bhttps?://([\w.-]+@|[\w.-]+:[\w.-]+@)?(registry|localhost)[\w.-]*:", r"http://\1localhost:", text)
        text = re.sub(r"(?<=[:=])(87[67]\d|909\d)\b", lambda m: self.port(m[1]), text)
        self._make_what_is_named(text)
        return text

    def check_settings(self, name, text):
        """Runs `eurekad check` over settings that a document shows."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            self._write(os.path.join(folder, name), self.translated(text))
            code, output = self._bash("eurekad check", folder)
        if code or "there is no such property" in output:
            raise Failed("eurekad check ends with %d:\n%s" % (code, output))

    def run(self, command, output=""):
        """One command; what a session shows of tables must be in the output."""
        server = SERVER.match(command)
        if server:
            return self._serve(self.translated(command), self.translated(server[1]))
        codes, status = expected(command)
        if "[y/N] y" in output:
            command += " --yes"
        if STREAM.search(command):
            command, codes = "timeout 2 " + command, {124, 143}
        if self.port("8761") not in self.servers and re.search(r"8761|eurekad (?!check|config|completions|-)", command):
            self._serve_with_instances()
        code, said = self._bash(self.translated(command), self.work)
        if code not in codes:
            raise Failed("exit code %d, not %s:\n%s" % (code, " or ".join(map(str, sorted(codes))), said))
        if status and status not in said:
            raise Failed("the status is not %s:\n%s" % (status, said))
        for line in output.split("\n"):
            words = re.split(r"\s{2,}", line.strip())
            if len(words) > 2 and line == line.upper() and words != re.split(r"\s{2,}", self._head(said, words[0])):
                raise Failed("no table with the head %r:\n%s" % (line, said))

    @staticmethod
    def _head(said, word):
        return next((line.strip() for line in said.split("\n") if line.startswith(word + " ")), "")

    def _bash(self, command, folder):
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=self.environment, text=True, timeout=30,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def _serve(self, command, words):
        port = (re.findall(r"--server\.port=(\d+)", words) or [self.port("8761")])[-1]
        self._end(port)
        log = os.path.join(self.folder, port + ".log")
        command = re.sub(r"cargo run --release( --)?", "eurekad", command.partition(" #")[0])
        assignments = re.match(r"(?:\w+=\S* )*", command)[0]
        server = process.Process(["bash", "-c", assignments + "exec " + command[len(assignments):]], log, self.work,
                                 self.environment)
        self.servers[port] = server
        deadline = time.monotonic() + 30
        while self._bash("%seurekad healthcheck %s" % (assignments, words), self.work)[0]:
            if not server.alive() or time.monotonic() > deadline:
                raise Failed("the server does not become ready:\n" + server.tail())
            time.sleep(0.05)

    def _serve_with_instances(self):
        self._serve("eurekad --management.endpoints.web.exposure.include=*", "")
        for app, instance, version, zone in [("ORDERS", "ord-1", "1.4", "a"), ("ORDERS", "ord-2", "1.4", "a"),
                                             ("ORDERS", "ord-3", "1.3", "eu-1a"), ("STOCK", "sto-1", "2.0", "eu-1a")]:
            body = {"instance": {"instanceId": instance, "app": app, "hostName": instance, "ipAddr": "10.20.0.1",
                                 "vipAddress": app.lower(), "port": {"$": 8080, "@enabled": "true"}, "status": "UP",
                                 "metadata": {"version": version, "zone": zone}, "dataCenterInfo": {
                                     "@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo", "name": "MyOwn"}}}
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(urllib.request.Request(
                "http://127.0.0.1:%s/eureka/apps/%s" % (self.port("8761"), app), json.dumps(body).encode(),
                {"Content-Type": "application/json"}), timeout=10).close()

    def _end(self, port):
        server = self.servers.pop(port, None)
        if server and server.alive():
            server.stop()

    def _make_what_is_named(self, text):
        """Certificates, keys and secrets at the places that the text names; folders for what the server writes."""
        for path in re.findall(re.escape(self.folder) + r"/(?:run|etc|var)/[\w./-]*", text):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            fixture = {".crt": "certificate.pem", ".key": "key.pem"}.get(os.path.splitext(path)[1])
            if fixture:
                shutil.copy(os.path.join(TLS, fixture), path)
            elif "/run/" in path[len(self.folder):] and not path.endswith("/") and not os.path.exists(path):
                self._write(path, "not-to-be-guessed-by-anybody\n")

    @staticmethod
    def _write(path, text):
        with open(path, "w") as file:
            file.write(text)


def names_of_tests(command):
    """What a `cargo test --test integration NAME` asks for."""
    words = shlex.split(command, comments=True)
    if "integration" not in words:
        return []
    behind = words[words.index("integration") + 1:]
    return [word for word in behind[:behind.index("--") if "--" in behind else None] if not word.startswith("-")]
