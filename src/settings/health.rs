//! What health tells, and to whom.

use std::path::PathBuf;

use super::reader::Reader;
use super::value;

/// Settings of the health endpoint (`HealthEndpointProperties`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthSettings {
    /// What whoever asks for all of it is shown.
    pub shown: Shown,
    /// `management.endpoint.health.probes.enabled`: whether there are `liveness` and `readiness`. Default true.
    pub probes: bool,
    /// `management.endpoint.health.group.*`, by name.
    pub groups: Vec<HealthGroup>,
    /// `management.health.diskspace.enabled`, else `management.health.defaults.enabled`: whether the disk is looked
    /// at. Default true.
    pub disk: bool,
    /// `management.health.diskspace.path`: default the folder that the server was started in.
    pub disk_path: PathBuf,
    /// `management.health.diskspace.threshold`: with fewer bytes free, health is DOWN. Default 10 MB.
    pub disk_threshold: usize,
}

/// What may be seen of one health, and by whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// `show-components`: the parts. Default as the details.
    pub components: Show,
    /// `show-details`: what each part says. Default never.
    pub details: Show,
    /// `roles`: who is authorized. Default whoever has logged in.
    pub roles: Vec<String>,
}

/// To whom something is shown (`Show`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// To nobody.
    #[default]
    Never,
    /// To those who have logged in, and have a role that may see it.
    WhenAuthorized,
    /// To everybody.
    Always,
}

/// Some parts of health under a name of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthGroup {
    /// Its name.
    pub name: String,
    /// `include`: names of parts; `*` is all.
    pub include: Vec<String>,
    /// `exclude`: what of those is left out.
    pub exclude: Vec<String>,
    /// What may be seen of it. Default as of all.
    pub shown: Shown,
}

impl Default for HealthSettings {
    fn default() -> Self {
        Self {
            shown: Shown::default(),
            probes: true,
            groups: Vec::new(),
            disk: true,
            disk_path: PathBuf::from("."),
            disk_threshold: 10 * 1024 * 1024,
        }
    }
}

impl HealthGroup {
    /// Whether a part belongs to it.
    pub fn has(&self, part: &str) -> bool {
        let names = |list: &[String]| list.iter().any(|name| name == "*" || name == part);
        names(&self.include) && !names(&self.exclude)
    }
}

impl HealthSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        let details = reader.get(&["management.endpoint.health.show-details"], show).unwrap_or_default();
        let shown = Shown {
            components: reader.get(&["management.endpoint.health.show-components"], show).unwrap_or(details),
            details,
            roles: reader.get(&["management.endpoint.health.roles"], value::list).unwrap_or_default(),
        };
        Self {
            groups: groups(reader, &shown),
            shown,
            probes: reader
                .get(&["management.endpoint.health.probes.enabled"], value::boolean)
                .unwrap_or(default.probes),
            disk: reader
                .get(&["management.health.diskspace.enabled", "management.health.defaults.enabled"], value::boolean)
                .unwrap_or(default.disk),
            disk_path: reader
                .get(&["management.health.diskspace.path"], value::text)
                .map_or(default.disk_path, PathBuf::from),
            disk_threshold: reader
                .get(&["management.health.diskspace.threshold"], value::size(0..=i64::MAX))
                .unwrap_or(default.disk_threshold),
        }
    }
}

/// `Show`'s names, in any spelling.
pub(super) fn show(text: &str) -> Result<Show, String> {
    match super::names::squash(text.trim()).as_str() {
        "never" => Ok(Show::Never),
        "whenauthorized" => Ok(Show::WhenAuthorized),
        "always" => Ok(Show::Always),
        _ => Err("never, when-authorized or always".to_owned()),
    }
}

/// `management.endpoint.health.group.<name>.<field>`; a list may be written with indexes.
fn groups(reader: &mut Reader<'_>, shown: &Shown) -> Vec<HealthGroup> {
    const FAMILY: &str = "management.endpoint.health.group";
    let mut groups: Vec<HealthGroup> = Vec::new();
    for (key, text) in reader.members(FAMILY, value::text) {
        let Some((name, field)) = key.split_once('.') else {
            reader.unfit(
                &format!("{FAMILY}.{key}"),
                "write the name of a group and what of it, as in .group.all.include",
            );
            continue;
        };
        let place = groups.iter().position(|group| group.name == name).unwrap_or_else(|| {
            let (name, shown) = (name.to_owned(), shown.clone());
            groups.push(HealthGroup { name, include: Vec::new(), exclude: Vec::new(), shown });
            groups.len() - 1
        });
        let Some(group) = groups.get_mut(place) else { continue };
        let field = field.split_once('[').map_or(field, |(field, _)| field);
        let more = value::list(&text).unwrap_or_default();
        let to_whom = show(&text);
        match (super::names::squash(field).as_str(), to_whom) {
            ("include", _) => group.include.extend(more),
            ("exclude", _) => group.exclude.extend(more),
            ("roles", _) => group.shown.roles = more,
            ("showdetails", Ok(to_whom)) => group.shown.details = to_whom,
            ("showcomponents", Ok(to_whom)) => group.shown.components = to_whom,
            ("showdetails" | "showcomponents", Err(expected)) => {
                reader.unfit(&format!("{FAMILY}.{key}"), &format!("must be {expected}"));
            }
            _ => reader.detail(&format!("{FAMILY}.{key} has no effect: this version does not serve it yet")),
        }
    }
    groups
}
