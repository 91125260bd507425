//! Registries of other regions that are shown here (`EurekaServerConfigBean`, `RemoteRegionRegistry`).

use std::time::Duration;

use super::names::squash;
use super::peer_url::PeerUrl;
use super::reader::Reader;
use super::value::{self, Unit};

/// Settings of remote regions. Nothing set is no regions.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionSettings {
    /// By name, each name once.
    pub regions: Vec<RemoteRegion>,
    /// `eureka.server.remote-region-app-whitelist.*`: by region, the applications that are shown, in any
    /// letter case. See [`apps_of`](Self::apps_of).
    pub apps: Vec<(String, Vec<String>)>,
    /// `eureka.server.remote-region-registry-fetch-interval`: the time between two fetches. Default 30 s,
    /// at least 1 s.
    pub interval: Duration,
    /// `eureka.server.remote-region-connect-timeout-ms`. Default 2 s, as at Netflix (Spring: 1 s): regions
    /// are far away.
    pub connect_timeout: Duration,
    /// `eureka.server.remote-region-read-timeout-ms`: how long a region may send nothing. Default 5 s, as
    /// at Netflix (Spring: 1 s, in which a large registry is not written).
    pub read_timeout: Duration,
    /// `eureka.server.remote-region-connection-idle-timeout-seconds`. Default 30 s.
    pub idle_timeout: Duration,
    /// `eureka.server.g-zip-content-from-remote-region`: whether packed answers are asked for. Default
    /// true.
    pub gzip: bool,
    /// The opposite of `eureka.server.disable-delta-for-remote-regions`: default true.
    pub delta: bool,
    /// `eurekad.regions.answer-size`: bytes of an answer of a region, unpacked. Default 128 MB.
    pub most_bytes: usize,
    /// `eurekad.regions.instances`: instances of a region. Default 100,000.
    pub most_instances: usize,
}

/// One remote region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteRegion {
    /// In lower case, as requests are read (Java finds no name that has a capital).
    pub name: String,
    /// `eureka.server.remote-region-urls-with-name.<region>`.
    pub url: PeerUrl,
}

/// Who is asked for this region answers with local instances alone; so none has this name.
pub const NO_REGION: &str = "none";

/// No server knows more regions: each costs a bit in every list of regions.
const MOST: usize = 64;

impl Default for RegionSettings {
    fn default() -> Self {
        Self {
            regions: Vec::new(),
            apps: Vec::new(),
            interval: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(2),
            read_timeout: Duration::from_secs(5),
            idle_timeout: Duration::from_secs(30),
            gzip: true,
            delta: true,
            most_bytes: 128 << 20,
            most_instances: 100_000,
        }
    }
}

impl RegionSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        let seconds = value::duration(Unit::Seconds, Duration::from_secs(1));
        let millis = value::duration(Unit::Millis, Duration::from_millis(1));
        let delta_disabled = reader.get(&["eureka.server.disable-delta-for-remote-regions"], value::boolean);
        Self {
            regions: regions(reader),
            apps: reader.members("eureka.server.remote-region-app-whitelist", value::list),
            interval: reader
                .get(&["eureka.server.remote-region-registry-fetch-interval"], &seconds)
                .unwrap_or(default.interval),
            connect_timeout: reader
                .get(&["eureka.server.remote-region-connect-timeout-ms"], &millis)
                .unwrap_or(default.connect_timeout),
            read_timeout: reader
                .get(&["eureka.server.remote-region-read-timeout-ms"], &millis)
                .unwrap_or(default.read_timeout),
            idle_timeout: reader
                .get(&["eureka.server.remote-region-connection-idle-timeout-seconds"], &seconds)
                .unwrap_or(default.idle_timeout),
            gzip: reader
                .get(&["eureka.server.g-zip-content-from-remote-region"], value::boolean)
                .unwrap_or(default.gzip),
            delta: delta_disabled.map_or(default.delta, |disabled| !disabled),
            most_bytes: reader
                .get(&["eurekad.regions.answer-size"], value::size(1..=i64::MAX))
                .unwrap_or(default.most_bytes),
            most_instances: reader
                .get(&["eurekad.regions.instances"], value::whole(1..=i64::from(i32::MAX)))
                .unwrap_or(default.most_instances),
        }
    }

    /// The applications of a region that are shown: its own list, else that of `global`. None: all.
    pub fn apps_of(&self, region: &str) -> Option<&[String]> {
        let list = |name: &str| self.apps.iter().find(|(key, _)| squash(key) == squash(name));
        list(region).or_else(|| list("global")).map(|(_, apps)| apps.as_slice())
    }
}

fn regions(reader: &mut Reader<'_>) -> Vec<RemoteRegion> {
    let mut regions: Vec<RemoteRegion> = Vec::new();
    for (key, url) in reader.members("eureka.server.remote-region-urls-with-name", url) {
        let name = key.trim().to_lowercase();
        let Some(url) = url else { continue };
        let odd = if name == NO_REGION {
            "that name stands for no region at all"
        } else if regions.iter().any(|region| region.name == name) {
            "there is one whose name differs in letter case only"
        } else if regions.len() == MOST {
            "there are too many"
        } else {
            regions.push(RemoteRegion { name, url });
            continue;
        };
        reader.warn(&format!("eureka.server.remote-region-urls-with-name.{key} is left out: {odd}"));
    }
    regions.sort_by(|a, b| a.name.cmp(&b.name));
    regions
}

/// An empty text is no region.
fn url(text: &str) -> Result<Option<PeerUrl>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let url =
        text.parse().map_err(|error| format!("the URL of a Eureka server (http://host:8761/eureka/), and it {error}"));
    url.map(Some)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::settings::Settings;

    fn read(words: &[&str]) -> RegionSettings {
        Settings::from_words(words).unwrap().regions
    }

    const URLS: &str = "--eureka.server.remote-region-urls-with-name";
    const APPS: &str = "--eureka.server.remote-region-app-whitelist";

    #[test]
    fn a_region_has_a_name_in_lower_case_and_the_apps_of_its_own_or_the_global_list() {
        let words = [
            format!("{URLS}.US-West=http://west:8761/eureka"),
            format!("{URLS}.eu=http://u:p@eu:8761/eureka/"),
            format!("{APPS}.EU=Orders, stock"),
            format!("{APPS}.global="),
        ];
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let settings = read(&words);
        let [eu, west] = &settings.regions[..] else { panic!("two regions") };
        assert_eq!((eu.name.as_str(), eu.url.user()), ("eu", Some("u")));
        assert_eq!(settings.apps_of("eu"), Some(&["Orders".to_owned(), "stock".to_owned()][..]));
        assert_eq!((west.name.as_str(), west.url.as_str()), ("us-west", "http://west:8761/eureka/"));
        assert_eq!(settings.apps_of("us-west"), Some(&[][..]), "an empty list allows nothing");
        assert_eq!(read(&words[..2]).apps_of("eu"), None);
    }

    #[test]
    fn names_that_cannot_be_told_apart_count_once() {
        let words = ["eu=http://a/", "EU=http://b/", "None=http://c/", "us="].map(|word| format!("{URLS}.{word}"));
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        assert_eq!(read(&words).regions.len(), 1);
        let no_url = Settings::from_words(&[format!("{URLS}.eu=eu:8761")]).unwrap_err();
        assert!(no_url.to_string().contains("does not begin with http:// or https://"), "{no_url}");
    }

    #[test]
    fn times_and_switches() {
        let set = read(&[
            "--eureka.server.remote-region-registry-fetch-interval=7",
            "--eureka.server.remote-region-connect-timeout-ms=8",
            "--eureka.server.remote-region-read-timeout-ms=9",
            "--eureka.server.remote-region-connection-idle-timeout-seconds=10",
            "--eureka.server.g-zip-content-from-remote-region=false",
            "--eureka.server.disable-delta-for-remote-regions=true",
            "--eurekad.regions.answer-size=3MB",
            "--eurekad.regions.instances=11",
        ]);
        let expected = RegionSettings {
            regions: Vec::new(),
            apps: Vec::new(),
            interval: Duration::from_secs(7),
            connect_timeout: Duration::from_millis(8),
            read_timeout: Duration::from_millis(9),
            idle_timeout: Duration::from_secs(10),
            gzip: false,
            delta: false,
            most_bytes: 3 << 20,
            most_instances: 11,
        };
        assert_eq!(set, expected);
        assert_eq!(read(&["--a=b"]), RegionSettings::default());
    }
}
