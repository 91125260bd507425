use super::*;

fn word(name: &str, value: &str) -> Written {
    Written { name: name.to_owned(), value: value.to_owned(), origin: Origin::Word }
}

/// The known properties with their values, each line a source.
fn won(sources: &[&[(&str, &str)]]) -> Vec<(String, String)> {
    let one = |(name, value): &(&str, &str)| word(name, value);
    let sources: Vec<Vec<Written>> = sources.iter().map(|source| source.iter().map(one).collect()).collect();
    let winners = Winners::among(&sources);
    let known = winners.known().map(|(name, won)| (name.to_owned(), won.filled.unwrap_or_default().text));
    known.collect()
}

fn value(sources: &[&[(&str, &str)]], name: &str) -> Option<String> {
    won(sources).into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

#[test]
fn the_last_spelling_of_a_property_wins() {
    let written = won(&[&[("server.port", "1"), ("SERVER_PORT", "2")], &[("server.PORT", "3")]]);
    assert_eq!(written, [("server.port".to_owned(), "3".to_owned())]);
}

#[test]
fn keys_of_maps_keep_their_case_where_somebody_wrote_it() {
    let written = won(&[
        &[("eureka.instance.metadataMap.rackId", "a"), ("eureka.instance.metadata-map.rack-name", "b")],
        &[("EUREKA_INSTANCE_METADATA_MAP_RACKID", "c"), ("EUREKA_INSTANCE_METADATAMAP_MY_ZONE", "d")],
        &[("eureka.instance.metadataMap.hostGroup", "e")],
    ]);
    let members: Vec<(&str, &str)> = written
        .iter()
        .map(|(name, value)| (name.strip_prefix("eureka.instance.metadata-map.").unwrap_or(name), value.as_str()))
        .collect();
    assert_eq!(members, [("hostGroup", "e"), ("my.zone", "d"), ("rack-name", "b"), ("rackId", "c")]);
}

#[test]
fn placeholders_find_every_source() {
    let host = "eureka.instance.hostname";
    let hostname = |text, others: &[(&str, &str)]| value(&[&[(host, text)], others], host).unwrap_or_default();
    assert_eq!(hostname("${MY_POD_NAME}.${my.domain:eureka}", &[("MY_POD_NAME", "eureka-0")]), "eureka-0.eureka");
    assert_eq!(hostname("${my.pod-name}", &[("MY_PODNAME", "p")]), "p");
    assert_eq!(hostname("${spring.application.name}", &[("SPRING_APPLICATION_NAME", "registry")]), "registry");
    // Of two variables that differ by an underscore only, the one that is named.
    assert_eq!(hostname("${MY_POD}", &[("MYPOD", "a"), ("MY_POD", "b"), ("MYP_OD", "c")]), "b");
    assert_eq!(hostname("${zone.hosts[1]}", &[("zone.hosts[0]", "a"), ("zone.hosts[1]", "b")]), "b");
    assert_eq!(hostname("${spring.profiles.active[0]}", &[("spring.profiles.active[0]", "a")]), "a");
}

#[test]
fn zones_are_one_in_every_spelling() {
    let zones = "eureka.client.service-url.defaultZone";
    for name in [
        "EUREKA_CLIENT_SERVICEURL_DEFAULTZONE",
        "EUREKA_CLIENT_SERVICE_URL_DEFAULTZONE",
        "EUREKA_CLIENT_SERVICEURL_defaultZone",
        "eureka_client_serviceUrl_defaultZone",
        "eureka.client.serviceUrl.defaultZone",
        "eureka.client.service-url.default-zone",
        "eureka.client.service-url[DEFAULTZONE]",
        "eureka.client.service-url.defaultZone[0]",
    ] {
        let file: &[_] = &[("eureka.client.serviceUrl.DefaultZone", "http://b/")];
        assert_eq!(value(&[&[(name, "http://a/")]], zones).as_deref(), Some("http://a/"), "{name} alone");
        assert_eq!(value(&[file, &[(name, "http://a/")]], zones).as_deref(), Some("http://a/"), "{name} in front");
    }
    let written = won(&[
        &[("eureka.client.availability-zones.us-East-1", "a"), ("eureka.client.availabilityZones.EU", "d")],
        &[("EUREKA_CLIENT_AVAILABILITY_ZONES_US_EAST_1", "b,c"), ("eureka.client.availabilityZones.eu", "e")],
    ]);
    let expected =
        [("eureka.client.availability-zones.EU", "e"), ("eureka.client.availability-zones.us-East-1", "b,c")];
    assert_eq!(written, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[test]
fn records_have_their_fields_in_every_spelling() {
    let written = won(&[
        &[
            ("eurekad.security.users[0].name", "a"),
            ("eurekad.security.users[0].roles[1]", "peer"),
            ("eurekad.security.users[0].roles[0]", "read"),
            ("eurekad.security.users[0].passwordFile", "x"),
        ],
        &[("EUREKAD_SECURITY_USERS_0_PASSWORD_FILE", "y"), ("eurekad.security.users.1.odd", "z")],
    ]);
    let fields: Vec<(&str, &str)> = written
        .iter()
        .map(|(name, value)| (name.strip_prefix("eurekad.security.users").unwrap_or(name), value.as_str()))
        .collect();
    assert_eq!(fields, [("[0].name", "a"), ("[0].password-file", "y"), ("[0].roles", "read,peer"), ("[1].odd", "z")]);
}

#[test]
fn a_list_comes_whole_from_the_last_source() {
    let name = "eureka.server.rate-limiter-privileged-clients";
    let list = |sources: &[&[(&str, &str)]]| value(sources, name).unwrap_or_default();
    let file: &[_] = &[
        ("eureka.server.rateLimiterPrivilegedClients[1]", "${b:x}"),
        ("eureka.server.rateLimiterPrivilegedClients[0]", "a"),
    ];
    assert_eq!(list(&[file]), "a,x");
    assert_eq!(list(&[file, &[(name, "c,d")]]), "c,d");
    assert_eq!(list(&[file, &[("EUREKA_SERVER_RATE_LIMITER_PRIVILEGED_CLIENTS_0", "e")]]), "e");
    assert_eq!(list(&[&[(name, "c,d")], file]), "a,x");
}
