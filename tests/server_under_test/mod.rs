//! The one place where the integration tests meet the server: settings in, a router out.
//!
//! The clock is held, so time moves only where a test moves tokio's paused time. No periodic task
//! runs: nothing is evicted and no delta entry grows old behind a test's back.

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use eurekad::clock::Clock;
use eurekad::server::App;
use eurekad::settings::Settings;
use tower::ServiceExt as _;

/// The wall time at which every server under test starts, milliseconds since 1970. It is far from
/// each time in the recordings, so that "about now" can be told from what a request fixed.
pub(crate) const START: i64 = 1_800_000_000_000;

/// A server that has just been opened for traffic.
pub(crate) struct ServerUnderTest {
    app: App,
    clock: Clock,
}

impl ServerUnderTest {
    /// A fresh server with these Spring words (`--eureka.server.x=y`) for settings.
    pub(crate) fn fresh(words: &[&str]) -> Self {
        let settings = Settings::from_words(words).unwrap_or_else(|refusal| panic!("{words:?}: {refusal}"));
        let clock = Clock::held(START);
        let app = App::new(&settings, clock.clone());
        app.open();
        Self { app, clock }
    }

    /// The answer of the real router, with all that stands in front of its handlers.
    pub(crate) async fn send(&self, request: Request<Body>) -> Response<Body> {
        let router: Router = self.app.router();
        router.oneshot(request).await.unwrap_or_else(|never| match never {})
    }

    /// What the server takes for the wall time.
    pub(crate) fn wall(&self) -> i64 {
        self.clock.now().wall
    }
}
