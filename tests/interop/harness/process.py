"""Child processes: started with a log of their own, ended by their pid, never outliving the one that started them."""
import atexit, os, shutil, signal, socket, subprocess, time

from . import verdict

_children = []


class Process:
    """A running command whose output goes to a file."""

    def __init__(self, command, log, cwd=None, env=None):
        self.log = log
        with open(log, "ab") as output:
            self.popen = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                          cwd=cwd, env=env)
        _children.append(self)

    def alive(self):
        return self.popen.poll() is None

    def stop(self, sig=signal.SIGTERM, patience=20):
        """Asks it to end and returns its exit code; one that does not listen is killed, and that is a failure."""
        if self.alive():
            self.popen.send_signal(sig)
        try:
            return self.popen.wait(patience)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
            raise verdict.Failed("%s did not end within %d s of signal %d" % (self.popen.args[0], patience, sig))

    def wait(self, limit):
        """Its exit code, once it has ended by itself."""
        try:
            return self.popen.wait(limit)
        except subprocess.TimeoutExpired:
            raise verdict.Failed("%s still runs after %d s" % (self.popen.args[0], limit))

    def lines(self):
        with open(self.log, errors="replace") as text:
            return text.read().splitlines()

    def tail(self, count=15):
        return "  the end of %s:\n%s" % (self.log, "\n".join("    " + line[:300] for line in self.lines()[-count:]))


def java(folder, main, log, *args, system=None, cwd=None, env=None):
    """The main class of a Java module that was built in folder."""
    options = ["-D%s=%s" % pair for pair in (system or {}).items()]
    path = os.pathsep.join([os.path.join(folder, "classes"), os.path.join(folder, "lib", "*")])
    # found by this process's PATH: an environment of the child's own may have none
    return Process([shutil.which("java"), "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", *options, "-cp", path,
                    main, *args], log, cwd, env)


def beside_java(tool):
    """A tool of the JDK, which may not be in PATH itself."""
    return shutil.which(tool) or os.path.join(os.path.dirname(os.path.realpath(shutil.which("java"))), tool)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@atexit.register
def _end_all():
    running = [child for child in _children if child.alive()]
    for child in running:
        child.popen.terminate()
    deadline = time.monotonic() + 5
    for child in running:
        try:
            child.popen.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            child.popen.kill()
            child.popen.wait()
