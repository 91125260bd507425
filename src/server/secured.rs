//! The beginning of a connection to a port with TLS.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustls::CertificateError;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::access::ClientCertificate;
use crate::access::tls::{Port, PortSide};

/// A connection after its handshake.
pub(super) struct Secured {
    pub(super) stream: TlsStream<TcpStream>,
    pub(super) certificate: Option<Arc<ClientCertificate>>,
    /// What it was taken by.
    pub(super) side: Arc<PortSide>,
    /// Whether the client chose HTTP/2.
    pub(super) is_http2: bool,
}

/// How every handshake begins (RFC 8446, 5.1).
const HANDSHAKE: u8 = 22;
/// What Tomcat answers to plain HTTP.
const TLS_IS_REQUIRED: &str = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain;charset=UTF-8\r\n\
    Content-Length: 62\r\nConnection: close\r\n\r\nBad Request\r\nThis combination of host and port requires TLS.\r\n";
/// How long, and how many bytes, are read of what came in plain, so that its sender sees the answer.
const PLAIN_REST: (Duration, u64) = (Duration::from_secs(2), 64 << 10);

/// How often it is looked whether a certificate is still good.
const LOOK_AGAIN: Duration = Duration::from_secs(10);

/// Does the handshake, within `patience`. None: the client spoke plain HTTP and was told, or left.
pub(super) async fn greet(mut socket: TcpStream, tls: &Port, patience: Duration) -> io::Result<Option<Secured>> {
    let side = tls.current();
    let greeted = tokio::time::timeout(patience, async {
        let mut first = [0];
        match socket.peek(&mut first).await? {
            0 => Ok(None),
            _ if first == [HANDSHAKE] => TlsAcceptor::from(side.config()).accept(socket).await.map(Some),
            _ => {
                refuse(&mut socket).await?;
                Ok(None)
            }
        }
    });
    let late = |_| io::Error::new(io::ErrorKind::TimedOut, "the client took too long");
    let Some(stream) = greeted.await.map_err(late)?? else { return Ok(None) };
    let (_, session) = stream.get_ref();
    let (certificate, is_http2) = (Port::client(session.peer_certificates()), session.alpn_protocol() == Some(b"h2"));
    // A session that is taken up again shows no certificate that would be looked at.
    if certificate.as_ref().is_some_and(|certificate| tls.time_left(certificate, &side).is_none()) {
        return Err(io::Error::other(rustls::Error::InvalidCertificate(CertificateError::Expired)));
    }
    Ok(Some(Secured { stream, certificate, side, is_http2 }))
}

/// Ends when the certificate of a client does, or when others are trusted; never without one.
pub(super) async fn is_over(certificate: Option<Arc<ClientCertificate>>, side: Arc<PortSide>, tls: Arc<Port>) {
    let Some(certificate) = certificate else { return std::future::pending().await };
    // The wall clock may be set, and the machine may sleep.
    while let Some(left) = tls.time_left(&certificate, &side) {
        tokio::time::sleep(left.min(LOOK_AGAIN)).await;
    }
}

async fn refuse(socket: &mut TcpStream) -> io::Result<()> {
    let (time, bytes) = PLAIN_REST;
    socket.write_all(TLS_IS_REQUIRED.as_bytes()).await?;
    socket.shutdown().await?;
    // Closed with something unread, the system would take the answer back.
    let rest = async { tokio::io::copy(&mut socket.take(bytes), &mut tokio::io::sink()).await };
    let _ = tokio::time::timeout(time, rest).await;
    Ok(())
}

/// Whether a handshake failed for the client's certificate.
pub(super) fn is_of_a_certificate(error: &io::Error) -> bool {
    let tls = error.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>());
    matches!(tls, Some(rustls::Error::NoCertificatesPresented | rustls::Error::InvalidCertificate(_)))
}
