#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::settings::Settings;

use super::*;

fn read(words: &[&str]) -> TlsSettings {
    Settings::from_words(words).unwrap().tls
}

fn refused(words: &[&str]) -> String {
    Settings::from_words(words).unwrap_err().to_string()
}

fn file(stored: &Stored) -> &str {
    match &stored.at {
        Location::File(path) => path.to_str().unwrap(),
        Location::Text(text) => text,
    }
}

#[test]
fn pem_goes_before_a_store_and_a_bundle_before_both() {
    let words = [
        "--spring.ssl.bundle.pem.web.keystore.certificate=/bundle.crt",
        "--server.ssl.key-store=file:///etc/a.p12",
        "--server.ssl.key-store-password=secret",
        "--server.ssl.certificate=file:/etc/a.crt",
        "--server.ssl.certificate-private-key=a.key",
        "--server.ssl.bundle=web",
    ];
    let keys = |words: &[&str]| read(words).server.unwrap().keys;
    assert_eq!(file(&keys(&words).certificate), "/bundle.crt");
    let pem = keys(&words[..5]);
    assert_eq!((file(&pem.certificate), file(pem.key.as_ref().unwrap())), ("/etc/a.crt", "a.key"));
    let store = keys(&words[..3]);
    assert_eq!((file(&store.certificate), store.password.as_ref().unwrap().reveal()), ("/etc/a.p12", "secret"));
    assert!(!format!("{store:?}").contains("secret"));
    let off = [&words[..], &["--server.ssl.enabled=false"]].concat();
    assert_eq!(read(&off).server, None);
}

#[test]
fn a_block_without_a_certificate_is_a_mistake() {
    for words in [
        &["--server.ssl.enabled=true"][..],
        &["--server.ssl.key-store-password=x"],
        &["--server.ssl.trust-store=x"],
        &["--management.server.ssl.key-alias=x", "--management.server.port=9"],
    ] {
        assert!(refused(words).contains("server.ssl: there is no certificate: set "), "{words:?}");
    }
    let own = ["--management.server.ssl.key-store=x"];
    assert!(refused(&own).contains("there is no management port of its own"), "{}", refused(&own));
}

#[test]
fn clients_are_asked_for_certificates_only_if_it_is_said_whose_are_taken() {
    let words = ["--server.ssl.key-store=a", "--server.ssl.client-auth=NEED"];
    assert!(refused(&words).starts_with("server.ssl.client-auth: whose certificates are taken must be said"));
    for trust in ["--server.ssl.trust-store=t", "--server.ssl.trust-certificate=t", "-Djavax.net.ssl.trustStore=t"] {
        let server = read(&[&words[..], &[trust]].concat()).server.unwrap();
        assert_eq!((server.client_auth, file(&server.trust.unwrap().certificates)), (ClientAuth::Need, "t"));
    }
}

#[test]
fn bundles_have_names_in_every_spelling() {
    let words = [
        "--spring.ssl.bundle.pem.my-node.keystore.certificate=-----BEGIN CERTIFICATE-----",
        "--spring.ssl.bundle.pem.my-node.keystore.private-key=k",
        "--spring.ssl.bundle.pem.my-node.options.enabled-protocols[0]=TLSv1.3",
        "--spring.ssl.bundle.jks.store.keystore.location=s",
        "--spring.ssl.bundle.jks.store.keystore.password=p",
        "--spring.ssl.bundle.jks.store.key.alias=a",
        "--spring.ssl.bundle.jks.store.truststore.location=t",
        "--spring.ssl.bundle.jks.store.truststore.type=PKCS12",
        "--spring.ssl.bundle.jks.store.reload-on-update=true",
        "--server.ssl.bundle=my-node",
        "--eurekad.peers.ssl.bundle=STORE",
    ];
    let tls = read(&words);
    let server = tls.server.unwrap();
    assert!(matches!(server.keys.certificate.at, Location::Text(_)));
    assert_eq!(server.protocols, Protocols { v1_2: false, v1_3: true });
    assert_eq!(file(&tls.peers.trust.unwrap().certificates), "t");
    let keys = tls.peers.keys.unwrap();
    assert_eq!((file(&keys.certificate), keys.alias.as_deref()), ("s", Some("a")));
    assert_eq!(tls.regions.keys, Some(keys), "regions are called as peers are");
    let unknown = refused(&["--server.ssl.bundle=x"]);
    assert!(unknown.contains("server.ssl.bundle: there is no bundle \"x\""), "{unknown}");
}

#[test]
fn calls_go_by_the_clients_block_if_it_is_enabled_and_else_by_javas() {
    let words = [
        "--eureka.client.tls.trust-store=client",
        "-Djavax.net.ssl.trustStore=java",
        "-Djavax.net.ssl.keyStore=keys",
        "--eureka.client.tls.enabled=true",
    ];
    let trust = |tls: &OutgoingTls| file(&tls.trust.as_ref().unwrap().certificates).to_owned();
    assert_eq!(trust(&read(&words).peers), "client");
    assert_eq!(trust(&read(&words[..3]).peers), "java");
    assert_eq!(file(&read(&words).peers.keys.unwrap().certificate), "keys");
    let region = [&words[..], &["--eureka.server.remote-region-trust-store=region"]].concat();
    let tls = read(&region);
    assert_eq!((trust(&tls.peers).as_str(), trust(&tls.regions).as_str()), ("client", "region"));
    assert_eq!(tls.regions.trust.unwrap().password.unwrap().reveal(), "changeit");
}

#[test]
fn what_cannot_be_says_what_would_be_right() {
    for (word, right) in [
        ("--server.ssl.certificate=classpath:tls.crt", "there is no class path here"),
        ("--server.ssl.certificate=https://a/tls.crt", "a file (/etc/eureka/tls.crt or file:/etc/eureka/tls.crt)"),
        ("--server.ssl.key-store-type=BKS", "must be PKCS12"),
        ("--server.ssl.client-auth=maybe", "must be none, want or need"),
        ("--server.ssl.enabled-protocols=TLSv1.1", "there is no other version here"),
        ("--spring.ssl.bundle.pem.web=x", "a bundle has a name and properties"),
        ("--spring.ssl.bundle.jks.web.truststore.location=classpath:a.p12", "there is no class path here"),
    ] {
        assert!(refused(&[word, "--server.ssl.key-store=x"]).contains(right), "{word}: {}", refused(&[word]));
    }
    let both = read(&["--server.ssl.key-store=x", "--server.ssl.enabled-protocols=TLSv1.1,TLSv1.2"]);
    assert_eq!(both.server.unwrap().protocols, Protocols { v1_2: true, v1_3: false });
}

#[test]
fn a_private_key_without_its_first_line_is_not_repeated() {
    let key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7".repeat(4);
    for text in [key.clone(), key.replacen('A', "/", 3)] {
        for name in ["server.ssl.certificate-private-key", "spring.ssl.bundle.pem.node.keystore.private-key"] {
            let mistake = refused(&[&format!("--{name}={text}"), "--server.ssl.certificate=/tls.crt"]);
            assert!(mistake.contains(name) && mistake.contains("its first and its last line"), "{mistake}");
            assert!(!mistake.contains("MIIE"), "{mistake}");
        }
    }
    read(&["--server.ssl.certificate=/tls.crt", &format!("--server.ssl.certificate-private-key=/{key}/tls.key")]);
}
