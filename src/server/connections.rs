//! Accepting connections.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use axum::Router;
use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::access::tls::Port;
use crate::access::{Limit, OverLimit};
use crate::http::Traffic;

use super::complaint::Complaint;
use super::exchange::Leftovers;
use super::per_address::PerAddress;
use super::timed_io::Patience;

/// What a listener's connections share.
#[derive(Clone)]
pub(super) struct Connections {
    /// Asked first, as nearly all requests are for it; none where all go through the router.
    pub(super) api: Option<crate::http::Service>,
    /// Answers everything.
    pub(super) router: Router,
    /// None: plain HTTP.
    pub(super) tls: Option<Arc<Port>>,
    /// When a certificate was last told to be refused; held for that look.
    pub(super) refused: Arc<Mutex<Complaint>>,
    pub(super) patience: Patience,
    /// Bytes of a request's head.
    pub(super) head_limit: usize,
    pub(super) leftovers: Arc<Leftovers>,
    /// One permit a connection; where there is none left, new ones wait in the listener's backlog.
    pub(super) permits: Arc<Semaphore>,
    /// How many each address has.
    pub(super) per_address: PerAddress,
    /// What limits refused.
    pub(super) over_limit: Arc<OverLimit>,
    /// What comes in.
    pub(super) traffic: Arc<Traffic>,
    pub(super) tasks: TaskTracker,
    /// Whether each answer ends its connection, since clients are to go elsewhere.
    pub(super) answers_are_last: Arc<AtomicBool>,
    /// Cancelled when no more requests are to be taken.
    pub(super) draining: CancellationToken,
    /// Cancelled when the time for the running ones is over.
    pub(super) killed: CancellationToken,
}

/// Wait after a failed accept: out of descriptors, as a rule.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

impl Connections {
    /// Serves a listener until the drain begins.
    pub(super) async fn serve(self, listener: TcpListener) {
        let (mut full, mut failing, mut too_many) = <(Complaint, Complaint, Complaint)>::default();
        loop {
            let accepted = tokio::select! {
                () = self.draining.cancelled() => return,
                accepted = self.accept(&listener, &mut full) => accepted,
            };
            match accepted {
                Ok((socket, permit)) => {
                    let address = socket.peer_addr().ok().map(|address| address.ip().to_canonical());
                    let Some(place) = self.per_address.take(address) else {
                        self.over_limit.count(Limit::ConnectionsPerAddress);
                        if too_many.is_due() {
                            let address = address.map(|address| address.to_string()).unwrap_or_default();
                            tracing::warn!(
                                address,
                                "an address has eurekad.http.max-connections-per-address, more are closed"
                            );
                        }
                        continue;
                    };
                    let (connections, open) = (self.clone(), Arc::clone(&self.traffic).connected());
                    self.tasks.spawn(async move {
                        connections.talk(socket).await;
                        drop((permit, place, open));
                    });
                }
                Err(error) if is_of_that_connection(&error) => {}
                Err(error) => {
                    if failing.is_due() {
                        tracing::warn!(%error, "cannot accept connections, trying again");
                    }
                    tokio::time::sleep(ACCEPT_AGAIN).await;
                }
            }
        }
    }

    async fn accept(
        &self,
        listener: &TcpListener,
        full: &mut Complaint,
    ) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
        let permit = if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            permit
        } else {
            self.over_limit.count(Limit::Connections);
            if full.is_due() {
                tracing::warn!("the limit of connections is reached (eurekad.http.max-connections), new ones wait");
            }
            Arc::clone(&self.permits).acquire_owned().await.map_err(io::Error::other)?
        };
        let (socket, _) = listener.accept().await?;
        // Whether the client is still there is found out by reading.
        let _ = socket.set_nodelay(true);
        Ok((socket, permit))
    }
}

/// Whether an accept failed for one client that is gone already, and not for the server.
fn is_of_that_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
    )
}

#[cfg(test)]
mod tests;
