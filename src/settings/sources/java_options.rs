//! `-Dname=value`: system properties of Java, as arguments and in the variables that a Java machine
//! or the scripts around it read. Other options there (`-Xmx256m`) are none of our business.

use super::{Origin, Written};

/// The variables, what wins last. `None` is the command line.
const HOLDERS: [Option<&str>; 5] =
    [Some("JAVA_TOOL_OPTIONS"), Some("JDK_JAVA_OPTIONS"), Some("JAVA_OPTS"), None, Some("_JAVA_OPTIONS")];

/// Whether an argument is a system property.
pub(crate) fn is_system_property(argument: &str) -> bool {
    argument.strip_prefix("-D").is_some_and(|rest| !rest.is_empty() && !rest.starts_with('='))
}

/// All system properties, what wins last.
pub(super) fn read<S: AsRef<str>>(variables: &[Written], arguments: &[S]) -> Vec<Written> {
    let mut written = Vec::new();
    for holder in HOLDERS {
        let options = match holder {
            Some(holder) => {
                let options = variables.iter().filter(|variable| variable.name == holder);
                options.flat_map(|variable| split(&variable.value)).collect()
            }
            None => arguments.iter().map(|argument| argument.as_ref().to_owned()).collect::<Vec<_>>(),
        };
        let properties = options.iter().filter(|option| is_system_property(option));
        written.extend(properties.filter_map(|option| option.strip_prefix("-D")).map(|option| {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            let origin = Origin::SystemProperty { variable: holder.map(str::to_owned) };
            Written { name: name.to_owned(), value: value.to_owned(), origin }
        }));
    }
    written
}

/// Parts at blanks outside of quotes, and drops the quotes. A backslash is a backslash, as in
/// `JAVA_TOOL_OPTIONS`.
fn split(options: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part: Option<String> = None;
    let mut quote = None;
    for c in options.chars() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                part.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => parts.extend(part.take()),
            (c, _) => part.get_or_insert_default().push(c),
        }
    }
    parts.extend(part);
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn variable(name: &str, value: &str) -> Written {
        let origin = Origin::Environment { variable: name.to_owned() };
        Written { name: name.to_owned(), value: value.to_owned(), origin }
    }

    #[test]
    fn quotes_hold_blanks_together() {
        for (options, parts) in [
            ("-Xmx256m  -Da=b\t-Dc=d\n", vec!["-Xmx256m", "-Da=b", "-Dc=d"]),
            (r#"-Da="b c" '-Dd=e f' -Dg='h"i'j"#, vec!["-Da=b c", "-Dd=e f", "-Dg=h\"ij"]),
            (r"-Da=b\ c", vec!["-Da=b\\", "c"]),
            ("-Da=''", vec!["-Da="]),
            ("-Da='b c", vec!["-Da=b c"]),
            ("''", vec![""]),
            ("  ", vec![]),
        ] {
            assert_eq!(split(options), parts, "{options}");
        }
    }

    #[test]
    fn the_command_line_wins_over_all_variables_but_one() {
        let variables = [
            variable("JAVA_OPTS", "-Xms1g -Dserver.port=2 -Da -D=x -D"),
            variable("JAVA_TOOL_OPTIONS", "-javaagent:/x.jar -Dserver.port=1"),
            variable("_JAVA_OPTIONS", "-Dserver.port=4"),
            variable("OTHER", "-Dserver.port=9"),
        ];
        let written: Vec<String> = read(&variables, &["--server.port=8", "-Dserver.port=3"])
            .iter()
            .map(|one| format!("{}={} ({})", one.name, one.value, one.origin))
            .collect();
        assert_eq!(
            written,
            [
                "server.port=1 (-D in JAVA_TOOL_OPTIONS)",
                "server.port=2 (-D in JAVA_OPTS)",
                "a= (-D in JAVA_OPTS)",
                "server.port=3 (argument -D)",
                "server.port=4 (-D in _JAVA_OPTIONS)",
            ]
        );
    }

    proptest! {
        #[test]
        fn blanks_part_what_has_no_quotes(parts in prop::collection::vec("[^\\s'\"]+", 0..5)) {
            prop_assert_eq!(split(&parts.join(" ")), parts);
        }
    }
}
