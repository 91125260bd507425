#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use crate::settings::{Settings, Sources};

use super::*;

fn read(words: &[&str]) -> Result<SecuritySettings, String> {
    Settings::from_words(words).map(|settings| settings.security).map_err(|mistakes| mistakes.to_string())
}

fn in_folder(dir: &Path, words: &[String]) -> crate::settings::Examined {
    Settings::examine(Sources { dir, environment: Vec::new(), words })
}

#[test]
fn springs_user_is_called_user_and_may_do_everything() {
    let settings = read(&["--spring.security.user.password=s3cret"]).unwrap();
    let [user] = &settings.users[..] else { panic!("{settings:?}") };
    assert_eq!((user.name.as_str(), user.permissions.roles), ("user", Roles::ALL));
    assert_eq!(user.password, Kept::here(Password::Plain(Secret::new("s3cret"))));
    let words = [
        "--spring.security.user.name=admin",
        "--spring.security.user.password={noop}x",
        "--spring.security.user.roles=ROLE_READ",
    ];
    let settings = read(&words).unwrap();
    assert_eq!(settings.users[0].name, "admin");
    assert_eq!(settings.users[0].permissions.roles, Roles::of(&[Role::Read]));
}

#[test]
fn a_user_without_a_password_is_told_what_to_set() {
    for word in
        ["--spring.security.user.name=admin", "--spring.security.user.roles=read", "--spring.security.user.name= x "]
    {
        let mistakes = read(&[word]).unwrap_err();
        assert!(mistakes.contains("spring.security.user.password or"), "{mistakes}");
        assert_eq!(mistakes.lines().count(), 1, "{mistakes}");
    }
    let mistakes =
        read(&["--spring.security.user.name=admin", "--spring.security.user.password={sha256}hidden"]).unwrap_err();
    assert!(mistakes.contains("******") && !mistakes.contains("hidden"), "{mistakes}");
    assert_eq!(mistakes.lines().count(), 1, "{mistakes}");
    assert!(read(&["--spring.security.user.password="]).unwrap().is_open());
}

#[test]
fn users_tokens_and_certificates_are_records() {
    let dir = tempfile::tempdir().unwrap();
    let yaml = r#"
eurekad:
  security:
    users:
      - {name: orders, password: "a,b", roles: [read, register], apps: "orders*, Billing"}
      - {name: ops, password: x, roles: operate}
    tokens:
      - {name: ci, token: 0123456789abcdef, roles: metrics}
    certificates:
      - {san: "spiffe://example/*", roles: peer}
      - {name: a, subject: CN=a}
    anonymous: read
"#;
    fs::write(dir.path().join("application.yml"), yaml).unwrap();
    let settings = in_folder(dir.path(), &[]).outcome.unwrap().security;
    let [orders, ops] = &settings.users[..] else { panic!("{settings:?}") };
    assert_eq!(orders.password.content, Password::Plain(Secret::new("a,b")));
    assert_eq!(orders.permissions.roles, Roles::of(&[Role::Read, Role::Register]));
    assert!(orders.permissions.apps.iter().any(|app| app.matches("BILLING")));
    assert_eq!((ops.name.as_str(), ops.permissions.roles), ("ops", Roles::of(&[Role::Operate])));
    assert_eq!(settings.tokens[0].tokens.content.len(), 1);
    assert_eq!((&settings.certificates[0].name, &settings.certificates[0].subject), (&None, &None));
    assert_eq!(settings.certificates[1].permissions.roles, Roles::of(&[Role::Read, Role::Register]));
    assert_eq!((settings.anonymous, settings.public_health), (Some(Roles::of(&[Role::Read])), true));
    // A password from elsewhere.
    let settings = in_folder(dir.path(), &["--eurekad.security.users[1].password=y".to_owned()]).outcome.unwrap();
    assert_eq!(settings.security.users[1].password.content, Password::Plain(Secret::new("y")));
}

#[test]
fn what_is_missing_or_odd_in_a_record_is_named() {
    for (words, expected) in [
        (&["--eurekad.security.users[0].name=a"][..], "given with password: set, or password-file"),
        (&["--eurekad.security.users[0].password=a"], "given with name"),
        (&["--eurekad.security.users[0].nmae=a"], "one of eurekad.security.users[0].name"),
        (&["--eurekad.security.users.bob.password=a"], "one of eurekad.security.users[0].name"),
        (&["--eurekad.security.users[0].name=a:b", "--eurekad.security.users[0].password=a"], "without a colon"),
        (&["--eurekad.security.tokens[0].name=a"], "given with token"),
        (&["--eurekad.security.tokens[0].name=a", "--eurekad.security.tokens[0].token=short"], "at least 16"),
        (&["--eurekad.security.certificates[0].roles=read"], "given with subject"),
        (
            &["--eurekad.security.certificates[0].subject=CN=a", "--eurekad.security.certificates[0].roles=admin"],
            "roles out of",
        ),
        (&["--eurekad.security.certificates[0].subject=a"], "as RFC 4514 writes it"),
        (&["--eurekad.security.certificates[0].san=a@b"], "after uri:, email: or ip:"),
        (&["--eurekad.security.require=true"], "false while nobody is configured"),
        (&["--eurekad.security.require="], "true or false"),
        (&["--eurekad.security.require=true", "--eurekad.security.anonymous=read, register"], "anybody may register"),
        (&["--eurekad.security.require=true", "--eurekad.security.anonymous=operate"], "anybody may register"),
        (&["--eurekad.security.require=true", "--eurekad.security.anonymous=peer"], "anybody may register"),
        (&["--eurekad.security.users[0].name=a", "--eurekad.security.users[0].password-file=/none"], "No such file"),
        (
            &[
                "--eurekad.security.users[0].name=user",
                "--eurekad.security.users[0].password=a",
                "--spring.security.user.password=b",
            ],
            "a name that no other user has",
        ),
    ] {
        let mistakes = read(words).unwrap_err();
        assert!(mistakes.contains(expected), "{mistakes}");
        assert_eq!(mistakes.lines().count(), 1, "{mistakes}");
    }
    assert!(!read(&["--eurekad.security.require=true", "--spring.security.user.password=x"]).unwrap().is_open());
    let words = ["--eurekad.security.require=true", "--eurekad.security.anonymous=read, metrics"];
    assert!(!read(&words).unwrap().is_open());
    assert!(read(&[]).unwrap().is_open());
}

#[test]
fn what_binds_somebody_and_is_empty_is_a_mistake() {
    for record in [
        "users[0]={name: a, password: x, FIELD}",
        "tokens[0]={name: a, token: 0123456789abcdef, FIELD}",
        "certificates[0]={subject: CN=a, FIELD}",
    ] {
        let (family, fields) = record.split_once("[0]=").unwrap();
        for (field, name) in [
            ("apps: ''", "apps"),
            ("apps: ','", "apps"),
            ("apps: null", "apps"),
            ("apps: []", "apps"),
            ("apps: {}", "apps"),
            ("apps: ['']", "apps"),
            ("roles: ''", "roles"),
            ("roles: ','", "roles"),
            ("roles: []", "roles"),
            ("roles: {}", "roles"),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let yaml = format!("eurekad.security.{family}:\n  - {}\n", fields.replace("FIELD", field));
            fs::write(dir.path().join("application.yml"), yaml).unwrap();
            let mistakes = in_folder(dir.path(), &[]).outcome.unwrap_err().to_string();
            assert!(mistakes.starts_with(&format!("eurekad.security.{family}[0].{name} = ")), "{field}: {mistakes}");
            assert_eq!(mistakes.lines().count(), 1, "{mistakes}");
        }
    }
    for empty in ["subject", "san"] {
        let other = if empty == "subject" { "san=node" } else { "subject=CN=a" };
        let words = ["--eurekad.security.certificates[0].", "--eurekad.security.certificates[0]."];
        let words = [format!("{}{empty}=", words[0]), format!("{}{other}", words[1])];
        let mistakes = read(&[&words[0], &words[1]]).unwrap_err();
        assert!(mistakes.contains(&format!("[0].{empty} = ")), "{mistakes}");
    }
}

#[test]
fn a_user_of_spring_with_none_of_our_roles_is_warned_about() {
    let dir = tempfile::tempdir().unwrap();
    for (roles, warns) in [("ADMIN,USER", true), ("ADMIN,read", false), ("ROLE_READ", false)] {
        let words = ["--spring.security.user.password=x".to_owned(), format!("--spring.security.user.roles={roles}")];
        let notices = in_folder(dir.path(), &words).notices;
        let warned = notices.iter().any(|notice| notice.text.contains("may do everything"));
        assert_eq!(warned, warns, "{roles}: {notices:?}");
    }
}

#[test]
fn secrets_in_files_are_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let (password, tokens) = (dir.path().join("password"), dir.path().join("tokens"));
    fs::write(&password, "one\n").unwrap();
    fs::write(&tokens, "0123456789abcdef\nfedcba9876543210\n").unwrap();
    let words = [
        format!("--spring.security.user.password-file={}", password.display()),
        "--eurekad.security.tokens[0].name=ci".to_owned(),
        format!("--eurekad.security.tokens[0].token-file=file:{}", tokens.display()),
    ];
    let settings = in_folder(dir.path(), &words).outcome.unwrap().security;
    assert!(settings.has_files());
    assert_eq!(settings.users[0].password.content, Password::Plain(Secret::new("one")));
    assert_eq!(settings.tokens[0].tokens.content.len(), 2);
    assert_eq!(settings.with_files_read_again(), (settings.clone(), Vec::new()));
    fs::write(&password, "two").unwrap();
    let (again, _) = settings.with_files_read_again();
    assert_eq!(again.users[0].password.content, Password::Plain(Secret::new("two")));
    fs::write(&tokens, "secret").unwrap();
    let (again, mistakes) = settings.with_files_read_again();
    assert_eq!(mistakes.len(), 1);
    assert!(mistakes[0].contains("tokens: must hold") && !mistakes[0].contains("secret"), "{mistakes:?}");
    assert_eq!(again.tokens, settings.tokens, "the old ones count");
    assert_eq!(again.users[0].password.content, Password::Plain(Secret::new("two")), "the other file is not broken");
}
