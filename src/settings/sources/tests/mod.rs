//! Which files are read, and in which order.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod mistakes;

use std::fs;

use super::super::findings::NoticeLevel;
use super::*;

/// What is in the files of a folder: the property `a` of each, what wins last, and what is said.
struct Found {
    values: String,
    profiles: String,
    warnings: Vec<String>,
    errors: Vec<String>,
}

/// Files by name and text, variables, words.
fn find(files: &[(&str, &str)], environment: &[(&str, &str)], words: &[&str]) -> Found {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.replace("DIR", &dir.path().display().to_string())).unwrap();
    }
    let place = dir.path().display().to_string();
    let words: Vec<String> = words.iter().map(|word| word.replace("DIR", &place)).collect();
    let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), value.replace("DIR", &place)));
    let mut findings = Findings::default();
    let gathered = Sources { dir: dir.path(), environment, words: &words }.gather(&mut findings);
    let values = gathered.sources.concat().into_iter().filter(|one| one.name == "a").map(|one| one.value);
    let (outcome, notices) = findings.conclude();
    let short = |text: String| text.replace(&format!("{place}/"), "");
    let warnings = notices.into_iter().filter(|notice| notice.level == NoticeLevel::Warning);
    Found {
        values: values.collect::<Vec<_>>().join(" "),
        profiles: gathered.profiles.join(" "),
        warnings: warnings.map(|notice| short(notice.text)).collect(),
        errors: outcome.err().iter().flat_map(|errors| errors.iter().map(|one| short(one.to_string()))).collect(),
    }
}

/// The values, when there is nothing to complain about.
fn values(files: &[(&str, &str)], environment: &[(&str, &str)], words: &[&str]) -> String {
    let Found { values, warnings, errors, .. } = find(files, environment, words);
    assert_eq!((warnings, errors), (vec![], vec![]));
    values
}

#[test]
fn folders_and_kinds_come_in_springs_order() {
    let files = [
        ("application.yaml", "a: 0"),
        ("application.yml", "a: 1"),
        ("application.properties", "a=2"),
        ("config/application.yml", "a: 3"),
        ("config/application.properties", "a=4"),
        ("config/y/application.yml", "a: 6"),
        ("config/x/application.yml", "a: 5"),
        ("config/x/application.properties", "a=7"),
        ("config/x/y/application.yml", "a: -1"),
        ("other.yml", "a: -2"),
    ];
    assert_eq!(values(&files, &[], &[]), "0 1 2 3 4 5 6 7");
}

#[test]
fn files_for_profiles_win_over_all_others() {
    let files = [
        ("application.yml", "a: 0"),
        ("application-p.yml", "a: 2"),
        ("application-q.properties", "a=4"),
        ("config/application.properties", "a=1"),
        ("config/application-p.properties", "a=3"),
        ("application-default.yml", "a: 9"),
    ];
    assert_eq!(values(&files, &[("SPRING_PROFILES_ACTIVE", "p,q")], &[]), "0 1 2 3 4");
    assert_eq!(values(&files, &[], &["-Dspring.profiles.active=q,p"]), "0 1 4 2 3");
    assert_eq!(values(&files, &[], &[]), "0 1 9");
}

#[test]
fn documents_count_when_their_condition_holds() {
    let yaml = "a: 0\n---\nspring.config.activate.on-profile: p\na: 1\n---\nspring:\n  profiles: [q, r]\na: 2\n---\n\
                spring.config.activate.on-profile: \"!p & (q | r)\"\na: 3\n---\na: 4\n";
    let properties = "a=5\n#---\nspring.config.activate.on-profile=p,r\na=6\n!---\na=7\n";
    let files = [("application.yml", yaml), ("application.properties", properties)];
    assert_eq!(values(&files, &[], &[]), "0 4 5 7");
    assert_eq!(values(&files, &[], &["--spring.profiles.active=p"]), "0 1 4 5 6 7");
    assert_eq!(values(&files, &[], &["--spring.profiles.active=q"]), "0 2 3 4 5 7");
    assert_eq!(values(&files, &[], &["--spring.profiles.active=r"]), "0 2 3 4 5 6 7");
}

#[test]
fn files_say_which_profiles_are_active() {
    let active =
        "spring:\n  profiles:\n    active: ${STAGE:dev}\n    include: [base]\n    group:\n      dev: [local]\n";
    let files = [
        ("application.yml", active),
        ("application-dev.yml", "a: 2"),
        ("application-base.yml", "a: 1"),
        ("application-local.yml", "a: 3"),
        ("application-prod.yml", "a: 4"),
    ];
    let found = find(&files, &[], &[]);
    assert_eq!((found.values.as_str(), found.profiles.as_str()), ("1 2 3", "base dev local"));
    assert_eq!(values(&files, &[("STAGE", "prod")], &[]), "1 4");
    assert_eq!(values(&files, &[("SPRING_PROFILES_ACTIVE", "prod")], &[]), "1 4");
}

#[test]
fn a_profile_that_nothing_is_for_is_warned_about() {
    let files = [("application.yml", "spring.profiles.group.docker: a,b\n---\nspring.profiles: b\n")];
    let found = find(&files, &[("SPRING_PROFILES_ACTIVE", "docker")], &[]);
    assert_eq!(found.warnings, ["the profile \"a\" is active, but no file and no document is for it"]);
}

#[test]
fn other_places_and_names_can_be_given() {
    let files = [
        ("application.yml", "a: 0"),
        ("etc/application.yml", "a: 1"),
        ("etc/application-p.yml", "a: 2"),
        ("etc/registry.yml", "a: 3"),
        ("etc/registry-p.properties", "a=4"),
        ("x/application.yml", "a: 5"),
        ("x/application-p.yml", "a: 6"),
        ("secret", "a=7"),
        ("secret-p", "a=8"),
    ];
    assert_eq!(values(&files, &[("SPRING_CONFIG_LOCATION", "etc/")], &[]), "1");
    assert_eq!(values(&files, &[("SPRING_CONFIG_LOCATION", "file:DIR/etc/")], &[]), "1");
    // A folder is one without the slash too.
    assert_eq!(values(&files, &[("SPRING_CONFIG_LOCATION", "DIR/etc")], &[]), "1");
    assert_eq!(values(&files, &[], &["-Dspring.config.additional-location=file:etc/"]), "0 1");
    assert_eq!(values(&files, &[], &["--spring.config.location=etc/registry.yml"]), "3");
    let p = ("SPRING_PROFILES_ACTIVE", "p");
    assert_eq!(values(&files, &[p], &["--spring.config.location=etc/,x/"]), "1 2 5 6");
    assert_eq!(values(&files, &[p], &["--spring.config.location=etc/;x/"]), "1 5 2 6");
    assert_eq!(
        values(&files, &[p], &["--spring.config.location=optional:etc/registry.properties,etc/registry.yml"]),
        "4 3"
    );
    assert_eq!(values(&files, &[p], &["--spring.config.location=etc/", "--spring.config.name=registry"]), "3 4");
    let both = "--spring.config.name=application,registry";
    assert_eq!(values(&files, &[("SPRING_CONFIG_LOCATION", "etc/")], &[both]), "1 3");
    assert_eq!(values(&files, &[p], &["--spring.config.location=secret[.properties]"]), "7 8");
    assert_eq!(values(&files, &[], &["--spring.config.location=*/"]), "1 5");
}

#[test]
fn what_is_imported_wins_over_what_imports_it() {
    let files = [
        ("application.yml", "spring.config.import: etc/more.yml,optional:file:none.yml\na: 0\n---\na: 3\n"),
        ("application-p.yml", "a: 4"),
        ("etc/more.yml", "a: 1\nspring.config.import: [optional:deeper.properties]\n"),
        ("etc/more-p.yml", "a: 5"),
        ("etc/deeper.properties", "a=2"),
        // These import each other.
        ("x/x.yml", "a: 6\nspring.config.import: file:./y/../y/y.yml"),
        ("y/y.yml", "a: 7\nspring.config.import: ../x/x.yml"),
    ];
    assert_eq!(values(&files, &[], &[]), "0 1 2 3");
    assert_eq!(values(&files, &[("spring.profiles.active", "p")], &[]), "0 1 2 3 4 5");
    assert_eq!(values(&files, &[("SPRING_CONFIG_IMPORT", "file:etc/deeper.properties")], &[]), "0 1 2 3 2");
    assert_eq!(values(&files, &[("SPRING_CONFIG_IMPORT", "x/x.yml")], &[]), "0 1 2 3 6 7");
}

#[test]
fn imports_of_a_document_for_a_profile_count_with_it() {
    let files = [
        ("application.yml", "a: 0\n---\nspring.config:\n  activate.on-profile: p\n  import: ${MORE}.yml\na: 1\n"),
        ("more.yml", "a: 2"),
        // What counts without a profile too wins over no more with one.
        ("old.yml", "a: 3\nspring.config.import: more.yml\n---\na: 4"),
        ("old-p.yml", "a: 5\nspring.config.import: more.yml"),
    ];
    assert_eq!(
        values(&files, &[("SPRING_PROFILES_ACTIVE", "p"), ("SPRING_CONFIG_LOCATION", "old.yml")], &[]),
        "3 2 4 5"
    );
    assert_eq!(values(&files, &[("MORE", "more")], &[]), "0");
    assert_eq!(values(&files, &[("MORE", "more"), ("SPRING_PROFILES_ACTIVE", "p")], &[]), "0 1 2");
}

#[test]
fn mounted_secrets_are_properties() {
    let files = [
        (
            "application.yml",
            "spring.config.import: optional:configtree:DIR/run/,optional:configtree:none/,configtree:m/*/\n",
        ),
        ("run/a", "1\n"),
        ("m/x/a", "2"),
        ("m/y/a", "3"),
    ];
    assert_eq!(values(&files, &[], &[]), "1 2 3");
}

#[test]
fn json_is_flattened_like_a_file() {
    let json = "{\"a\": \"\\u00fc\\/\\\"\", \"server\": {\"port\": 1, \"x\": [true, {\"y\": null}]},\t\"z\": 1.50}";
    let mut findings = Findings::default();
    let written = outside(
        vec![Written { name: "spring_application_json".to_owned(), value: json.to_owned(), origin: Origin::Word }],
        &["--odd.one=1"],
        &mut findings,
    );
    let pairs: Vec<String> = written[2].iter().map(|one| format!("{}={}", one.name, one.value)).collect();
    assert_eq!(pairs, ["a=ü/\"", "server.port=1", "server.x[0]=true", "server.x[1].y=", "z=1.5"]);
    assert_eq!(written[2][0].origin.to_string(), "JSON in spring_application_json");
    assert_eq!(findings.conclude().0, Ok(()));
}
