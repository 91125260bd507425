"""config/systemd: systemd itself reads the units, and finds the service safe. They are not started: no systemd runs here."""
import os, re, shutil, subprocess, tempfile, unittest

import provided
from provided import ROOT

UNIT = os.path.join(ROOT, "config", "systemd", "eurekad.service")
SOCKET = os.path.join(ROOT, "config", "systemd", "eurekad.socket")
# systemd's own figure, 0 (safe) to 10; what is left is that it listens to the network.
MOST_EXPOSED = 2.0


class Unit(unittest.TestCase):
    def setUp(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze on this machine")
        with open(UNIT) as file:
            self.text = file.read()

    def analyze(self, *words, text=None, also=()):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "eurekad.service")
            with open(path, "w") as file:
                file.write((text or self.text).replace("/usr/bin/eurekad", provided.eurekad()))
            told = subprocess.run(["systemd-analyze", *words, path, *(shutil.copy(unit, folder) for unit in also)],
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            return told.returncode, told.stdout

    def test_systemd_understands_both(self):
        code, told = self.analyze("verify", "--man=no", also=[SOCKET])
        # Of other units of this machine it may complain as well.
        self.assertNotIn("eurekad.", told)
        self.assertEqual(code, 0, told)

    def test_what_is_wrong_is_found(self):
        _, told = self.analyze("verify", "--man=no", text=self.text.replace("TimeoutStopSec", "TimeoutStopSecs"))
        self.assertIn("TimeoutStopSecs", told)

    def test_it_has_few_rights(self):
        code, told = self.analyze("security", "--offline=true", "--no-pager", "--threshold=%d" % (MOST_EXPOSED * 10))
        self.assertEqual(code, 0, told)

    def test_it_has_the_time_that_its_end_takes(self):
        seconds = int(re.search(r"(?m)^TimeoutStopSec=(\d+)$", self.text).group(1))
        # spring.lifecycle.timeout-per-shutdown-phase, then peers are told, and the snapshot is written.
        self.assertGreater(seconds, 30 + 10)
