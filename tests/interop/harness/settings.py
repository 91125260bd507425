"""What eurekad and Spring Boot make of the same settings: files, environment variables and words."""
import json, os, re, subprocess, tempfile, tomllib

from . import process, registry, verdict

SCOPE = ("eureka.", "server.")

# Their keys are the user's own: letter case and dashes count.
MAPS = re.compile(r"(eureka\.client\.(?:service.?url|availability.?zones)|eureka\.instance\.metadata.?map"
                  r"|eureka\.server\.remote.?region.?(?:urls.?with.?name|app.?whitelist))\.(.*)", re.I)


class Given:
    """One input, in a folder of its own; the fixtures of tests/settings have the same parts."""

    def __init__(self, name, words=(), environment=None, files=None, effective=None):
        self.name, self.words, self.environment, self.effective = name, list(words), environment or {}, effective
        self.folder = tempfile.TemporaryDirectory()
        for file, text in (files or {}).items():
            path = os.path.join(self.folder.name, file)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)

    @classmethod
    def read(cls, path):
        with open(path, "rb") as file:
            parts = tomllib.load(file)
        return cls(os.path.basename(path)[:-len(".toml")],
                   **{part: parts.get(part) or () for part in ("words", "environment", "files", "effective")})

    def java_words(self):
        """The words of a JVM, {name: value}, and those of main. An entry point of an image passes JAVA_OPTS on."""
        system, words = {}, []
        for word in [*self.environment.get("JAVA_OPTS", "").split(), *self.words]:
            if word.startswith("-D"):
                name, _, value = word[2:].partition("=")
                system[name] = value
            elif word in self.words:
                words.append(word)
        return system, words


def key(name):
    """The same for every spelling of a name."""
    found = MAPS.fullmatch(name)
    start, rest = found.groups() if found else (name, None)
    squashed = re.sub(r"[-_.\[\]]", "", start).lower()
    return squashed if rest is None else squashed + "." + rest


def same(ours, theirs):
    """Whether a text is what a typed value was made of. eurekad masks passwords, wherever they are."""
    def plain(value):
        value = re.sub(r"(//[^:/@]*:)[^/@]*@", r"\1******@", value)
        try:
            return float(value)
        except ValueError:
            return value.lower() if theirs in ("true", "false") or theirs.isupper() else value

    if ours == "******" or plain(ours) == plain(theirs):
        return True
    yes = {"true": ("true", "on", "yes", "1"), "false": ("false", "off", "no", "0")}
    size = re.fullmatch(r"(\d+)B", theirs)
    return ours.lower() in yes.get(theirs, ()) or bool(size and size.group(1) == ours)


def eurekad(binary, given):
    """{key: (name, value, origin)} of what is set, by `eurekad config --json`."""
    told = ask(binary, given, "config", "--json")
    ours = json.loads(told.stdout)["properties"]
    return {key(one["name"]): (one["name"], one["value"], one["origin"]) for one in ours
            if one["origin"] != "default" and one["name"].startswith(SCOPE)}


def ask(binary, given, *command):
    """What a command prints."""
    return subprocess.run([binary, *given.words, *command], cwd=given.folder.name, env=given.environment, timeout=10,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def bound(folder, given, log):
    """{key: (name, value)} of what Spring puts into the server's beans, and {name: why} of what it refuses."""
    system, words = given.java_words()
    java = process.java(folder, "eurekad.interop.Settings", log, *words, system=system, cwd=given.folder.name,
                        env=given.environment)
    code = java.wait(20)
    verdict.ensure(code == 0, "%s: Spring does not start\n%s" % (given.name, java.tail()))
    told = json.loads(java.lines()[-1])
    return {key(name): (name, value) for name, value in told["bound"].items()}, told["refused"]


class SpringServer:
    """The whole server, as the control of other checks is one."""

    def __init__(self, folder, given, port, log):
        system, words = given.java_words()
        self.base = "http://127.0.0.1:%d" % port
        self.process = process.java(folder, "eurekad.interop.Server", log, *words, system=system,
                                    cwd=given.folder.name, env=given.environment)
        verdict.show_when_failing(self.process.tail)

    def bound(self):
        """As above, by its actuator; None while it starts."""
        verdict.ensure(self.process.alive(), "the Spring server ended by itself")
        answer = registry.request("GET", self.base + "/actuator/configprops")
        if answer.status != 200:
            return None
        found = {}
        for context in json.loads(answer.body)["contexts"].values():
            for bean in context["beans"].values():
                if (bean["prefix"] + ".").startswith(("eureka.", "server.")):
                    _leaves(bean["prefix"], bean["inputs"], bean["properties"], found)
        return found


def _leaves(name, inputs, values, found):
    """What was put in (inputs has the place of each), with the value that the bean has now."""
    if "value" in inputs and "origin" in inputs:
        found[key(name)] = name, values if isinstance(values, str) else json.dumps(values)
        return
    for part, below in inputs.items():
        if isinstance(below, dict):
            _leaves(name + "." + part, below, values[part], found)
