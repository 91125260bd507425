//! `${name}` and `${name:default}` in values (`PropertyPlaceholderHelper`).
//!
//! They may lie within one another, in the name and in the default; `\${` is a plain `${`. A name
//! that leads nowhere stays as it is written, as in Java. Cycles, and texts that only grow, are
//! mistakes.

/// What a name leads to.
pub(super) struct Found<'a> {
    /// The value, which may hold placeholders itself.
    pub text: &'a str,
    /// Which value it is, to know it again.
    pub id: usize,
    /// Whether it was written with exactly this name.
    pub exact: bool,
}

/// A value with its placeholders put in.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Filled {
    pub text: String,
    /// Names that lead nowhere and have no default.
    pub missing: Vec<String>,
    /// The values that took part.
    pub used: Vec<usize>,
}

/// Fills in the value `text`, which is number `id` of those that `lookup` knows.
pub(super) fn fill<'a>(
    text: &str,
    id: usize,
    lookup: impl Fn(&str) -> Option<Found<'a>>,
) -> Result<Filled, &'static str> {
    let mut filler = Filler { lookup, open: vec![id], filled: Filled::default() };
    let text = filler.text(text, 0)?;
    Ok(Filled { text, ..filler.filled })
}

/// More than anybody means; bounds the stack.
const DEEPEST: usize = 32;
/// Bytes; more than anybody means. Keeps values that double one another from filling the memory.
const LONGEST: usize = 64 * 1024;

struct Filler<L> {
    lookup: L,
    /// The values being filled in, to see a cycle.
    open: Vec<usize>,
    filled: Filled,
}

impl<'a, L: Fn(&str) -> Option<Found<'a>>> Filler<L> {
    fn text(&mut self, text: &str, depth: usize) -> Result<String, &'static str> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            if let Some(before) = before.strip_suffix('\\') {
                out.push_str(before);
                out.push_str("${");
                rest = after;
                continue;
            }
            let Some((inner, behind)) = closing(after) else { break };
            out.push_str(before);
            out.push_str(&self.placeholder(inner, depth + 1)?);
            if out.len() > LONGEST {
                return Err("its placeholders make it longer than 64 KB");
            }
            rest = behind;
        }
        out.push_str(rest);
        Ok(out)
    }

    fn placeholder(&mut self, inner: &str, depth: usize) -> Result<String, &'static str> {
        if depth > DEEPEST {
            return Err("its placeholders lie too deep within one another");
        }
        let (name, default) = split_default(inner);
        let name = self.text(name, depth)?;
        if let Some(found) = (self.lookup)(&name) {
            if !self.open.contains(&found.id) {
                self.filled.used.push(found.id);
                self.open.push(found.id);
                let text = self.text(found.text, depth);
                self.open.pop();
                return text;
            }
            // `server.port: ${SERVER_PORT:8761}` finds itself when there is no such variable.
            if found.exact {
                return Err("its placeholders lead back to itself");
            }
        }
        if let Some(default) = default {
            return self.text(default, depth);
        }
        let placeholder = format!("${{{name}}}");
        self.filled.missing.push(name);
        Ok(placeholder)
    }
}

/// Parts at the brace that closes a placeholder; the braces within it come in pairs.
fn closing(text: &str) -> Option<(&str, &str)> {
    let mut open = 0_usize;
    let end = text.find(|c| {
        match c {
            '{' => open += 1,
            '}' if open == 0 => return true,
            '}' => open -= 1,
            _ => {}
        }
        false
    })?;
    let (inner, rest) = text.split_at_checked(end)?;
    Some((inner, rest.strip_prefix('}')?))
}

/// Parts at the first colon that is in no placeholder within.
fn split_default(inner: &str) -> (&str, Option<&str>) {
    let mut open = 0_usize;
    let colon = inner.find(|c| {
        match c {
            '{' => open += 1,
            '}' => open = open.saturating_sub(1),
            _ => {}
        }
        c == ':' && open == 0
    });
    let parts = colon.and_then(|at| inner.split_at_checked(at));
    parts.map_or((inner, None), |(name, rest)| (name, rest.strip_prefix(':')))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use proptest::prelude::*;

    use super::*;

    const VALUES: [(&str, &str); 8] = [
        ("host", "eureka-0"),
        ("zone", "z${n}"),
        ("n", "1"),
        ("z1.url", "http://${host}:8761"),
        ("loop.a", "${loop.b}"),
        ("loop.b", "x${loop.a}"),
        ("double", "${double2}${double2}"),
        ("double2", "0123456789"),
    ];

    fn filled(text: &str) -> Result<Filled, &'static str> {
        fill(text, usize::MAX, |name| {
            let id = VALUES.iter().position(|(known, _)| *known == name)?;
            Some(Found { text: VALUES[id].1, id, exact: true })
        })
    }

    fn text_of(text: &str) -> String {
        filled(text).unwrap().text
    }

    #[test]
    fn values_and_defaults_are_put_in() {
        assert_eq!(text_of("${host}.eureka"), "eureka-0.eureka");
        assert_eq!(text_of("${HOST:localhost}:${port:8761}"), "localhost:8761");
        assert_eq!(text_of("${a:${b:${host}}}"), "eureka-0");
        assert_eq!(text_of("${${zone}.url}/eureka"), "http://eureka-0:8761/eureka");
        assert_eq!(text_of("${a:http://x:1/}"), "http://x:1/");
        assert_eq!(text_of("${a:}"), "");
        assert_eq!(text_of(r"\${host}"), "${host}");
        assert_eq!(text_of("${host"), "${host");
        assert_eq!(text_of("$host {n} }"), "$host {n} }");
    }

    #[test]
    fn what_leads_nowhere_stays_and_is_named() {
        let filled = filled("${vcap.application.uris[0]}-${host}").unwrap();
        assert_eq!(filled.text, "${vcap.application.uris[0]}-eureka-0");
        assert_eq!(filled.missing, ["vcap.application.uris[0]"]);
        assert_eq!(filled.used, [0]);
    }

    #[test]
    fn cycles_and_growth_are_mistakes() {
        assert_eq!(filled("${loop.a}"), Err("its placeholders lead back to itself"));
        let nested = format!("{}x{}", "${".repeat(100_000), "}".repeat(100_000));
        assert_eq!(filled(&nested), Err("its placeholders lie too deep within one another"));
        assert_eq!(filled(&"${double}".repeat(10_000)), Err("its placeholders make it longer than 64 KB"));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in r"[$\\{}:anhost]*") {
            let _ = filled(&text);
        }
    }
}
