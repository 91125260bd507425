//! `eurekad check`: is there anything wrong with the settings, and what becomes of them?

use std::fmt::Display;
use std::io::{self, Write};

use super::printable;
use crate::access::tls::Tls;
use crate::settings::{Examined, Notice, NoticeLevel, Settings, SettingsErrors, Sources};

/// Writes every mistake, every warning and every property without effect, each with its place and
/// what to do about it. Gives the exit code: 0, or 78 when the server would not start.
pub fn check<E>(sources: Sources<'_, E>, out: &mut impl Write) -> io::Result<u8>
where
    E: IntoIterator<Item = (String, String)>,
{
    let Examined { outcome, mut notices, files, profiles, .. } = Settings::examine(sources);
    let outcome = outcome.and_then(|settings| Tls::load(&settings.tls)).map(|(_, odd)| notices.extend(odd));
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    writeln!(out, "Files, the last wins: {}", listed(&files))?;
    writeln!(out, "Active profiles: {}", listed(&profiles))?;
    let mistakes = outcome.as_ref().err().map(|errors| errors.iter().collect::<Vec<_>>()).unwrap_or_default();
    let of = |level| notices.iter().filter(move |notice: &&Notice| notice.level == level).collect::<Vec<_>>();
    let (warnings, details) = (of(NoticeLevel::Warning), of(NoticeLevel::Detail));
    section(out, "Mistakes, with which the server does not start", &mistakes)?;
    section(out, "Warnings", &warnings)?;
    section(out, "For information", &details)?;
    writeln!(out)?;
    match (mistakes.len(), warnings.len()) {
        (0, 0) => writeln!(out, "The settings are right.")?,
        (0, warnings) => writeln!(out, "The server starts with these settings; warnings: {warnings}.")?,
        (mistakes, warnings) => writeln!(out, "Mistakes: {mistakes}, warnings: {warnings}.")?,
    }
    Ok(if mistakes.is_empty() { 0 } else { SettingsErrors::EXIT_CODE })
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { printable(&names.join(", ")) }
}

fn section(out: &mut impl Write, title: &str, lines: &[&impl Display]) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}:")?;
    lines.iter().try_for_each(|line| writeln!(out, "  {}", printable(&line.to_string())))
}
