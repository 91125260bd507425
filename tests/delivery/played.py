"""A container, played by a process: the real binary with the environment and the files of a manifest, and no other rights.

The paths that manifests speak of lead into a folder; only what is a writable mount can be written to.
"""
import os, shutil, subprocess, tempfile, time

import provided
from harness import process, registry, verdict

# What the image runs as.
USER = 10001
# Where the image has its settings, its state and its secrets.
PATHS = ["/app", "/run/secrets/eurekad", "/run/tls", "/var/lib/eurekad"]

_binary = []


def _own_binary():
    """A copy that any user may run."""
    if not _binary:
        folder = tempfile.TemporaryDirectory(prefix="eurekad-binary-")
        os.chmod(folder.name, 0o755)
        shutil.copy(provided.eurekad(), folder.name)
        _binary.append(folder)
    return os.path.join(_binary[0].name, "eurekad")


class Container:
    """environment: that of the manifest. writable: paths that are volumes. rename: what names lead to here."""

    def __init__(self, environment=None, writable=(), rename=None):
        self.port, self.rename = process.free_port(), dict(rename or {})
        self.place = tempfile.TemporaryDirectory(prefix="eurekad-container-")
        self.environment = {name: self._here(str(value)) for name, value in (environment or {}).items()}
        os.chmod(self.place.name, 0o755)
        self._folder("/app/config")
        for path in writable:
            folder = self._folder(path)
            if not os.geteuid():
                os.chown(folder, USER, USER)
        self.process = None

    def put(self, path, text):
        """A file of a mount that is read only."""
        self._folder(os.path.dirname(path))
        place = self.path(path)
        with open(place, "w") as file:
            file.write(self._here(text))
        os.chmod(place, 0o644)

    def path(self, path):
        return self.place.name + path

    def run(self, *words):
        """Exit code and output of the program with these words."""
        told = subprocess.run(self._command(words), cwd=self.path("/app"), env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        return told.returncode, told.stdout

    def start(self, *words):
        """As the image does, but on a port of this machine's loopback."""
        words = ["--server.port=%d" % self.port, "--server.address=127.0.0.1", *words]
        self.process = process.Process(self._command(words), self.path("/log"), self.path("/app"), self.environment)

    def ask(self, path, method="GET", body=None, headers=None, tls=None):
        """The answer, once something listens."""
        url = "%s://127.0.0.1:%d%s" % ("https" if tls else "http", self.port, path)
        while self.process.alive():
            try:
                return registry.request(method, url, body, {"Accept": "application/json", **(headers or {})}, tls)
            except ConnectionRefusedError:
                time.sleep(0.05)
        raise verdict.Failed("it has ended\n" + self.process.tail())

    def reads(self, path):
        """What is in a file; nothing where there is none."""
        try:
            with open(self.path(path)) as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def stop(self):
        """Its exit code after SIGTERM."""
        return self.process.stop() if self.process else None

    def close(self):
        if self.process and self.process.alive():
            self.process.stop()
        self.place.cleanup()

    def _command(self, words):
        less = ["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups", "--no-new-privs"]
        return [*([] if os.geteuid() else less), _own_binary(), *words]

    def _folder(self, path):
        folder = self.path(path)
        os.makedirs(folder, exist_ok=True)
        while folder != self.place.name:
            os.chmod(folder, 0o755)
            folder = os.path.dirname(folder)
        return self.path(path)

    def _here(self, text):
        for name, place in self.rename.items():
            text = text.replace(name, place)
        for path in PATHS:
            text = text.replace(path + "/", self.path(path) + "/")
        return text
