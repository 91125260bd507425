//! What happens, sent to those whom the settings name (no counterpart in a Java server).
//!
//! Nobody else is ever called: no address that a client registered, no redirection, no proxy. Each target is told
//! in order, one request at a time; what it cannot take waits, up to a bound, and is then dropped, which it is
//! told. Requests go by the TLS of calls to peers.
//!
//! | file | what |
//! | --- | --- |
//! | `target` | one target: sending, trying again, what is told of it |
//! | `queue` | what waits for it |
//! | `cloud_event` | bodies |
//! | `signature` | how a receiver knows who sends |

mod cloud_event;
mod queue;
mod signature;
mod target;

use std::sync::Arc;
use std::time::Duration;

use reqwest::Client;
use tokio::time::sleep;

use crate::access::tls::Outgoing;
use crate::clock::Clock;
use crate::registry::Registry;
use crate::settings::WebhookSettings;

use super::events::Events;

use target::Target;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// For a whole request.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How often it is looked whether the server has opened.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// All targets. Copies are the same.
#[derive(Clone, Debug, Default)]
pub struct Webhooks(Arc<[Arc<Target>]>);

/// What is counted of one target since the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookFigures {
    /// Scheme, host and port: the rest of a URL may be secret.
    pub url: String,
    /// Events that it took.
    pub sent: u64,
    /// Events that it refused for good.
    pub failed: u64,
    /// Requests that were, or will be, sent again.
    pub retried: u64,
    /// Events that it never got, as too many waited.
    pub dropped: u64,
    /// Events that wait now.
    pub queued: usize,
}

impl Webhooks {
    /// Those of the settings.
    ///
    /// # Panics
    ///
    /// Never: TLS is set up already, and there is nothing else that the client could fail to set up.
    #[expect(clippy::expect_used, reason = "see the docs")]
    pub fn new(settings: &[WebhookSettings], tls: &Outgoing, clock: &Clock) -> Self {
        if settings.is_empty() {
            return Self::default();
        }
        let client = Client::builder()
            // Else the environment would say who reads what is sent.
            .no_proxy()
            .tls_backend_preconfigured(tls.config())
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("eurekad/", env!("CARGO_PKG_VERSION")))
            .build()
            .expect("a client with TLS that is set up");
        let target =
            |settings: &WebhookSettings| Arc::new(Target::new(settings.clone(), client.clone(), clock.clone()));
        Self(settings.iter().map(target).collect())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Tells the target at this place what happens, from the opening for traffic on: what a peer's copy brings
    /// before that is no news. To be run once, beside everything else.
    pub async fn serve(&self, place: usize, events: &Events, registry: &Registry) {
        let Some(target) = self.0.get(place) else { return };
        while !registry.was_opened() {
            sleep(LOOK_AGAIN).await;
        }
        target.serve(events).await;
    }

    /// What is counted.
    pub fn figures(&self) -> Vec<WebhookFigures> {
        self.0.iter().map(|target| target.figures()).collect()
    }
}
