//! `eurekad healthcheck`: is the local server ready? For probes of containers, which have no curl.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use zeroize::Zeroizing;

use crate::access::tls::Tls;
use crate::settings::{ManagementPort, Password, Role, SecuritySettings, ServerTls, Settings, SettingsErrors, Sources};

/// How long the server may take for each step.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks the server that these settings would start, and writes what it says. Gives the exit code: 0
/// when it is ready, 1 when it is not or does not answer, 78 when the settings are wrong.
pub fn healthcheck<E>(sources: Sources<'_, E>, out: &mut impl Write) -> io::Result<u8>
where
    E: IntoIterator<Item = (String, String)>,
{
    let settings = match Settings::load(sources) {
        Ok(loaded) => loaded.settings,
        Err(mistakes) => {
            writeln!(out, "{mistakes}")?;
            return Ok(SettingsErrors::EXIT_CODE);
        }
    };
    let (address, path, port) = question(&settings);
    let tls = match port.map(|port| Tls::to_own_port(&settings.tls, port)).transpose() {
        Ok(tls) => tls,
        Err(mistakes) => {
            writeln!(out, "{mistakes}")?;
            return Ok(SettingsErrors::EXIT_CODE);
        }
    };
    // No password goes out where none is asked for, nor to another machine: any certificate is taken here.
    let is_public = settings.management.exposes("health") && settings.security.public_health;
    let login = if is_public || !is_of_this_machine(address.ip()) { None } else { login(&settings.security) };
    let login = login.as_ref().map_or("", |login| login.as_str());
    match ask(address, &path, login, tls) {
        Ok(200) => {
            writeln!(out, "UP")?;
            Ok(0)
        }
        Ok(code @ (401 | 403)) => {
            writeln!(
                out,
                "no answer for this check: {address}{path} answers {code}; make health public \
                (eurekad.security.public-health), or give some user a plain password"
            )?;
            Ok(1)
        }
        Ok(code) => {
            writeln!(out, "not ready: {address}{path} answers {code}")?;
            Ok(1)
        }
        Err(error) => {
            writeln!(out, "no answer from {address}: {error}")?;
            Ok(1)
        }
    }
}

/// The login of somebody whose password is known, where there is one who may read.
fn login(security: &SecuritySettings) -> Option<Zeroizing<String>> {
    let (user, password) = known_login(security, Role::Read)?;
    let pair = Zeroizing::new(format!("{user}:{}", *password));
    Some(Zeroizing::new(format!("Authorization: Basic {}\r\n", BASE64_STANDARD.encode(&*pair))))
}

/// Name and password of somebody with a role whose password is known.
pub(super) fn known_login(security: &SecuritySettings, role: Role) -> Option<(String, Zeroizing<String>)> {
    let mut known = security.users.iter().filter(|user| user.permissions.roles.allow(role));
    known.find_map(|user| match &user.password.content {
        Password::Plain(password) => Some((user.name.clone(), Zeroizing::new(password.reveal().to_owned()))),
        Password::Bcrypt(_) => None,
    })
}

/// Where to ask what, and by which TLS. Without health to be seen, the status document shows that the server answers.
fn question(settings: &Settings) -> (SocketAddr, String, Option<&ServerTls>) {
    let (http, management, tls) = (&settings.http, &settings.management, &settings.tls);
    let seen = management.exposes("health");
    let probe = if management.health.probes { "/readiness" } else { "" };
    let readiness = format!("{}{}{probe}", management.base_path, management.path("health"));
    match management.port {
        ManagementPort::Own(port) if seen => {
            let address = SocketAddr::new(local(management.address.or(http.address)), port);
            (address, format!("{}{readiness}", management.server_base_path), tls.management.as_ref())
        }
        ManagementPort::Same if seen => {
            let path = format!("{}{readiness}", http.context_path);
            (SocketAddr::new(local(http.address), http.port), path, tls.server.as_ref())
        }
        ManagementPort::Own(_) | ManagementPort::Same | ManagementPort::Off => {
            let path = format!("{}/eureka/status", http.context_path);
            (SocketAddr::new(local(http.address), http.port), path, tls.server.as_ref())
        }
    }
}

/// An address to reach what listens on this one.
pub(super) fn local(listening: Option<IpAddr>) -> IpAddr {
    match listening {
        None => Ipv4Addr::LOCALHOST.into(),
        Some(IpAddr::V4(address)) if address.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        Some(IpAddr::V6(address)) if address.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        Some(address) => address,
    }
}

/// Whether what is sent there stays here: nobody can listen on another machine's address.
fn is_of_this_machine(address: IpAddr) -> bool {
    address.is_loopback() || UdpSocket::bind((address, 0)).is_ok()
}

/// The status code of the answer.
fn ask(address: SocketAddr, path: &str, login: &str, tls: Option<ClientConfig>) -> io::Result<u16> {
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    match tls {
        None => exchange(stream, address, path, login),
        Some(config) => {
            let connection = ClientConnection::new(Arc::new(config), address.ip().into()).map_err(io::Error::other)?;
            exchange(StreamOwned::new(connection, stream), address, path, login)
        }
    }
}

fn exchange(mut stream: impl Read + Write, address: SocketAddr, path: &str, login: &str) -> io::Result<u16> {
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\n{login}Connection: close\r\n\r\n")?;
    // "HTTP/1.1 200": nothing else matters.
    let mut start = [0; 12];
    stream.read_exact(&mut start)?;
    let code = std::str::from_utf8(&start).ok().and_then(|start| start.get(9..)?.parse().ok());
    code.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "this is no HTTP server"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn another_machine_gets_no_password() {
        let is_here = |address: &str| is_of_this_machine(address.parse().unwrap());
        assert!(is_here("127.0.0.1") && is_here("127.9.9.9") && is_here("::1"));
        // Set aside for documentation.
        assert!(!is_here("192.0.2.1") && !is_here("2001:db8::1"));
    }

    #[test]
    fn it_asks_where_the_server_is() {
        let asked = |words: &[&str]| {
            let settings = Settings::from_words(words).unwrap();
            let (address, path, tls) = question(&settings);
            format!("{}{address}{path}", if tls.is_some() { "https://" } else { "" })
        };
        assert_eq!(asked(&[]), "127.0.0.1:8761/actuator/health/readiness");
        assert_eq!(
            asked(&["--server.port=1", "--server.servlet.context-path=/x", "--server.address=::1"]),
            "[::1]:1/x/actuator/health/readiness"
        );
        assert_eq!(
            asked(&["--management.server.port=9", "--management.endpoints.web.base-path=/"]),
            "127.0.0.1:9/health/readiness"
        );
        let moved = [
            "--management.server.port=9",
            "--management.server.base-path=/m",
            "--management.endpoints.web.path-mapping.health=healthcheck",
            "--management.endpoint.health.probes.enabled=false",
        ];
        assert_eq!(asked(&moved), "127.0.0.1:9/m/actuator/healthcheck");
        let secured = ["--server.ssl.certificate=a", "--server.ssl.certificate-private-key=b"];
        assert_eq!(asked(&secured), "https://127.0.0.1:8761/actuator/health/readiness");
        let plain_management = [secured.as_slice(), &["--management.server.port=9"]].concat();
        assert_eq!(asked(&plain_management), "127.0.0.1:9/actuator/health/readiness");
        assert_eq!(asked(&["--management.server.port=-1"]), "127.0.0.1:8761/eureka/status");
        assert_eq!(asked(&["--management.endpoints.web.exposure.exclude=*"]), "127.0.0.1:8761/eureka/status");
    }
}
