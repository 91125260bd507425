"""The documents say what is true: their commands run, their settings are taken, their links and numbers lead somewhere.

Commands stand in blocks that are indented or marked `sh`, or behind `$ ` in blocks marked `console`. Those that cannot be
run here stand in `commands.NOT_HERE`, with the reason; all others run, and end with 0 or what a comment behind them says.
The program is TEST_BINARY, STATIC_BINARY or target/release/eurekad. It takes half a minute.
"""
import glob, json, os, re, shutil, subprocess, unittest
import xml.etree.ElementTree as ElementTree

import commands, document_text, provided
from provided import INTEROP, ROOT

# Programs whose name at the start of a line means that it is a command, wherever it stands.
PROGRAMS = r"(?:\$ )?(?:\w+=\S+ )*(eurekad|curl|cargo|docker|podman|kubectl|helm|systemctl|sudo|git|java|tests/\w+/run)\s"
# Blocks that nothing runs: figures, output, and languages of programs that are not asked for here.
SHOWN = {"": "output or a drawing", "text": "output", "nginx": "tests/interop runs a proxy of its own",
         "java": "tests/interop has such an application", "toml": "not settings of this program",
         "ini": "a unit of systemd; systemd_check reads those that are delivered"}

# Names that look like settings, and are none of this program.
OTHER_NAMES = {"eurekad.gap", "eureka.NAME", "eureka.server.NAME", "eureka.serviceUrl.default"}


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def documents():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT, text=True,
                            stdout=subprocess.PIPE).stdout.split("\n")
    if not any(listed):        # a tree without its history, as in a package
        listed = [os.path.relpath(path, ROOT) for pattern in ("*.md", "docs/*.md", "fuzz/*.md", "tests/**/*.md")
                  for path in glob.glob(os.path.join(ROOT, pattern), recursive=True) if "/.cache/" not in path]
    return sorted(path for path in listed if path and os.path.isfile(os.path.join(ROOT, path)))


def is_settings(text):
    return all(re.match(r"[\w-]+(\.[\w\[\]*-]+)+ ?[:=] ?\S", line) for line in text.split("\n"))


def try_document(text, shell):
    """Runs all that is in it; the first thing that is wrong is raised with its line."""
    for block in document_text.blocks(text):
        try:
            try_block(block, shell)
        except (commands.Failed, ValueError, SyntaxError, ElementTree.ParseError, subprocess.SubprocessError) as error:
            raise commands.Failed("line %d: %s\n%s" % (block.line, block.text, error)) from None


def try_block(block, shell):
    kind = block.language
    if kind == "yaml" or kind == "properties" or kind == "indented" and is_settings(block.text):
        ending = "yml" if kind == "yaml" or re.match(r"[^=\n]*: ", block.text) else "properties"
        shell.check_settings("application." + ending, block.text)
    elif kind in ("sh", "indented"):
        for command in commands.commands(block.text):
            try_command(command, "", shell)
    elif kind == "console":
        for command, output in commands.session(block.text):
            try_command(command, output, shell)
    elif kind == "json":
        at, decoder = 0, json.JSONDecoder()
        while at < len(block.text.rstrip()):
            at = decoder.raw_decode(block.text, at)[1]
            at += len(block.text[at:]) - len(block.text[at:].lstrip())
    elif kind == "xml":
        ElementTree.fromstring("<all>" + block.text + "</all>")
    elif kind == "python":
        compile(block.text, "a document", "exec")
    elif kind == "js":
        if shutil.which("node"):
            done = subprocess.run(["node", "--check", "-"], input=block.text, text=True, stderr=subprocess.PIPE)
            if done.returncode:
                raise commands.Failed(done.stderr)
    elif kind not in SHOWN:
        raise commands.Failed("a block of a language that this check does not know: " + kind)
    elif re.search("^" + PROGRAMS, block.text, re.M):
        raise commands.Failed("a command in a block that is not marked sh or console")


def try_command(command, output, shell):
    if not commands.cannot_run(command):
        return shell.run(command, output)
    script = re.match(r"(?:\w+=\S* )*((?:\.ci|tests|benches|fuzz)/[\w/]*\w)", command)
    if script and not os.path.exists(os.path.join(ROOT, script[1])):
        raise commands.Failed("there is no " + script[1])
    for name in commands.names_of_tests(command):
        if subprocess.run(["grep", "-rqE", r"(fn|mod) \w*" + name, "tests", "src"], cwd=ROOT).returncode:
            raise commands.Failed("there is no test " + name)


@unittest.skipUnless(shutil.which("curl"), "there is no curl")
class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.binary = provided.eurekad()

    def test_words_within_a_line(self):
        """Commands and options of the program that the text names."""
        for path in documents():
            for line, code in document_text.inline(read(path)):
                words = re.match(r"eurekad ([a-z]+)((?: .*)?)$", code)
                if words:
                    helped = subprocess.run([self.binary, words[1], "--help"], text=True, stdout=subprocess.PIPE,
                                            stderr=subprocess.STDOUT)
                    self.assertEqual(helped.returncode, 0, "%s:%d: %s" % (path, line, code))
                    for option in re.findall(r"(?<= )--[a-z-]+(?![\w.-])", words[2]):
                        self.assertIn(option, helped.stdout, "%s:%d: %s" % (path, line, code))

    def test_what_is_wrong_is_found(self):
        for text in ["    eurekad chekc", "    no-such-program", "```sh\nfalse\n```", "```console\n$ exit 3\n```",
                     "```\neurekad check\n```", "```cobol\nSTOP RUN.\n```", "```json\n{]\n```",
                     "```yaml\neureka:\n  server:\n    evictoin: 1\n```", "    eureka.server.evictoin: 1",
                     "    curl localhost:8761/eureka/no-such-thing", "    cargo test --test integration no_such_test",
                     "    tests/no_such_room/run", "```console\n$ eurekad ls\nAPP  IS  ELSEWHERE\n```"]:
            with self.subTest(text), commands.Shell(self.binary) as shell, self.assertRaises(commands.Failed):
                try_document(text, shell)

    def test_what_is_right_is_taken(self):
        with commands.Shell(self.binary) as shell:
            try_document("    false   # exit code 1\n\n    curl localhost:8761/eureka/apps/NONE   # 404\n\n"
                         "    docker run eurekad\n\n    eureka.server.disable-delta: true\n", shell)


def of_document(path):
    def test(self):
        with commands.Shell(self.binary) as shell:
            try_document(read(path), shell)
    test.__doc__ = path
    return test


for document in documents():
    setattr(Commands, "test_of_" + re.sub(r"\W", "_", document[:-3]), of_document(document))


class Text(unittest.TestCase):
    def test_links(self):
        for path in documents():
            for line, target in document_text.links(read(path)):
                if re.match(r"[a-z]+:", target):
                    continue
                file, _, anchor = target.partition("#")
                there = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
                self.assertTrue(os.path.exists(os.path.join(ROOT, there)), "%s:%d: %s" % (path, line, target))
                if anchor:
                    self.assertIn(anchor, document_text.anchors(read(there)), "%s:%d: %s" % (path, line, target))

    def test_paths(self):
        """Files and folders that the text names, and in the architecture those without src/ before them as well."""
        for path in documents():
            rooms = os.listdir(os.path.join(ROOT, "src")) if path == "docs/architecture.md" else []
            for line, code in document_text.inline(read(path)):
                named = re.match(r"((?:src(?!/main/)|tests|docs|config|benches|fuzz|\.ci)/[\w./-]*)$", code)
                room = re.match(r"([a-z]+)/[a-z_/]+$", code)
                there = [named[1]] if named else \
                    ["src/" + code, "src/" + code + ".rs"] if room and room[1] in rooms else None
                self.assertTrue(there is None or any(os.path.exists(os.path.join(ROOT, p)) for p in there),
                                "%s:%d: there is no %s" % (path, line, code))

    def test_names(self):
        """Settings and figures that the text names are in configuration and metrics, which tests of their own hold."""
        figures = re.findall(r"^\| `(\w+)`", read("docs/metrics.md"), re.M)
        known = re.findall(r"`([a-z][\w.*\[\]-]+)`", read("docs/configuration.md")) + [name.replace("_", ".") for name in figures]
        for path in documents():
            for line, code in document_text.inline(read(path)):
                setting = re.match(r"((?:eurekad|eureka|server|management|spring|logging)\.[\w.\[\]-]*)", code)
                named = re.sub(r"\[\d+\]", "[]", setting[1]) if setting else ""
                # `name-*` is the beginning of names, all else a name or a group of names.
                whole = "" if setting and code[setting.end():] == "*" else r"(\W|$)"
                figure = re.match(r"(?:eurekad|process|http)_[a-z]\w*", code)
                self.assertTrue(not setting or named in OTHER_NAMES or any(re.match(re.escape(named.rstrip(".")) + whole, name) or "*" in name and
                                named.startswith(name[:name.index("*")]) for name in known), "%s:%d: %s" % (path, line, code))
                self.assertTrue(not figure or any(figure[0].startswith(name) for name in figures),
                                "%s:%d: %s" % (path, line, code))

    def test_the_index_has_every_document(self):
        listed = {target for _, target in document_text.links(read("docs/README.md"))}
        for path in documents():
            if path.startswith("docs/") and path != "docs/README.md":
                self.assertIn(os.path.basename(path), listed)

    def test_alerts(self):
        """Each alert has its place in operations, and none is there that is not in the rules."""
        rules = re.findall(r"- alert: (\w+)", read("config/prometheus/alerts.yml"))
        told = re.findall(r"^\| `(Eurekad\w+)` \|", read("docs/operations.md"), re.M)
        self.assertEqual(rules, told)


class Versions(unittest.TestCase):
    """The clients and servers that compatibility names as tested are those of tests/interop."""

    def test_table(self):
        text = read("docs/compatibility.md")
        table = re.search(r"<!-- tested: .*?-->\n(.*?)<!-- tested: end -->", text, re.S)[1]
        rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.split("\n")[2:] if line.startswith("|")]
        self.assertEqual(sorted(row[1] for row in rows if row[1] != "Debian 12's"), sorted(tested_versions()))
        lanes = re.findall(r'\("([\w-]+)", "\w+", \[', read("tests/interop/run"))
        for row in rows:
            for check in re.findall(r"`([^`]+)`", row[3]):
                self.assertIn(check, lanes)

    def test_getting_started_shows_what_was_tested(self):
        """Versions and dependencies of the application are those that tests/interop builds."""
        newest = tested_versions()[0]
        for version in re.findall(r"[\d.]+\d", newest):
            self.assertIn("<version>%s</version>" % version, read("docs/getting-started.md"))
        for artifact in re.findall(r"<artifactId>(.*?)</artifactId>", read("docs/getting-started.md")):
            self.assertIn(artifact, read("tests/interop/java/client/pom.xml"))


def tested_versions():
    """As the table writes them, the newest Spring first."""
    found = []
    for pom in ("client", "server", "secured"):
        text = read("tests/interop/java/%s/pom.xml" % pom)
        found += ["Spring Boot %s, Spring Cloud %s" % pair for pair in
                  re.findall(r"<boot\.version>(.*?)</boot\.version>\s*<cloud\.version>(.*?)</cloud\.version>", text)]
    netflix = read("tests/interop/java/netflix/pom.xml")
    found += ["%s %s" % pair for pair in
              re.findall(r"<artifactId>(eureka-client)</artifactId>\s*<version>(.*?)</version>", netflix)]
    packages = json.loads(read("tests/interop/node/package.json"))["dependencies"]
    found += ["%s %s" % pair for pair in packages.items()]
    found += ["%s %s" % pair for pair in re.findall(r"^(py-eureka-client|wasp-eureka)==(\S+)",
                                                    read("tests/interop/python/requirements.txt"), re.M)]
    found += ["%s %s" % pair for pair in re.findall(r"github\.com/hudl/(fargo) v(\S+)", read("tests/interop/go/go.mod"))]
    return found
