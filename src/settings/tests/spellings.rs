//! Every spelling, from every source, means the one property.

use proptest::prelude::*;

use super::super::names::spell;
use super::super::secrets::masked;
use super::*;

/// The ways in which a property can be given.
#[derive(Clone, Copy, Debug)]
enum Way {
    Variable,
    SystemProperty,
    JavaOptions,
    Json,
    Yaml,
    Properties,
    Tree,
    Word,
}

const WAYS: [Way; 8] =
    [Way::Variable, Way::SystemProperty, Way::JavaOptions, Way::Json, Way::Yaml, Way::Properties, Way::Tree, Way::Word];

/// What holds when one property is written in one way.
fn examine(way: Way, name: &str, value: &str) -> Examined {
    let dir = tempfile::tempdir().unwrap();
    let file = |file: &str, text: String| fs::write(dir.path().join(file), text).unwrap();
    let (mut environment, mut words) = (Vec::new(), Vec::new());
    let mut variable = |name: &str, value: String| environment.push((name.to_owned(), value));
    match way {
        Way::Variable => variable(name, value.to_owned()),
        Way::SystemProperty => words.push(format!("-D{name}={value}")),
        Way::JavaOptions => variable("JAVA_TOOL_OPTIONS", format!("-Xmx64m '-D{name}={value}'")),
        Way::Json => variable("SPRING_APPLICATION_JSON", format!("{{\"{name}\": \"{value}\"}}")),
        Way::Yaml => file("application.yml", format!("'{name}': '{value}'\n")),
        Way::Properties => file("application.properties", format!("{name}={value}\n")),
        Way::Tree => {
            fs::create_dir(dir.path().join("secrets")).unwrap();
            file(&format!("secrets/{name}"), format!("{value}\n"));
            words.push("--spring.config.import=configtree:secrets/".to_owned());
        }
        Way::Word => words.push(format!("--{name}={value}")),
    }
    Settings::examine(Sources { dir: dir.path(), environment, words: &words })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn of_each_source_mean_the_one_property(
        pick in any::<prop::sample::Index>(),
        way in prop::sample::select(WAYS.to_vec()),
        choices in prop::collection::vec(any::<u8>(), 1..40),
    ) {
        let known = works().filter(|known| known.shape == Shape::One);
        let known: Vec<Known> = known.filter(|known| super::super::secrets::masked(known.name, "77") == "77").collect();
        let known = pick.get(&known);
        // A value that is none of the defaults; whether it is right does not matter.
        let Examined { effective, .. } = examine(way, &spell(known.name, &choices, matches!(way, Way::Variable)), "77");
        let written: Vec<&Effective> = effective
            .iter()
            .filter(|one| one.origin.is_some() && one.name != "spring.config.import" && one.name != "spring.application.json")
            .collect();
        prop_assert_eq!(written.len(), 1, "{:?}", written);
        prop_assert_eq!(&written[0].name, known.name);
        prop_assert_eq!(&written[0].value, &masked(known.name, "77"));
    }
}
