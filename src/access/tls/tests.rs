//! Of files in every form to what is in force.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use rustls::pki_types::{ServerName, UnixTime};

use crate::access::ClientCertificate;
use crate::settings::{AlternativeName, Settings};

use super::content::Content;
use super::material::Material;
use super::verifier::Trust;
use super::*;

fn fixture(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "fixtures", "tls", name].iter().collect();
    path.to_str().unwrap().to_owned()
}

/// What comes of these words, in which `@name` is a fixture.
fn load(words: &[&str]) -> Result<(Tls, Vec<Notice>), String> {
    let words: Vec<String> = words
        .iter()
        .map(|word| word.split_once('@').map_or((*word).to_owned(), |(head, name)| format!("{head}{}", fixture(name))))
        .collect();
    Tls::load(&Settings::from_words(&words).unwrap().tls).map_err(|errors| errors.to_string())
}

/// The material of a port.
fn material(words: &[&str]) -> Material {
    let words: Vec<String> = words.iter().map(|word| word.replace('@', &fixture(""))).collect();
    let server = Settings::from_words(&words).unwrap().tls.server.unwrap();
    let content = Content::read(Some(&server.keys), server.trust.as_ref()).unwrap();
    Material::understand(&content, Some(&server.keys), server.trust.as_ref())
        .unwrap_or_else(|mistakes| panic!("{mistakes:?}"))
}

const PASSWORD: &str = "--server.ssl.key-store-password=changeit";

#[test]
fn stores_of_old_and_new_tools_hold_the_same_key_and_certificate() {
    let expected =
        material(&["--server.ssl.certificate=@certificate.pem", "--server.ssl.certificate-private-key=@key.pem"]);
    let expected = expected.keys.unwrap().cert.clone();
    for store in ["keytool.p12", "keytool-legacy.p12", "openssl.p12", "openssl-legacy.p12"] {
        let found = material(&[&format!("--server.ssl.key-store=@{store}"), PASSWORD, "--server.ssl.key-alias=NODE"]);
        assert_eq!(found.keys.unwrap().cert, expected, "{store}");
        assert_eq!(found.odd, Vec::<String>::new());
        let wrong = load(&[&format!("--server.ssl.key-store=@{store}"), "--server.ssl.key-store-password=wrong"]);
        assert!(wrong.unwrap_err().ends_with("is not opened by its password"), "{store}");
        let none = load(&[&format!("--server.ssl.key-store=@{store}")]).unwrap_err();
        assert!(none.starts_with("server.ssl.key-store: ") && none.ends_with("needs a password"), "{none}");
    }
    for key in ["sec1-key.pem", "encrypted-key.pem"] {
        let found = material(&[
            "--server.ssl.certificate=@certificate.pem",
            &format!("--server.ssl.certificate-private-key=@{key}"),
            "--server.ssl.key-password=changeit",
        ]);
        assert_eq!(found.keys.unwrap().cert, expected, "{key}");
    }
}

#[test]
fn trust_is_read_from_stores_of_both_tools_and_from_pem() {
    for (trust, password) in [
        ("keytool-trust.p12", "changeit"),
        ("openssl-trust.p12", "changeit"),
        ("keytool.p12", "changeit"),
        ("certificate.pem", ""),
    ] {
        let found = material(&[
            "--server.ssl.key-store=@keytool.p12",
            PASSWORD,
            "--server.ssl.client-auth=need",
            &format!("--server.ssl.trust-store=@{trust}"),
            &format!("--server.ssl.trust-store-password={password}"),
        ]);
        assert_eq!(found.trust.unwrap().certificates.len(), 1, "{trust}");
    }
}

#[test]
fn a_store_that_cannot_be_read_says_why() {
    for (words, problem) in [
        (&["--server.ssl.key-store=@keytool.jks", PASSWORD][..], "keytool.jks.p12 -deststoretype PKCS12"),
        (
            &["--server.ssl.key-store=@keytool.p12", PASSWORD, "--server.ssl.key-alias=x"],
            "no private key with the alias \"x\", only [\"node\"]",
        ),
        (&["--server.ssl.key-store=@keytool-trust.p12", PASSWORD], "has no private key in it"),
        (&["--server.ssl.key-store=@../README.md", PASSWORD], "is neither PEM nor PKCS#12"),
        (&["--server.ssl.certificate=@certificate.pem"], "has no private key in it"),
        (&["--server.ssl.certificate=@key.pem"], "has no certificate in it"),
        (
            &["--server.ssl.certificate=@certificate.pem", "--server.ssl.certificate-private-key=@encrypted-key.pem"],
            "has an encrypted key in it, and there is no password for it",
        ),
        (&["--server.ssl.certificate=@nothing.pem"], "No such file or directory"),
    ] {
        let told = load(words).unwrap_err();
        assert!(told.starts_with("server.ssl.") && told.contains(problem), "{told}");
        assert!(!told.contains("changeit"));
    }
}

#[test]
fn a_certificate_in_the_trust_store_itself_is_taken_for_its_names() {
    let trusted = material(&[
        "--server.ssl.key-store=@keytool.p12",
        PASSWORD,
        "--server.ssl.client-auth=need",
        "--server.ssl.trust-store=@certificate.pem",
    ]);
    let certificate = trusted.keys.unwrap().cert[0].clone();
    let trust = Trust::these(trusted.trust.unwrap()).unwrap();
    let verify = |name: &'static str, now| {
        trust
            .verify(&certificate, &[], &ServerName::try_from(name).unwrap(), &[], now)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    assert_eq!(verify("localhost", UnixTime::now()), Ok(()));
    assert!(verify("elsewhere", UnixTime::now()).unwrap_err().contains("not valid for name"));
    let late = UnixTime::since_unix_epoch(std::time::Duration::from_hours(24 * 365 * 200));
    assert!(verify("localhost", late).unwrap_err().contains("Expired"));
}

#[test]
fn a_clients_certificate_names_its_subject_and_all_its_names() {
    let node = material(&["--server.ssl.key-store=@keytool.p12", PASSWORD]).keys.unwrap();
    let client = Port::client(Some(&node.cert)).unwrap();
    assert_eq!(client.subject, "CN=node,O=Example");
    let names = [AlternativeName::Dns("localhost".to_owned()), AlternativeName::Ip([127, 0, 0, 1].into())];
    assert_eq!(client.names, names);
    assert!(client.end.as_secs() > UnixTime::now().as_secs());
    assert_eq!(Port::client(None), None);
}

#[test]
fn a_clients_certificate_is_good_until_its_end_and_while_the_same_are_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.crt");
    fs::copy(fixture("certificate.pem"), &file).unwrap();
    let trust = format!("--server.ssl.trust-certificate={}", file.display());
    let own = ["--server.ssl.key-store=@keytool.p12", PASSWORD, "--server.ssl.client-auth=want"];
    let (tls, _) = load(&[&own[..], &[&trust]].concat()).unwrap();
    let port = tls.server.as_ref().unwrap();
    let side = port.current();
    let now = UnixTime::now().as_secs();
    let left = |end| {
        let end = std::time::Duration::from_secs(end);
        let certificate = ClientCertificate { subject: "CN=a".to_owned(), names: Vec::new(), end };
        port.time_left(&certificate, &side).map(|left| left.as_secs())
    };
    assert_eq!((left(0), left(now - 1)), (None, None));
    assert!((1..=1000).contains(&left(now + 999).unwrap()));
    let twice = fs::read(&file).unwrap().repeat(2);
    fs::write(&file, twice).unwrap();
    tls.look_again(true);
    assert_eq!(left(now + 999), None, "others are trusted now");
}

#[test]
fn half_written_files_are_not_told_of_and_wrong_ones_once() {
    let folder = tempfile::tempdir().unwrap();
    let copy = |name: &str, to: &str| fs::copy(fixture(name), folder.path().join(to)).unwrap();
    copy("certificate.pem", "tls.crt");
    copy("key.pem", "tls.key");
    let word =
        |name: &str, file: &str| format!("--server.ssl.{name}={}", Path::new(folder.path()).join(file).display());
    let words = [word("certificate", "tls.crt"), word("certificate-private-key", "tls.key")];
    let (tls, _) = load(&[&words[0], &words[1]]).unwrap();
    let config = || tls.server.as_ref().unwrap().current().config();
    let first = config();
    tls.look_again(false);
    assert!(Arc::ptr_eq(&first, &config()), "nothing changed");
    fs::write(folder.path().join("tls.key"), "-----BEGIN ").unwrap();
    tls.look_again(false);
    tls.look_again(false);
    fs::remove_file(folder.path().join("tls.crt")).unwrap();
    tls.look_again(true);
    assert!(Arc::ptr_eq(&first, &config()), "what is wrong is not taken");
    copy("certificate.pem", "tls.crt");
    copy("sec1-key.pem", "tls.key");
    tls.look_again(false);
    assert!(!Arc::ptr_eq(&first, &config()), "what is right is taken at once");
}
