//! What can be asked for peers, and what is made of its answer.

use std::fmt;
use std::fs;
use std::io::Read as _;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::settings::{OwnRoot, PeerName, PeerSettings, PeerUrl, TxtSettings};

use super::dns::Dns;

/// How often the file is read.
const LOOK_AT_FILE: Duration = Duration::from_secs(1);
/// A longer file is refused: this is some ten thousand URLs.
const LARGEST_FILE: u64 = 1 << 20;

/// Something that knows peers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// TXT records that list zones, and others that list the hosts of each.
    Txt { region: String, own_zone: String, own_zone_first: bool, settings: TxtSettings },
    /// A name whose addresses are peers.
    Addresses(PeerName),
    /// A name whose SRV records are.
    Services(PeerName),
    /// A list of URLs.
    File(PathBuf),
}

/// What a question depends on besides its source.
pub(super) struct Terms {
    /// Instead of the system's name servers.
    pub(super) dns_server: Option<SocketAddr>,
    /// What is not said of a peer's URL is as of this server's.
    pub(super) own: OwnRoot,
}

/// A part of an answer, that may fail alone: addresses of one kind, hosts of one zone.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) name: String,
    /// The error is for people to read and shows no credentials.
    pub(super) peers: Result<Vec<PeerUrl>, String>,
}

impl Source {
    /// All that the settings name.
    pub(super) fn all(settings: &PeerSettings) -> Vec<Self> {
        let txt = settings.txt.enabled.then(|| Self::Txt {
            region: settings.region.clone(),
            own_zone: settings.own_zones().first().copied().unwrap_or_default().to_owned(),
            own_zone_first: settings.prefer_same_zone,
            settings: settings.txt.clone(),
        });
        let dns = settings.dns.iter().cloned().map(Self::Addresses);
        let srv = settings.srv.iter().cloned().map(Self::Services);
        txt.into_iter().chain(dns).chain(srv).chain(settings.file.clone().map(Self::File)).collect()
    }

    /// How long after an answer it is asked again.
    pub(super) fn pace(&self, refresh: Duration) -> Duration {
        match self {
            Self::File(_) => LOOK_AT_FILE,
            Self::Txt { .. } | Self::Addresses(_) | Self::Services(_) => refresh,
        }
    }

    /// Asks it.
    pub(super) async fn ask(&self, terms: &Terms) -> Vec<Part> {
        if let Self::File(path) = self {
            return vec![Part { name: String::new(), peers: read(path.clone()).await }];
        }
        match Dns::new(terms.dns_server).await {
            Ok(dns) => self.look_up(&dns, &terms.own).await,
            Err(problem) => vec![Part { name: String::new(), peers: Err(problem) }],
        }
    }

    async fn look_up(&self, dns: &Dns, own: &OwnRoot) -> Vec<Part> {
        match self {
            Self::Txt { own_zone, own_zone_first, settings, .. } => {
                let zones = dns.words(&self.name()).await;
                match zones {
                    Ok(mut zones) => {
                        arrange(&mut zones, own_zone, *own_zone_first);
                        hosts(dns, zones, settings, own).await
                    }
                    Err(problem) => vec![Part { name: String::new(), peers: Err(problem) }],
                }
            }
            Self::Addresses(name) => addresses(dns, name, own).await,
            Self::Services(name) => {
                let services = dns.services(name.name()).await;
                let url = |service: super::dns::Service| name.peer(&service.host, Some(service.port), own);
                let peers = services.and_then(|services| {
                    services.into_iter().map(url).collect::<Result<_, _>>().map_err(|error| format!("a record {error}"))
                });
                vec![Part { name: String::new(), peers }]
            }
            Self::File(_) => Vec::new(),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Txt { region, settings, .. } => {
                format!("txt.{region}.{}", settings.name.as_deref().unwrap_or_default())
            }
            Self::Addresses(name) | Self::Services(name) => name.name().to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }
}

impl fmt::Display for Source {
    /// For people to read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Txt { .. } => "TXT records of",
            Self::Addresses(_) => "addresses of",
            Self::Services(_) => "SRV records of",
            Self::File(_) => "file",
        };
        write!(f, "{kind} {}", self.name())
    }
}

async fn addresses(dns: &Dns, name: &PeerName, own: &OwnRoot) -> Vec<Part> {
    let url = |address: &IpAddr| match address {
        IpAddr::V4(address) => name.peer(&address.to_string(), None, own),
        IpAddr::V6(address) => name.peer(&format!("[{address}]"), None, own),
    };
    let literal = name.name().trim_start_matches('[').trim_end_matches(']').parse();
    let found = match literal {
        Ok(address) => [Ok(vec![address]), Ok(Vec::new())],
        Err(_) => dns.addresses(name.name()).await,
    };
    let parts = ["A", "AAAA"].into_iter().zip(found).map(|(kind, found)| Part {
        name: kind.to_owned(),
        peers: found.and_then(|all| all.iter().map(url).collect::<Result<_, _>>().map_err(|error| error.to_string())),
    });
    parts.collect()
}

/// Puts the own zone, or the first that is another, in front, and those before it behind. A zone is
/// called by the first label of its name.
fn arrange(zones: &mut [String], own: &str, own_first: bool) {
    let is_own = |zone: &str| zone.split('.').next().is_some_and(|label| label.eq_ignore_ascii_case(own));
    if let Some(place) = zones.iter().position(|zone| is_own(zone) == own_first) {
        zones.rotate_left(place);
    }
}

/// The hosts of zones, as the TXT records of these list them.
async fn hosts(dns: &Dns, zones: Vec<String>, settings: &TxtSettings, own: &OwnRoot) -> Vec<Part> {
    let port = settings.port.unwrap_or(own.port);
    let path = settings.context.as_deref().map_or(own.path.clone(), |context| match context.trim().trim_matches('/') {
        "" => "/".to_owned(),
        context => format!("/{context}/"),
    });
    let mut parts = Vec::new();
    for name in zones {
        let hosts = dns.words(&format!("txt.{name}")).await;
        let url = |host: &String| format!("http://{host}:{port}{path}").parse();
        let peers = hosts.and_then(|hosts| {
            let urls: Result<_, crate::settings::PeerUrlError> = hosts.iter().map(url).collect();
            urls.map_err(|error| format!("a host of {name} {error}"))
        });
        parts.push(Part { name, peers });
    }
    parts
}

/// Reads a list of URLs.
async fn read(path: PathBuf) -> Result<Vec<PeerUrl>, String> {
    let text = tokio::task::spawn_blocking(move || read_text(&path)).await.map_err(|error| error.to_string())?;
    parse(&text.map_err(|error| error.to_string())?)
}

fn read_text(path: &Path) -> std::io::Result<String> {
    // To open a pipe would wait for its other end.
    if !fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(std::io::Error::other(format!("it has more than {LARGEST_FILE} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| std::io::Error::other("it is not UTF-8"))
}

/// URLs, each on a line or with commas between them; a `#` at the beginning of a word begins a comment.
fn parse(text: &str) -> Result<Vec<PeerUrl>, String> {
    let mut urls = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let comment = line.match_indices('#').map(|(at, _)| at).find(|at| {
            let before = line.get(..*at).unwrap_or_default();
            before.is_empty() || before.ends_with(|c: char| c.is_whitespace() || c == ',')
        });
        let line = line.get(..comment.unwrap_or(line.len())).unwrap_or_default();
        for url in line.split(',').map(str::trim).filter(|url| !url.is_empty()) {
            urls.push(url.parse().map_err(|error| format!("line {number} {error}"))?);
        }
    }
    Ok(urls)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_file_has_urls_on_lines_and_between_commas() {
        let text = "\u{20}# the nodes\n\nhttp://a:8761/eureka # one\nhttp://b/, http://c/x,\n#http://d/\n";
        let urls = parse(text).unwrap();
        assert_eq!(
            urls.iter().map(PeerUrl::as_str).collect::<Vec<_>>(),
            ["http://a:8761/eureka/", "http://b/", "http://c/x/"]
        );
        assert_eq!(parse(" # nobody\n").unwrap(), []);
        let problem = parse("http://a/\nhttp://u:p4ss#w@b/").unwrap_err();
        assert_eq!(problem, "line 2 has a blank or one of ? # \\ in it");
        assert!(parse("http://a/\nu:p4ss@b/").unwrap_err().starts_with("line 2 does not begin"));
    }

    #[tokio::test]
    async fn a_file_that_is_too_long_is_refused_and_not_cut() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("peers");
        let url = "http://a/\n";
        // Comments make it long, whichever URL they would leave out.
        let file = |length: u64| format!("{url}{}\n", "#".repeat(usize::try_from(length).unwrap() - url.len() - 1));
        fs::write(&path, file(LARGEST_FILE)).unwrap();
        assert_eq!(read(path.clone()).await.unwrap().len(), 1);
        fs::write(&path, file(LARGEST_FILE + 1)).unwrap();
        assert_eq!(read(path.clone()).await.unwrap_err(), "it has more than 1048576 bytes");
        // Where it would be cut is in the middle of a letter.
        fs::write(&path, format!("{}é", file(LARGEST_FILE - 1))).unwrap();
        assert_eq!(read(path.clone()).await.unwrap_err(), "it has more than 1048576 bytes");
        fs::write(&path, b"http://\xff/").unwrap();
        assert_eq!(read(path).await.unwrap_err(), "it is not UTF-8");
    }

    #[test]
    fn zones_are_in_order_from_the_own_one_on() {
        let arranged = |own, first| {
            let mut zones = ["a.x", "b.x", "c.x"].map(str::to_owned);
            arrange(&mut zones, own, first);
            zones.join(" ")
        };
        assert_eq!(arranged("B", true), "b.x c.x a.x");
        assert_eq!(arranged("a", true), "a.x b.x c.x");
        assert_eq!(arranged("d", true), "a.x b.x c.x");
        assert_eq!(arranged("a", false), "b.x c.x a.x");
        assert_eq!(arranged("b", false), "a.x b.x c.x");
    }
}
