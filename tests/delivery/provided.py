"""What these checks need: a binary of this tree, and tools. Both are kept; the tools lie where those of tests/interop do.
Run by itself it installs the tools, and that is all.
"""
import functools, glob, os, site, subprocess, sys, unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INTEROP = os.path.join(ROOT, "tests", "interop")
sys.path.append(INTEROP)

from harness import tools                    # noqa: E402

CACHE = os.environ.get("INTEROP_CACHE") or os.path.join(INTEROP, ".cache")
# `uname -m` gives the names that Rust's targets begin with.
TARGET = "%s-unknown-linux-musl" % os.uname().machine


def eurekad():
    """TEST_BINARY, STATIC_BINARY, else the release build."""
    told = os.environ.get("TEST_BINARY") or os.environ.get("STATIC_BINARY")
    binary = os.path.abspath(told or os.path.join(ROOT, "target", "release", "eurekad"))
    if not os.path.isfile(binary):
        raise unittest.SkipTest("no %s: cargo build --release, or TEST_BINARY" % binary)
    return binary


@functools.cache
def static_binary():
    """STATIC_BINARY, else the one below target, which is built if it is not there. It has its symbols still."""
    binary = os.environ.get("STATIC_BINARY") or os.path.join(ROOT, "target", TARGET, "dist", "eurekad")
    if not os.path.exists(binary):
        built = subprocess.run([os.path.join(ROOT, "release", "build"), "binary"], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
        if "may not be installed" in built.stdout or "musl-gcc" in built.stdout:
            raise unittest.SkipTest("needs `rustup target add %s` and Debian's musl-tools" % TARGET)
        if built.returncode:
            raise RuntimeError("the static binary cannot be built\n" + built.stdout[-3000:])
    return os.path.abspath(binary)


def folder(name):
    """The folder of what tests/interop/harness/tools.py knows how to get."""
    os.makedirs(os.path.join(CACHE, "log"), exist_ok=True)
    try:
        return tools.Tools(CACHE, _say).prepare(name)
    except tools.Missing as missing:
        raise unittest.SkipTest(str(missing)) from missing


def tool(name, program):
    """The path of a program in such a folder."""
    return os.path.join(folder(name), program)


def python_packages():
    """From here on PyYAML and kubernetes-validate can be imported."""
    for packages in glob.glob(tool("manifests-python", "lib/python3.*/site-packages")):
        site.addsitedir(packages)


def run(*command, **more):
    """What a command writes, whatever bytes are among it. It must end well."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)
    if done.returncode:
        raise AssertionError("%s ended with %d\n%s" % (" ".join(command), done.returncode, done.stdout))
    return done.stdout


def _say(text):
    print(text, flush=True)


if __name__ == "__main__":
    # Beforehand, while something else compiles.
    for name in ("manifests-python", "manifests-go", "buildah", "hadolint", "actionlint"):
        try:
            folder(name)
        except (unittest.SkipTest, tools.Broken) as error:
            _say("not prepared: %s: %s" % (name, error))
