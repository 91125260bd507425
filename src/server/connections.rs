//! Accepting connections and serving requests on them.

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use super::exchange::{self, Exchange, Leftovers};
use super::timed_io::{Patience, TimedIo};

/// What a listener's connections share.
#[derive(Clone)]
pub(super) struct Connections {
    pub(super) router: Router,
    pub(super) patience: Patience,
    /// Bytes of a request's head.
    pub(super) head_limit: usize,
    pub(super) leftovers: Arc<Leftovers>,
    /// One permit a connection; where there is none left, new ones wait in the listener's backlog.
    pub(super) permits: Arc<Semaphore>,
    pub(super) tasks: TaskTracker,
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
        let mut failing = false;
        loop {
            let accepted = tokio::select! {
                () = self.draining.cancelled() => return,
                accepted = self.accept(&listener) => accepted,
            };
            match accepted {
                Ok((socket, permit)) => {
                    failing = false;
                    let connections = self.clone();
                    self.tasks.spawn(async move {
                        connections.talk(socket).await;
                        drop(permit);
                    });
                }
                Err(error) => {
                    if !failing {
                        tracing::warn!(%error, "cannot accept connections, trying again");
                    }
                    failing = true;
                    tokio::time::sleep(ACCEPT_AGAIN).await;
                }
            }
        }
    }

    async fn accept(&self, listener: &TcpListener) -> io::Result<(TcpStream, impl Send + use<>)> {
        let permit = if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            permit
        } else {
            tracing::warn!("the limit of connections is reached (eurekad.http.max-connections), new ones wait");
            Arc::clone(&self.permits).acquire_owned().await.map_err(io::Error::other)?
        };
        let (socket, _) = listener.accept().await?;
        socket.set_nodelay(true)?;
        Ok((socket, permit))
    }

    async fn talk(self, socket: TcpStream) {
        let (io, waiting) = TimedIo::new(socket, self.patience);
        let (router, leftovers) = (self.router, self.leftovers);
        let service = service_fn(move |incoming: Request<Incoming>| {
            let (router, leftovers, exchange) = (router.clone(), Arc::clone(&leftovers), Exchange::begin(&waiting));
            async move {
                let request = exchange::request(incoming, Arc::clone(&exchange), leftovers).await;
                let response = router.oneshot(request).await?;
                Ok::<_, Infallible>(exchange::answer(response, exchange))
            }
        });
        let mut builder = http1::Builder::new();
        builder.max_buf_size(self.head_limit).title_case_headers(true).half_close(true);
        let mut connection = pin!(builder.serve_connection(TokioIo::new(io), service));
        let served = tokio::select! {
            served = connection.as_mut() => served,
            () = self.killed.cancelled() => return,
            () = self.draining.cancelled() => {
                connection.as_mut().graceful_shutdown();
                tokio::select! {
                    served = connection => served,
                    () = self.killed.cancelled() => return,
                }
            }
        };
        if let Err(error) = served {
            tracing::debug!(%error, "a connection ended");
        }
    }
}
