//! What must not be shown of a value: in errors, in the log, by `eurekad config`.

/// What stands in the place of a secret.
const MASK: &str = "******";

/// Parts of names, squashed, whose values are secret.
const SECRET: [&str; 6] = ["password", "passphrase", "secret", "token", "credential", "privatekey"];

/// Ends of names, squashed, whose values are secret.
const SECRET_END: [&str; 2] = ["apikey", "accesskey"];

/// Names, squashed, whose values are URLs with credentials.
const PEERS: [&str; 4] =
    ["eurekaclientserviceurl", "eurekaservermyurl", "eurekaserverremoteregionurls", "eurekadpeers"];

/// Names, squashed, whose URLs are secret but for where they lead: whoever knows one may send there.
const WEBHOOKS: &str = "eurekadwebhooks";

/// What is below these, squashed, may be a secret with its name mistyped.
const LOGINS: [&str; 3] = ["eurekadsecurityusers", "eurekadsecuritytokens", "springsecurityuser"];

/// What below [`LOGINS`], squashed and without places, is none.
const PLAIN: [&str; 5] = ["name", "roles", "apps", "passwordfile", "tokenfile"];

/// A value as it may be shown. The whole of it is hidden if the name tells that it is a secret, or if it is a
/// private key; otherwise the passwords in URLs are, `http://user:******@host`.
pub(super) fn masked(name: &str, value: &str) -> String {
    if value.is_empty() {
        return String::new();
    }
    if is_secret(name) || value.contains("PRIVATE KEY-----") {
        return MASK.to_owned();
    }
    let squashed = super::names::squash(name);
    if squashed.starts_with(WEBHOOKS) && (squashed.ends_with("url") || value.contains("://")) {
        return where_it_leads(value);
    }
    if PEERS.iter().any(|name| squashed.starts_with(name)) {
        // The scheme of the first may have been forgotten.
        return without_passwords(&format!("://{value}"), true).replacen("://", "", 1);
    }
    // Somebody wrote a login in one.
    match value.split_once(':') {
        Some((user, _)) if field_of_login(&squashed) == Some("name") => format!("{user}:{MASK}"),
        _ => without_passwords(value, false),
    }
}

/// Whether a name tells that its value is a secret.
pub(super) fn is_secret(name: &str) -> bool {
    let squashed = super::names::squash(name);
    // `tokens[0].roles` is none.
    let told_by = name.rsplit_once("].").map_or_else(|| squashed.clone(), |(_, field)| super::names::squash(field));
    // Its properties are shown one by one.
    squashed == "springapplicationjson"
        || SECRET.iter().any(|part| told_by.contains(part))
        || SECRET_END.iter().any(|end| told_by.ends_with(end))
        || field_of_login(&squashed).is_some_and(|field| !PLAIN.contains(&field))
}

/// Scheme, host and port of a URL. Nothing of one with a login, which may hold anything unencoded.
fn where_it_leads(url: &str) -> String {
    match url::Url::parse(url).map(|parsed| parsed.origin()) {
        Ok(origin @ url::Origin::Tuple(..)) if !url.contains('@') => {
            let origin = origin.ascii_serialization();
            if url.trim_end_matches('/').eq_ignore_ascii_case(&origin) { origin } else { format!("{origin}/{MASK}") }
        }
        _ => MASK.to_owned(),
    }
}

/// What follows the name of a login, without places.
fn field_of_login(squashed: &str) -> Option<&str> {
    let rest = LOGINS.iter().find_map(|login| squashed.strip_prefix(login))?;
    Some(rest.trim_matches(|c: char| c.is_ascii_digit() || matches!(c, '[' | ']')))
}

/// A password may hold anything unencoded, also `/`, `,` and `@`: it ends at the last `@` before the
/// next URL. Queries are shown unless they are hidden, too.
fn without_passwords(value: &str, hide_queries: bool) -> String {
    let mut pieces = value.split("://").peekable();
    let mut shown = pieces.next().unwrap_or_default().to_owned();
    while let Some(piece) = pieces.next() {
        shown.push_str("://");
        let rest = match piece.rsplit_once('@') {
            Some((credentials, rest)) => {
                if let Some((user, _)) = credentials.split_once(':') {
                    shown.push_str(user);
                    shown.push(':');
                }
                shown.push_str(MASK);
                shown.push('@');
                // What is before may be a query, and this the end of it.
                format!("{}{rest}", if hide_queries && credentials.contains('?') { "?" } else { "" })
            }
            None => piece.to_owned(),
        };
        match rest.split_once('?').filter(|_| hide_queries) {
            Some((before, query)) => {
                shown.push_str(before);
                shown.push('?');
                shown.push_str(MASK);
                // The scheme of the next one.
                if let Some((_, scheme)) = query.rsplit_once(',').filter(|_| pieces.peek().is_some()) {
                    shown.push(',');
                    shown.push_str(scheme);
                }
            }
            None => shown.push_str(&rest),
        }
    }
    shown
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
            "eurekad.security.users[1].pasword",
            "eurekad.security.users[1]",
            "eurekad.security.users.bob",
            "eurekad.security.users",
            "EUREKAD_SECURITY_USERS_1_PWD",
            "eurekad.security.tokens[0].value",
            "eurekad.security.tokens",
            "spring.security.user.passwd",
            "spring.security.user",
            "eureka.instance.metadata-map.api-key",
            "eureka.instance.metadata-map.x_api_key",
            "info.app.apikey",
            "info.app.accessKey",
        ] {
            assert_eq!(masked(name, "x"), MASK, "{name}");
            assert_eq!(masked(name, ""), "", "{name}");
        }
        assert_eq!(masked("spring.security.user.name", "admin"), "admin");
        assert_eq!(masked("eurekad.security.tokens[0].roles", "read"), "read");
        assert_eq!(masked("eurekad.security.users[0].apps[1]", "a"), "a");
        assert_eq!(masked("EUREKAD_SECURITY_USERS_12_NAME", "a"), "a");
    }

    #[test]
    fn a_webhook_shows_where_it_leads() {
        for (value, shown) in [
            ("https://hooks.test/services/hidden", "https://hooks.test/******"),
            ("https://hooks.test:8443?token=hidden", "https://hooks.test:8443/******"),
            ("http://user:hidden@hooks.test/", MASK),
            ("http://hooks.test/hidden/@user", MASK),
            ("hooks.test/hidden", MASK),
            ("data:hidden", MASK),
            ("http://hooks.test:8080", "http://hooks.test:8080"),
        ] {
            for name in ["eurekad.webhooks[0].url", "EUREKAD_WEBHOOKS_0_URL", "eurekad.webhooks.url"] {
                assert_eq!(masked(name, value), shown, "{name} {value}");
            }
        }
        assert_eq!(masked("eurekad.webhooks[0].kinds", "registered"), "registered");
    }

    #[test]
    fn a_private_key_is_hidden_whatever_its_name() {
        for kind in ["", "RSA ", "EC ", "ENCRYPTED "] {
            let key = format!("-----BEGIN {kind}PRIVATE KEY-----\nMIIE\n-----END {kind}PRIVATE KEY-----\n");
            assert_eq!(masked("server.ssl.certificate", &key), MASK);
            assert_eq!(masked("", &key), MASK);
        }
    }

    #[test]
    fn a_login_written_as_a_name_shows_the_name() {
        for name in ["spring.security.user.name", "eurekad.security.users[0].name", "eurekad.security.tokens[0].name"] {
            assert_eq!(masked(name, "admin:hidden:more"), "admin:******", "{name}");
        }
    }

    #[test]
    fn queries_of_peers_are_hidden() {
        for (value, shown) in [
            ("http://a/eureka/?token=x", "http://a/eureka/?******"),
            ("http://a/?t=x,y,http://u:p@b/?t=z", "http://a/?******,http://u:******@b/?******"),
            ("http://a:1/?t=x@y,http://b/", "http://a:******@?******,http://b/"),
        ] {
            assert_eq!(masked("eureka.client.service-url.defaultZone", value), shown, "{value}");
        }
        assert_eq!(masked("eureka.instance.home-page-url", "http://a/?b=c"), "http://a/?b=c");
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
