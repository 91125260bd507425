"""A process as a container has it: the image's files and nothing else, read only, the image's user, no new privileges,
the first process of its name space. It shares this machine's network. There is no /proc and no /dev."""
import os, signal, time

from provided import INTEROP                 # noqa: F401  it says where harness is
from harness import process

# Mounts are seen by this process alone and end with it. What is in $1, if anything, is writable at /var/lib/eurekad.
INTO = """
mount --bind "$0" "$0" && mount -o remount,ro,nosuid,nodev,bind "$0" || exit
[ -z "$1" ] || mount --bind "$1" "$0/var/lib/eurekad" || exit
root=$0 user=$2 group=$3 work=$4
shift 4
exec setpriv --no-new-privs --clear-groups unshare --root="$root" --wd="$work" --setgid="$group" --setuid="$user" "$@"
"""


class Image:
    """root: its files. config: what it says of itself, as the registry's own format has it."""

    def __init__(self, root, config):
        self.root, self.config = root, config
        self.user, self.group = config["User"].split(":")

    def run(self, log, *words, command=None, env=None, state=""):
        """Its entry point with these words, or another command."""
        command = [*(command or self.config["Entrypoint"]), *words]
        return Contained(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", INTO, self.root, state,
                          self.user, self.group, self.config["WorkingDir"], *command], log,
                         env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **(env or {})})


class Contained(process.Process):
    """A command in it. `unshare` outside ends with its exit code, and heeds no signal itself."""

    def inside(self):
        """The process in the container, as it is known outside."""
        for _ in range(1000):
            with open("/proc/%d/task/%d/children" % (self.popen.pid, self.popen.pid)) as children:
                found = children.read().split()
            if found:
                return int(found[0])
            time.sleep(0.005)
        raise AssertionError("nothing runs in the container\n" + self.tail())

    def terminate(self, patience=20):
        """Stops it as a container's engine does, and gives its exit code."""
        os.kill(self.inside(), signal.SIGTERM)
        return self.popen.wait(patience)

    def kill(self):
        """Ends it at once: the process inside, which outlives `unshare` since its user is another one."""
        if self.alive():
            os.kill(self.inside(), signal.SIGKILL)
        self.popen.wait()

    def resident(self):
        """Its resident memory in bytes."""
        with open("/proc/%d/status" % self.inside()) as status:
            figures = dict(line.split(":", 1) for line in status)
        return int(figures["VmRSS"].split()[0]) * 1024
