//! Conditions on profiles: `prod & (eu | us) & !test` (`ProfilesParser`).

/// More than anybody means; bounds the stack.
const DEEPEST: usize = 32;

const NO_OPERATOR: &str = "& or | is missing between two profiles";

/// Whether a condition holds, when `accepted` tells of each profile whether it is active. The error
/// says what to write instead.
pub(super) fn holds(condition: &str, accepted: &mut impl FnMut(&str) -> bool) -> Result<bool, &'static str> {
    let mut parser = Parser { rest: condition.trim(), accepted };
    let holds = parser.expression(0)?;
    match parser.rest.chars().next() {
        None => Ok(holds),
        Some(')') => Err("a ) too many"),
        Some(_) => Err(NO_OPERATOR),
    }
}

struct Parser<'a, F> {
    rest: &'a str,
    accepted: &'a mut F,
}

impl<F: FnMut(&str) -> bool> Parser<'_, F> {
    fn expression(&mut self, depth: usize) -> Result<bool, &'static str> {
        let mut holds = self.operand(depth)?;
        let mut operator = None;
        while let Some(next) = self.rest.chars().next().filter(|next| matches!(next, '&' | '|')) {
            if operator.is_some_and(|operator| operator != next) {
                return Err("put ( ) around & or | where both occur");
            }
            operator = Some(next);
            self.skip();
            let right = self.operand(depth)?;
            holds = if next == '&' { holds && right } else { holds || right };
        }
        Ok(holds)
    }

    fn operand(&mut self, depth: usize) -> Result<bool, &'static str> {
        if depth > DEEPEST {
            return Err("too many ( ) or ! within one another");
        }
        match self.rest.chars().next() {
            Some('!') => {
                self.skip();
                Ok(!self.operand(depth + 1)?)
            }
            Some('(') => {
                self.skip();
                let holds = self.expression(depth + 1)?;
                if !self.rest.starts_with(')') {
                    return Err("a ) is missing");
                }
                self.skip();
                Ok(holds)
            }
            _ => {
                let end = self.rest.find(['!', '(', ')', '&', '|']).unwrap_or(self.rest.len());
                let (name, rest) = self.rest.split_at_checked(end).unwrap_or_default();
                self.rest = rest;
                match name.trim() {
                    "" => Err("the name of a profile is missing"),
                    _ if rest.starts_with(['!', '(']) => Err(NO_OPERATOR),
                    name => Ok((self.accepted)(name)),
                }
            }
        }
    }

    /// Goes on behind one character and the blanks that follow.
    fn skip(&mut self) {
        let mut characters = self.rest.chars();
        characters.next();
        self.rest = characters.as_str().trim_start();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn holds(condition: &str) -> Result<bool, &'static str> {
        super::holds(condition, &mut |profile| ["prod", "eu-west"].contains(&profile))
    }

    #[test]
    fn conditions_hold_as_in_spring() {
        for (condition, expected) in [
            ("prod", true),
            ("dev", false),
            ("!dev", true),
            ("!!prod", true),
            (" prod & eu-west ", true),
            ("prod&dev", false),
            ("dev | prod", true),
            ("dev|test", false),
            ("!prod & eu-west", false),
            ("(dev | prod) & !test", true),
            ("!(dev | prod)", false),
            ("prod & ( dev | ( test | eu-west ) )", true),
        ] {
            assert_eq!(holds(condition), Ok(expected), "{condition}");
        }
    }

    #[test]
    fn what_is_no_condition_is_told_why() {
        for (condition, problem) in [
            ("", "the name of a profile is missing"),
            ("prod &", "the name of a profile is missing"),
            ("!", "the name of a profile is missing"),
            ("(prod", "a ) is missing"),
            ("prod)", "a ) too many"),
            ("a & b | c", "put ( ) around & or | where both occur"),
            ("a (b)", NO_OPERATOR),
            ("(a) b", NO_OPERATOR),
        ] {
            assert_eq!(holds(condition), Err(problem), "{condition}");
        }
        assert!(holds(&"(".repeat(100_000)).is_err());
        assert!(holds(&"!".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn no_condition_panics(condition in "[a-cé!()&| ]*") {
            let _ = holds(&condition);
        }
    }
}
