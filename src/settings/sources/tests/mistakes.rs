//! What is wrong with files and places, and what is said of it.

use super::*;

#[test]
fn missing_places_are_mistakes_with_a_remedy() {
    let files = [("application.yml", "a: 0\nspring.config.import:\n  - none.yml\n  - configtree:none/\n  - none/*/\n")];
    let found = find(&files, &[("SPRING_CONFIG_ADDITIONAL_LOCATION", "file:none/")], &[]);
    assert_eq!(
        found.errors,
        [
            "application.yml line 3: there is nothing at none.yml; if that is right, write optional:none.yml",
            "application.yml line 4: there is nothing at configtree:none/; \
             if that is right, write optional:configtree:none/",
            "application.yml line 5: there is nothing at none/*/; if that is right, write optional:none/*/",
            "environment variable SPRING_CONFIG_ADDITIONAL_LOCATION: there is nothing at file:none/; \
             if that is right, write optional:file:none/",
        ]
    );
    assert_eq!(values(&files, &[("SPRING_CONFIG_ON_NOT_FOUND", "ignore")], &[]), "0");
    let found = find(&[], &[("SPRING_CONFIG_LOCATION", "settings")], &[]);
    assert!(found.errors.concat().contains("must end in .yml, .yaml or .properties"), "{:?}", found.errors);
}

#[test]
fn what_is_not_supported_is_a_warning_with_its_line() {
    let files = [(
        "application.yml",
        "a: 0\nspring:\n  config:\n    import: \"optional:configserver:http://u:hidden@c:8888\"\n    name: x\n---\n\
         spring.config.activate.on-cloud-platform: kubernetes\na: 1\n",
    )];
    let found = find(&files, &[("SPRING_CONFIG_LOCATION", "classpath:/,./")], &[]);
    assert_eq!(found.values, "0");
    let starts = [
        "environment variable SPRING_CONFIG_LOCATION: nothing is read from classpath:/: classpath: is not supported",
        "name (application.yml line 5) has no effect in a file",
        "application.yml line 4: nothing is read from optional:configserver:http://u:******@c:8888: configserver: is not",
        "application.yml line 7: the document for the cloud platform kubernetes is left out",
    ];
    assert_eq!(found.warnings.len(), starts.len(), "{:?}", found.warnings);
    for (warning, start) in found.warnings.iter().zip(starts) {
        assert!(warning.trim_start_matches("spring.config.").starts_with(start), "{warning}");
    }
}

#[test]
fn what_depends_on_profiles_cannot_choose_them() {
    let files = [
        ("application.yml", "spring.profiles.active: p\n---\nspring:\n  profiles: p\n  profiles.include: q\na: 1\n"),
        ("application-p.properties", "a=2\nspring.profiles.active=r\nspring.config.import=more.yml"),
        ("more.yml", "a: 3\nspring.profiles.active: s\n"),
        ("application-q.yml", "a: -1"),
    ];
    let found = find(&files, &[], &[]);
    assert_eq!(found.errors.len(), 2, "{:?}", found.errors);
    assert!(found.errors[0].starts_with("application.yml line 5: spring.profiles.include cannot stand in"));
    assert!(found.errors[1].starts_with("application-p.properties line 2: spring.profiles.active cannot"));
    assert_eq!(found.warnings.len(), 1, "{:?}", found.warnings);
    assert!(found.warnings[0].starts_with("spring.profiles.active (more.yml line 2) has no effect"));
    assert_eq!(found.values, "1 2 3");
}

#[test]
fn broken_files_conditions_and_json_are_mistakes() {
    let files = [
        ("application.yml", "a: 1\nb: [\n"),
        ("application.properties", "a=1\nb=\\u12"),
        ("config/application.yml", "a: 0\n---\nspring.config.activate.on-profile: p & q | r\na: 1\n"),
        ("config/application.yaml", "spring.config.activate.on-profile: !dev\na: 0\n"),
        ("config/x/application.yml/folder", ""),
    ];
    let found = find(&files, &[("SPRING_APPLICATION_JSON", "{\"a\": ")], &[]);
    assert_eq!(found.errors.len(), 6, "{:?}", found.errors);
    assert!(found.errors[0].starts_with("JSON in SPRING_APPLICATION_JSON: "), "{:?}", found.errors);
    assert!(found.errors[1].starts_with("application.yml line "), "{:?}", found.errors);
    assert!(found.errors[2].starts_with("application.properties line 2: "), "{:?}", found.errors);
    assert!(found.errors[3].starts_with("config/application.yaml line 1: "), "{:?}", found.errors);
    assert!(found.errors[4].starts_with("config/application.yml line 3: \"p & q | r\" is no"), "{:?}", found.errors);
    assert!(found.errors[5].starts_with("config/x/application.yml: cannot be read"), "{:?}", found.errors);
}

#[test]
fn files_that_import_one_another_end() {
    let chain: Vec<(String, String)> =
        (0..100).map(|n| (format!("f{n}.yml"), format!("spring.config.import: f{}.yml\n", n + 1))).collect();
    let files: Vec<(&str, &str)> = chain.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let found = find(&files, &[("SPRING_CONFIG_IMPORT", "f0.yml")], &[]);
    assert_eq!(found.errors, ["f32.yml: too many files import one another"]);
    // Twice each: two to the power of 20 if nobody stopped it.
    let double: Vec<(String, String)> = (0..20)
        .map(|n| (format!("f{n}.yml"), format!("a: 1\nspring.config.import: f{0}.yml,f{0}.yml\n", n + 1)))
        .chain([("f20.yml".to_owned(), "a: 1".to_owned())])
        .collect();
    let files: Vec<(&str, &str)> = double.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let found = find(&files, &[("SPRING_CONFIG_IMPORT", "f0.yml")], &[]);
    assert_eq!(found.values.split(' ').count(), 1000);
}
