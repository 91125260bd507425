"""A private authority and certificates that it signs, in PKCS#12 stores, made by Java's own keytool."""
import os, ssl, subprocess

from . import process

PASSWORD = "changeit"


class Authority:
    """Its certificate is `pem`, and alone in the store `trust`."""

    def __init__(self, folder):
        self.folder, self.own = folder, os.path.join(folder, "authority.p12")
        os.makedirs(folder, exist_ok=True)
        for old in os.listdir(folder):
            os.remove(os.path.join(folder, old))
        self.pem, self.trust = self._file("authority.pem"), self._file("trust.p12")
        self._key(self.own, "authority", "CN=Registry Authority,O=Example", "-ext", "bc:critical=ca:true")
        self._keytool(self.own, "-exportcert", "-rfc", "-alias", "authority", "-file", self.pem)
        self._trusted(self.trust)

    def store(self, name):
        """The store with the key and certificate of `CN=name`, who is at 127.0.0.1 and localhost."""
        store, wanted, signed = self._file(name + ".p12"), self._file(name + ".csr"), self._file(name + ".pem")
        self._key(store, name, "CN=%s,O=Example" % name)
        self._keytool(store, "-certreq", "-alias", name, "-file", wanted)
        self._keytool(self.own, "-gencert", "-alias", "authority", "-infile", wanted, "-outfile", signed, "-rfc",
                      "-validity", "2", "-ext", "san=dns:localhost,ip:127.0.0.1", "-ext", "eku=serverAuth,clientAuth")
        self._trusted(store)
        self._keytool(store, "-importcert", "-noprompt", "-alias", name, "-file", signed)
        return store

    def context(self):
        """For calls of the check itself, which has no certificate."""
        return ssl.create_default_context(cafile=self.pem)

    def _file(self, name):
        return os.path.join(self.folder, name)

    def _key(self, store, alias, subject, *more):
        self._keytool(store, "-genkeypair", "-alias", alias, "-keyalg", "EC", "-groupname", "secp256r1", "-dname", subject,
                      "-validity", "2", *more)

    def _trusted(self, store):
        self._keytool(store, "-importcert", "-noprompt", "-alias", "authority", "-file", self.pem)

    def _keytool(self, store, *words):
        subprocess.run([process.beside_java("keytool"), "-J-XX:TieredStopAtLevel=1", *words, "-keystore", store,
                        "-storetype", "PKCS12", "-storepass", PASSWORD], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
