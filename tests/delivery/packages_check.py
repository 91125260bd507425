"""What release/build makes of the static binary: tarball, package, symbols, list of parts; each used for real."""
import hashlib, json, os, re, shutil, subprocess, tarfile, tempfile, unittest

import provided
from provided import run
from harness import process, registry, verdict

COMPLETIONS = {"bash": "usr/share/bash-completion/completions/eurekad", "zsh": "usr/share/zsh/vendor-completions/_eurekad",
               "fish": "usr/share/fish/vendor_completions.d/eurekad.fish"}


def setUpModule():
    global folder, version, made, name, first, unpacked, package
    folder = tempfile.mkdtemp(prefix="eurekad-packages-")
    unittest.addModuleCleanup(shutil.rmtree, folder)
    version = re.search(r"[#@]([^#@]+)$", run("cargo", "pkgid", cwd=provided.ROOT).strip()).group(1)
    made = os.path.join(provided.ROOT, "target", "release-" + version)
    name = "eurekad-%s-%s" % (version, provided.TARGET)
    build = [os.path.join(provided.ROOT, "release", "build")]
    environment = {**os.environ, "STATIC_BINARY": provided.static_binary()}
    run(*build, env=environment)
    first = sums()
    run(*build, env=environment)
    unpacked, package = os.path.join(folder, "unpacked"), os.path.join(folder, "package")
    os.mkdir(unpacked)
    run("tar", "-x", "-f", os.path.join(made, name + ".tar.gz"), "-C", unpacked)
    run("dpkg-deb", "-x", deb(), package)


def sums():
    with open(os.path.join(made, "SHA256SUMS")) as file:
        return dict(reversed(line.split()) for line in file)


def deb():
    (found,) = [file for file in os.listdir(made) if file.endswith(".deb")]
    return os.path.join(made, found)


class Made(unittest.TestCase):
    def test_all_is_there_with_its_sum(self):
        kinds = {"tar.gz", "debug", "cdx.json"}
        self.assertEqual({"%s.%s" % (name, kind) for kind in kinds} | {os.path.basename(deb())}, set(sums()))
        for file, sum in sums().items():
            with open(os.path.join(made, file), "rb") as content:
                self.assertEqual(sum, hashlib.sha256(content.read()).hexdigest(), file)

    def test_the_same_sources_give_the_same_files(self):
        self.assertEqual(first, sums())

    def test_the_symbols_lead_to_the_sources(self):
        symbols = os.path.join(made, name + ".debug")
        at = re.search(r"^([0-9a-f]+) . \S*eurekad4main\S*$", run("nm", symbols), re.M).group(1)
        self.assertRegex(run("addr2line", "-e", symbols, at), r"src/main\.rs:\d+")
        binary = os.path.join(unpacked, name, "eurekad")
        self.assertIn(name + ".debug", run("readelf", "--string-dump=.gnu_debuglink", binary))
        self.assertNotRegex(run("readelf", "--sections", "--wide", binary), r"\.debug_(info|line)|\.symtab")

    def test_the_list_of_parts_has_every_crate(self):
        with open(os.path.join(made, name + ".cdx.json")) as file:
            parts = json.load(file)
        self.assertEqual("CycloneDX", parts["bomFormat"])
        listed = {(part["name"], part["version"]) for part in parts["components"]}
        tree = run("cargo", "tree", "--locked", "--edges", "normal", "--target", provided.TARGET, "--prefix", "none",
                   "--format", "{p}", "--package", "eurekad", cwd=provided.ROOT)
        # Macros are used while building and are not in the binary.
        crates = {tuple(re.match(r"(\S+) v(\S+)", line).groups()) for line in tree.splitlines()
                  if line and "(proc-macro)" not in line}
        self.assertEqual(set(), crates - listed - {("eurekad", version)})


class Tarball(unittest.TestCase):
    def test_it_has_what_belongs_in_it_and_nobody_owns_it(self):
        with tarfile.open(os.path.join(made, name + ".tar.gz")) as tar:
            members = tar.getmembers()
        self.assertEqual({(0, 0)}, {(member.uid, member.gid) for member in members})
        self.assertEqual(1, len({member.mtime for member in members}))
        self.assertEqual(set(), {oct(member.mode) for member in members} - {"0o755", "0o644"})
        files = {member.name.split("/", 1)[1] for member in members if member.isfile()}
        for file in ("eurekad", "LICENSE", "README.md", "CHANGELOG.md", "application.yml", "eurekad.service",
                     "eurekad.socket", "man/eurekad.1", "man/eurekad-drain.1", "completions/eurekad.bash", "completions/_eurekad",
                     "completions/eurekad.fish", "docs/configuration.md"):
            self.assertIn(file, files)

    def test_its_binary_runs(self):
        told = run(os.path.join(unpacked, name, "eurekad"), "--version")
        self.assertTrue(told.startswith("eurekad " + version), told)

    def test_its_manual_pages_render(self):
        pages = os.path.join(unpacked, name, "man")
        for page in os.listdir(pages):
            done = subprocess.run(["man", "--warnings", "-l", os.path.join(pages, page)], text=True, capture_output=True,
                                  env={**os.environ, "MANPAGER": "cat", "LC_ALL": "C.UTF-8", "MANWIDTH": "80"})
            self.assertEqual((0, ""), (done.returncode, done.stderr), page)
            self.assertIn("SYNOPSIS", done.stdout)

    def test_a_shell_completes_with_its_completions(self):
        script = os.path.join(unpacked, name, "completions", "eurekad.bash")
        ask = 'source "$0"; COMP_WORDS=(eurekad dra) COMP_CWORD=1; _eurekad eurekad dra eurekad; echo "${COMPREPLY[@]}"'
        self.assertEqual("drain\n", run("bash", "-c", ask, script))
        for shell, file in (("zsh", "_eurekad"), ("fish", "eurekad.fish")):
            if shutil.which(shell):
                run(shell, "-n", os.path.join(unpacked, name, "completions", file))


class Package(unittest.TestCase):
    def test_it_says_what_it_is(self):
        told = run("dpkg-deb", "--info", deb())
        for line in ("Package: eurekad", "Version: %s-1" % version, "Section: net"):
            self.assertIn(line, told)
        self.assertNotRegex(told, r"Depends: *\w", "a static binary needs nothing")

    def test_its_files_are_where_debian_looks(self):
        for file in ("usr/bin/eurekad", "etc/eurekad/application.yml", "usr/lib/systemd/system/eurekad.service",
                     "usr/lib/systemd/system/eurekad.socket",
                     "usr/share/man/man1/eurekad.1.gz", "usr/share/man/man1/eurekad-drain.1.gz",
                     "usr/share/doc/eurekad/copyright", *COMPLETIONS.values()):
            place = os.path.join(package, file)
            if not os.path.exists(place):
                place = os.path.join(package, file.removeprefix("usr/"))
            self.assertEqual(0o755 if file.startswith("usr/bin") else 0o644, os.stat(place).st_mode & 0o777, file)

    def test_what_the_unit_starts_is_in_it_and_reads_the_settings(self):
        with open(os.path.join(provided.ROOT, "config", "systemd", "eurekad.service")) as unit:
            settings = dict(line.strip().split("=", 1) for line in unit if "=" in line and not line.startswith("#"))
        program, *words = settings["ExecStart"].split()
        place = package + settings["WorkingDirectory"]
        with open(os.path.join(place, "application.yml"), "a") as file:
            file.write("\n---\nserver.address: 127.0.0.1\n")
        state = os.path.join(folder, "state")
        os.mkdir(state)
        port = process.free_port()
        server = process.Process([package + program, "--server.port=%d" % port,
                                  *(word.replace("/var/lib/eurekad", state) for word in words)],
                                 os.path.join(folder, "server.log"), cwd=place)
        self.addCleanup(server.stop)
        base = registry.Registry("http://127.0.0.1:%d" % port)
        verdict.until("it registers", lambda: base.register("ORDERS", "ord-1") == 204, 30)
        self.assertEqual({"ORDERS/ord-1": "UP"}, base.everything()[1])
        self.assertEqual(0, server.stop(), server.tail())
        self.assertTrue(os.listdir(state), "the registry is on disk")
        told = run(package + program, "config", cwd=place)
        self.assertRegex(told, r"server\.address.*127\.0\.0\.1.*application\.yml")

    @unittest.skipIf(os.geteuid(), "only root installs packages")
    def test_what_the_operator_wrote_stays_until_it_is_purged(self):
        """In a root of its own, where no systemd is told anything."""
        root = os.path.join(folder, "root")
        for made_folder in ("var/lib/dpkg/updates", "var/lib/dpkg/info"):
            os.makedirs(os.path.join(root, made_folder))
        for file in ("status", "available"):
            open(os.path.join(root, "var/lib/dpkg", file), "w").close()
        dpkg = ["dpkg", "--root=" + root, "--force-script-chrootless", "--log=/dev/null"]
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        settings = os.path.join(root, "etc/eurekad/application.yml")
        run(*dpkg, "--install", deb(), env=quiet)
        self.assertFalse(os.path.exists(os.path.join(root, "etc/systemd/system/multi-user.target.wants/eurekad.service")))
        with open(settings, "a") as file:
            file.write("# mine\n")
        run(*dpkg, "--install", deb(), env=quiet)
        with open(settings) as file:
            self.assertIn("# mine", file.read())
        run(*dpkg, "--remove", "eurekad", env=quiet)
        self.assertFalse(os.path.exists(os.path.join(root, "usr/bin/eurekad")))
        self.assertTrue(os.path.exists(settings))
        run(*dpkg, "--purge", "eurekad", env=quiet)
        self.assertFalse(os.path.exists(settings))


class Release(unittest.TestCase):
    def test_every_file_names_the_same_version(self):
        for file, pattern in (("Dockerfile", r'image\.version="(.*?)"'), ("Dockerfile", r"-t eurekad:(\S+)"),
                              ("config/compose/single.yml", r"image: eurekad:(\S+)"),
                              ("config/compose/cluster.yml", r"image: eurekad:(\S+)"),
                              ("config/kubernetes/eurekad.yaml", r"image: eurekad:(\S+)"),
                              ("config/helm/eurekad/Chart.yaml", r"^version: (\S+)"),
                              ("config/helm/eurekad/Chart.yaml", r"^appVersion: (\S+)")):
            with open(os.path.join(provided.ROOT, file)) as text:
                self.assertEqual({version}, set(re.findall(pattern, text.read(), re.M)), (file, pattern))

    def test_actionlint_finds_no_fault_in_the_workflows(self):
        run(provided.tool("actionlint", "actionlint"), cwd=provided.ROOT)
