//! The bytes of a document, held against the recorded ones where nothing in them is left to chance.
//!
//! A registry document with several instances comes in the order of a hash map. One with a single
//! instance, and a batch answer, have one form: key order, metadata order, indentation, escapes.

/// The first place where two documents of equal meaning differ in their bytes; `None` if nowhere,
/// or if their order is free. Times and addresses are placeholders in both already.
pub(crate) fn first_difference(want: &str, got: &str) -> Option<String> {
    if has_free_order(want) {
        return None;
    }
    let [want, got] = [want, got].map(|document| with_characters(&without_version(document)));
    let differing = want.char_indices().zip(got.chars()).find(|((_, want), got)| want != got);
    let at = differing.map_or(want.len().min(got.len()), |((at, _), _)| at);
    (want != got).then(|| format!("bytes from {at}: {:?}, was {:?}", excerpt(&got, at), excerpt(&want, at)))
}

fn has_free_order(document: &str) -> bool {
    let several = ["\"hostName\":", "<hostName>"].iter().any(|member| document.matches(member).nth(1).is_some());
    several && !document.contains("responseList")
}

/// The version counter counts reads in Java: its value says nothing.
fn without_version(document: &str) -> String {
    let mut document = document.to_owned();
    for (opening, closing) in [("\"versions__delta\":\"", '"'), ("<versions__delta>", '<')] {
        if let Some(start) = document.find(opening).map(|at| at + opening.len())
            && let Some(length) = document[start..].find(closing)
        {
            document.replace_range(start..start + length, "V");
        }
    }
    document
}

/// With the character itself for each `&#x378;` beyond Latin-1's controls. `XStream` writes so what the
/// JVM's version of Unicode has not assigned; to a reader both are the same.
fn with_characters(document: &str) -> String {
    let mut pieces = document.split("&#x");
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let reference = piece.split_once(';').and_then(|(digits, rest)| {
            let character = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            (character >= '\u{A0}').then_some((character, rest))
        });
        if let Some((character, rest)) = reference {
            whole.push(character);
            whole.push_str(rest);
        } else {
            whole.extend(["&#x", piece]);
        }
    }
    whole
}

fn excerpt(document: &str, at: usize) -> String {
    document.get(at..).unwrap_or_default().chars().take(60).collect()
}
