//! Where the server listens and what a connection may cost.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use super::reader::Reader;
use super::value::{self, Unit};

/// Settings of the HTTP server.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpSettings {
    /// `server.address`: an IP address, or `localhost`. Default none: all addresses.
    pub address: Option<IpAddr>,
    /// `server.port`: default 8761; 0 lets the system choose.
    pub port: u16,
    /// `server.servlet.context-path`: what precedes every path. Empty, or starts with `/` and does
    /// not end with one; consists of letters, digits, `.`, `_`, `~`, `-` and `/`. Default empty.
    pub context_path: String,
    /// `eurekad.http.max-connections`, else `server.tomcat.max-connections`: default 8192, at least
    /// 1; `-1` means 2147483647.
    pub max_connections: usize,
    /// `eurekad.http.max-connections-per-address`: those of one address. Default none.
    pub max_connections_per_address: Option<usize>,
    /// `eurekad.http.head-timeout`, in ms: from the first byte of a request to the end of its head.
    /// Default 10 s.
    pub head_timeout: Duration,
    /// `eurekad.http.idle-timeout`, else `server.tomcat.keep-alive-timeout`, in ms: how long a
    /// connection may be silent between requests. Default 120 s; clients heartbeat every 30 s on one.
    /// `-1` means for ever.
    pub idle_timeout: Duration,
    /// `eurekad.http.request-timeout`, in ms: from the head of a request to the end of its body.
    /// Default 30 s.
    pub request_timeout: Duration,
    /// `eurekad.limits.body-size`, in bytes: a request's body after decompression. Default 10 MB.
    pub body_limit: usize,
    /// `eurekad.limits.batch-size`, in bytes: a batch of a peer, after decompression. Default 32 MB: a Java
    /// server drops a batch that is refused, with all that is in it.
    pub batch_limit: usize,
    /// `eurekad.limits.bodies-in-flight`, in bytes: all large bodies at a time. Default 256 MB.
    pub bodies_in_flight: usize,
    /// `server.max-http-request-header-size`, before Boot 3 `server.max-http-header-size`, in bytes:
    /// the head of a request. Default 16 KB (Java: 8 KB); less than 8 KB is taken for 8 KB.
    pub head_limit: usize,
    /// `eurekad.overload.shed-after`, in ms: reads of whole lists are refused while a request waits so
    /// long before anybody looks at it. Default 500 ms; 0 means never.
    pub shed_after: Option<Duration>,
    /// `spring.lifecycle.timeout-per-shutdown-phase`, in ms: how long running requests may take at
    /// shutdown. Default 30 s; zero with `server.shutdown=immediate`.
    pub shutdown_timeout: Duration,
    /// `eurekad.http.shutdown-delay`, in ms: how long requests are still taken after the signal, while readiness says
    /// 503. Default 0; zero with `server.shutdown=immediate`.
    pub shutdown_delay: Duration,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            address: None,
            port: 8761,
            context_path: String::new(),
            max_connections: 8192,
            max_connections_per_address: None,
            head_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_mins(2),
            request_timeout: Duration::from_secs(30),
            body_limit: 10 << 20,
            batch_limit: 32 << 20,
            bodies_in_flight: 256 << 20,
            head_limit: 16 << 10,
            shed_after: Some(Duration::from_millis(500)),
            shutdown_timeout: Duration::from_secs(30),
            shutdown_delay: Duration::ZERO,
        }
    }
}

/// hyper accepts no smaller one.
const LEAST_HEAD_LIMIT: usize = 8 << 10;
/// The most that Java's integers hold.
const MOST: i64 = i32::MAX as i64;

impl HttpSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        let time = value::duration(Unit::Millis, Duration::from_millis(1));
        let immediate = reader.get(&["server.shutdown"], immediate_shutdown) == Some(true);
        let unless_immediate = |time| if immediate { Duration::ZERO } else { time };
        let any_time = value::duration(Unit::Millis, Duration::ZERO);
        let shutdown_timeout =
            reader.get(&["spring.lifecycle.timeout-per-shutdown-phase"], &any_time).unwrap_or(default.shutdown_timeout);
        let shutdown_delay = reader.get(&["eurekad.http.shutdown-delay"], &any_time).unwrap_or(default.shutdown_delay);
        Self {
            address: reader.get(&["server.address"], address),
            port: reader.get(&["server.port"], value::whole(0..=65_535)).unwrap_or(default.port),
            context_path: reader.get(&["server.servlet.context-path"], context_path).unwrap_or(default.context_path),
            max_connections: reader
                .get(&["eurekad.http.max-connections", "server.tomcat.max-connections"], |text| {
                    value::whole(1..=MOST)(if text.trim() == "-1" { "2147483647" } else { text })
                })
                .unwrap_or(default.max_connections),
            max_connections_per_address: reader
                .get(&["eurekad.http.max-connections-per-address"], value::whole(0..=MOST))
                .filter(|most| *most > 0),
            head_timeout: reader.get(&["eurekad.http.head-timeout"], &time).unwrap_or(default.head_timeout),
            idle_timeout: reader
                .get(&["eurekad.http.idle-timeout", "server.tomcat.keep-alive-timeout"], |text| {
                    if text.trim() == "-1" { Ok(value::LONGEST) } else { time(text) }
                })
                .unwrap_or(default.idle_timeout),
            request_timeout: reader.get(&["eurekad.http.request-timeout"], &time).unwrap_or(default.request_timeout),
            body_limit: reader.get(&["eurekad.limits.body-size"], value::size(1..=MOST)).unwrap_or(default.body_limit),
            batch_limit: reader
                .get(&["eurekad.limits.batch-size"], value::size(1..=MOST))
                .unwrap_or(default.batch_limit),
            bodies_in_flight: reader
                .get(&["eurekad.limits.bodies-in-flight"], value::size(1..=MOST))
                .unwrap_or(default.bodies_in_flight),
            head_limit: reader
                .get(&["server.max-http-request-header-size", "server.max-http-header-size"], value::size(1..=MOST))
                .map_or(default.head_limit, |size| size.max(LEAST_HEAD_LIMIT)),
            shed_after: reader
                .get(&["eurekad.overload.shed-after"], value::duration(Unit::Millis, Duration::ZERO))
                .map_or(default.shed_after, |time| Some(time).filter(|time| !time.is_zero())),
            shutdown_timeout: unless_immediate(shutdown_timeout),
            shutdown_delay: unless_immediate(shutdown_delay),
        }
    }
}

fn immediate_shutdown(text: &str) -> Result<bool, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "immediate" => Ok(true),
        "graceful" => Ok(false),
        _ => Err("graceful or immediate".to_owned()),
    }
}

pub(super) fn address(text: &str) -> Result<IpAddr, String> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("localhost") {
        return Ok(Ipv4Addr::LOCALHOST.into());
    }
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    bare.parse().map_err(|_| "an IP address of this machine (127.0.0.1, ::1), or absent for all".to_owned())
}

pub(super) fn context_path(text: &str) -> Result<String, String> {
    let path = text.trim().trim_matches('/');
    let plain = |segment: &str| {
        let letters = segment.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '~' | '-'));
        letters && !matches!(segment, "" | "." | "..")
    };
    match path {
        "" => Ok(String::new()),
        _ if path.split('/').all(plain) => Ok(format!("/{path}")),
        _ => Err("a path of letters, digits and ._~- (/registry)".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_path_starts_with_a_slash_and_ends_with_none() {
        for (written, meant) in [("/", ""), ("/x", "/x"), ("x", "/x"), ("/x/", "/x"), ("/a/b-1", "/a/b-1")] {
            assert_eq!(context_path(written).as_deref(), Ok(meant), "{written}");
        }
        for written in ["/a b", "/{x}", "/*", "/a//b", "/..", "/a?b", "/é"] {
            assert!(context_path(written).is_err(), "{written}");
        }
    }

    #[test]
    fn addresses_are_numbers_or_localhost() {
        assert_eq!(address("localhost"), Ok(IpAddr::from([127, 0, 0, 1])));
        assert_eq!(address("[::1]"), address("::1"));
        assert_eq!(address("0.0.0.0"), Ok(IpAddr::from([0, 0, 0, 0])));
        assert!(address("registry.example").is_err());
    }
}
