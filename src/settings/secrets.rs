//! What must not be shown of a value: in errors, in the log, by `eurekad config`.

/// What stands in the place of a secret.
const MASK: &str = "******";

/// Parts of names, squashed, whose values are secret.
const SECRET: [&str; 6] = ["password", "passphrase", "secret", "token", "credential", "privatekey"];

/// Names, squashed, whose values are URLs with credentials.
const PEERS: [&str; 4] =
    ["eurekaclientserviceurl", "eurekaservermyurl", "eurekaserverremoteregionurls", "eurekadpeers"];

/// A value as it may be shown. The whole of it is hidden if the name tells that it is a secret;
/// otherwise the passwords in URLs are, `http://user:******@host`.
pub(super) fn masked(name: &str, value: &str) -> String {
    let squashed = super::names::squash(name);
    // `tokens[0].roles` is none.
    let told_by = name.rsplit_once("].").map_or_else(|| squashed.clone(), |(_, field)| super::names::squash(field));
    // Its properties are shown one by one.
    let secret = squashed == "springapplicationjson" || SECRET.iter().any(|part| told_by.contains(part));
    match value {
        "" => String::new(),
        _ if secret => MASK.to_owned(),
        // The scheme of the first may have been forgotten.
        value if PEERS.iter().any(|name| squashed.starts_with(name)) => {
            without_passwords(&format!("://{value}")).replacen("://", "", 1)
        }
        value => without_passwords(value),
    }
}

/// A password may hold anything unencoded, also `/`, `,` and `@`: it ends at the last `@` before the
/// next URL.
fn without_passwords(value: &str) -> String {
    let mut pieces = value.split("://");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |mut shown, piece| {
        shown.push_str("://");
        match piece.rsplit_once('@') {
            Some((credentials, rest)) => {
                if let Some((user, _)) = credentials.split_once(':') {
                    shown.push_str(user);
                    shown.push(':');
                }
                shown.push_str(MASK);
                shown.push('@');
                shown.push_str(rest);
            }
            None => shown.push_str(piece),
        }
        shown
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn secrets_are_told_by_their_names() {
        for name in [
            "spring.security.user.password",
            "SPRING_SECURITY_USER_PASSWORD",
            "eureka.client.tls.key-store-password",
            "eureka.server.aws-secret-key",
            "eureka.instance.metadata-map.apiToken",
            "spring.application.json",
            "eurekad.security.tokens[0].token",
            "eurekad.security.users[1].password",
        ] {
            assert_eq!(masked(name, "x"), MASK, "{name}");
            assert_eq!(masked(name, ""), "", "{name}");
        }
        assert_eq!(masked("spring.security.user.name", "admin"), "admin");
        assert_eq!(masked("eurekad.security.tokens[0].roles", "read"), "read");
    }

    #[test]
    fn passwords_in_urls_are_hidden() {
        for (value, shown) in [
            ("http://a:8761/eureka/", "http://a:8761/eureka/"),
            ("http://u:p@a:8761/eureka/", "http://u:******@a:8761/eureka/"),
            ("http://u:p@a/,http://v:q@b/", "http://u:******@a/,http://v:******@b/"),
            ("http://u:p/,@:w@a/", "http://u:******@a/"),
            ("http://only-a-token@a/", "http://******@a/"),
            ("u:p@a:8761/eureka/,http://v:q@b/", "u:******@a:8761/eureka/,http://v:******@b/"),
            ("http://a/,u:p@b/", "http://a/,u:******@b/"),
        ] {
            assert_eq!(masked("eureka.client.service-url.defaultZone", value), shown, "{value}");
        }
        assert_eq!(masked("eureka.instance.metadata-map.owner", "user@example.org"), "user@example.org");
    }

    proptest! {
        #[test]
        fn no_secret_of_a_login_shows(secret in "\\PC{1,20}~", place in 0_u32..20) {
            for name in [
                "spring.security.user.password".to_owned(),
                format!("SPRING_SECURITY_USER_PASSWORD_FILE_{place}"),
                format!("eurekad.security.users[{place}].password"),
                format!("EUREKAD_SECURITY_USERS_{place}_PASSWORD"),
                format!("eurekad.security.tokens[{place}].token"),
                format!("eurekad.security.tokens[{place}].token-file"),
            ] {
                prop_assert_eq!(masked(&name, &secret), MASK);
            }
        }

        #[test]
        fn no_password_shows(password in "[a-z0-9@:/,é]{1,20}~", more in "(,http://b/)?") {
            let shown = masked("x", &format!("http://user:{password}@host/{more}"));
            prop_assert!(!shown.contains('~'), "{}", shown);
        }
    }
}
