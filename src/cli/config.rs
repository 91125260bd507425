//! `eurekad config`: which settings hold, and where they come from.

use std::io::{self, Write};
use std::path::Path;

use super::printable;
use crate::codec::json::{Members, Supplementary, object, string};
use crate::settings::{Effect, Effective, Examined, Origin, Settings, SettingsErrors, Sources};

/// Writes one line for each property that is set or has a default, as one would write it in
/// `application.properties`, with its origin; or one JSON object. Secrets are masked. Gives the exit
/// code: 0, or 78 when there are mistakes, which are then told too.
pub fn config<E>(sources: Sources<'_, E>, json: bool, out: &mut impl Write) -> io::Result<u8>
where
    E: IntoIterator<Item = (String, String)>,
{
    let examined = Settings::examine(sources);
    if json {
        out.write_all(&document(&examined))?;
    } else {
        for effective in &examined.effective {
            line(out, effective)?;
        }
        for mistake in examined.outcome.as_ref().err().into_iter().flat_map(SettingsErrors::iter) {
            writeln!(out, "# MISTAKE: {}", printable(&mistake.to_string()))?;
        }
    }
    Ok(if examined.outcome.is_ok() { 0 } else { SettingsErrors::EXIT_CODE })
}

fn line(out: &mut impl Write, Effective { name, value, origin, effect }: &Effective) -> io::Result<()> {
    /// Where the origins begin, if the properties are no longer.
    const COLUMN: usize = 72;
    let property = printable(&format!("{name}={value}"));
    let origin = origin.as_ref().map_or("default".to_owned(), |origin| printable(&origin.to_string()));
    write!(out, "{property:COLUMN$}  # {origin}")?;
    match effect {
        Effect::Works | Effect::WorksAtOnce => writeln!(out),
        Effect::None(reason) => writeln!(out, "; no effect: {reason}"),
    }
}

/// `{"files":[],"profiles":[],"properties":[{"name":"","value":"","origin":"","effect":true}],"mistakes":[]}`;
/// a property may have `file` and `line`, or a `reason` for having no effect.
fn document(examined: &Examined) -> Vec<u8> {
    let text = |out: &mut Vec<u8>, text: String| string(out, &text, Supplementary::Raw);
    let mut out = Vec::new();
    object(&mut out, Supplementary::Raw, |members| {
        members.list("files", examined.files.iter().map(|file| file.display().to_string()), text);
        members.list("profiles", examined.profiles.iter().cloned(), text);
        members.list("properties", &examined.effective, |out, effective| {
            object(out, Supplementary::Raw, |members| property(members, effective));
        });
        let mistakes = examined.outcome.as_ref().err().into_iter().flat_map(SettingsErrors::iter);
        members.list("mistakes", mistakes.map(ToString::to_string), text);
    });
    out.push(b'\n');
    out
}

fn property(members: &mut Members<'_>, Effective { name, value, origin, effect }: &Effective) {
    members.text("name", name);
    members.text("value", value);
    members.text("origin", &origin.as_ref().map_or("default".to_owned(), ToString::to_string));
    if let Some(Origin::File { path, line }) = origin {
        let path: &Path = path;
        members.text("file", &path.display().to_string());
        if let Some(line) = line.and_then(|line| i64::try_from(line).ok()) {
            members.number("line", line);
        }
    }
    match effect {
        Effect::Works | Effect::WorksAtOnce => members.value("effect").extend_from_slice(b"true"),
        Effect::None(reason) => {
            members.value("effect").extend_from_slice(b"false");
            members.text("reason", reason);
        }
    }
}
