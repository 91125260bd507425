//! Who asks, and what they may do; and how often.
//!
//! Java has nothing of the kind but a limit on reads; its users put Spring Security in front. With nothing
//! configured all is open here too, and costs one look at a flag. Otherwise every request passes
//! [`Access::through`] before anything looks at its body: it is answered 401 if nobody is known to ask, 403 if
//! somebody asks who may not, always with an empty body. Who refuses and who does what only operators may is
//! written down.
//!
//! | file | what |
//! | --- | --- |
//! | `connection` | what a connection tells |
//! | `authorization` | what a request tells |
//! | `gate` | who that is, and whether they may |
//! | `needs` | what a request takes |
//! | `visitor` | who was let in, for handlers |
//! | `origin` | pages of other sites |
//! | `passwords` | whether a password is right |
//! | `turns` | whose password is hashed next |
//! | `owners` | whose instance is whose |
//! | `failures` | guesses are slowed |
//! | `refused` | how somebody is turned away |
//! | `audit` | what is written down |
//! | `fetch_limiter`, `bucket` | how often lists may be read |
//! | `over_limit` | how often a limit refused something |

mod audit;
mod authorization;
mod bucket;
mod connection;
mod failures;
mod fetch_limiter;
mod gate;
mod needs;
mod origin;
mod over_limit;
mod owners;
mod passwords;
mod refused;
pub mod tls;
mod turns;
mod visitor;

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arc_swap::ArcSwapOption;
use axum::extract::{OriginalUri, Request};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router};
use http::StatusCode;
use http::request::Parts;
use parking_lot::Mutex;
use serde_json::json;

use crate::clock::Clock;
use crate::logging::UserName;
use crate::model::{AppName, InstanceId};
use crate::settings::SecuritySettings;

use audit::Audit;
pub use connection::{ClientCertificate, Connection};
use failures::Failures;
pub use fetch_limiter::{Fetch, FetchLimiter, Fetcher};
use gate::{ANONYMOUS, Gate};
pub use needs::Needs;
pub use over_limit::{Limit, OverLimit};
pub use owners::Caller;
use owners::Owners;
use refused::Refused;
pub use visitor::Visitor;

/// Who may come in, and what they may do. Copies are the same.
#[derive(Clone)]
pub struct Access(Arc<Shared>);

struct Shared {
    /// Whether there is a gate: cheaper to see than the gate itself.
    is_guarded: AtomicBool,
    gate: ArcSwapOption<Gate>,
    /// What the gate was made from; held while files are read, so that one change ends before the next.
    in_force: Mutex<InForce>,
    behind_proxy: bool,
    owners: Owners,
    failures: Failures,
    audit: Audit,
}

struct InForce {
    settings: SecuritySettings,
    /// What is wrong with files now, and was told.
    problems: Vec<String>,
}

impl Access {
    /// Goes by these settings. What a proxy says of where a page lies is believed if there is one.
    pub fn new(settings: &SecuritySettings, behind_proxy: bool, clock: Clock) -> Self {
        let gate = Gate::of(settings, None);
        Self(Arc::new(Shared {
            is_guarded: AtomicBool::new(gate.is_some()),
            gate: ArcSwapOption::from_pointee(gate),
            in_force: Mutex::new(InForce { settings: settings.clone(), problems: Vec::new() }),
            behind_proxy,
            owners: Owners::default(),
            failures: Failures::new(clock.clone()),
            audit: Audit::new(clock),
        }))
    }

    /// Goes by other settings from now on. Which logins were right is forgotten where secrets differ.
    pub fn change(&self, settings: &SecuritySettings) {
        let mut in_force = self.0.in_force.lock();
        in_force.problems.clear();
        self.put_in_force(&mut in_force, settings.clone());
    }

    /// Takes what files of secrets have now. What was in one that is broken stays, and that is told once. Blocks.
    pub fn read_files_again(&self) {
        let mut in_force = self.0.in_force.lock();
        if !in_force.settings.has_files() {
            return;
        }
        let (settings, problems) = in_force.settings.with_files_read_again();
        if self.put_in_force(&mut in_force, settings) {
            tracing::info!("secrets have changed, the new ones count from now on");
        }
        for problem in problems.iter().filter(|problem| !in_force.problems.contains(problem)) {
            tracing::warn!(problem, "secrets cannot be read again, the old ones still count");
        }
        in_force.problems = problems;
    }

    fn put_in_force(&self, in_force: &mut InForce, settings: SecuritySettings) -> bool {
        if in_force.settings == settings {
            return false;
        }
        let before = self.0.gate.load_full();
        let gate = Gate::of(&settings, before.as_deref()).map(Arc::new);
        let is_guarded = gate.is_some();
        self.0.gate.store(gate);
        self.0.is_guarded.store(is_guarded, Ordering::Release);
        in_force.settings = settings;
        true
    }

    /// Tells how many refusals were not told. To be called now and then.
    pub fn tell_rest(&self) {
        self.0.audit.tell_rest();
    }

    /// Whether requests must go [`through`](Self::through) here.
    pub fn is_guarded(&self) -> bool {
        self.0.is_guarded.load(Ordering::Acquire)
    }

    /// Makes an instance the caller's, who is about to register it; false if it is somebody else's.
    pub fn claim(&self, caller: &Caller, app: AppName, id: InstanceId) -> bool {
        self.0.owners.claim(caller, app, id)
    }

    /// Whether the caller may change an instance.
    pub fn owns(&self, caller: &Caller, app: AppName, id: InstanceId) -> bool {
        self.0.owners.allow(caller, app, id)
    }

    /// Whether an instance is known to be somebody else's.
    pub fn is_anothers(&self, caller: &Caller, app: AppName, id: InstanceId) -> bool {
        self.0.owners.is_anothers(caller, app, id)
    }

    /// Writes down that a caller, who may, has dealt with somebody else's instance.
    pub fn dealt_with_anothers(&self, head: &Parts, from: &Connection, caller: &Caller, status: StatusCode) {
        Audit::done(audit::Request::of(head, from), &caller.name, status);
    }

    /// Forgets whose instances were that are gone. To be called now and then.
    pub fn forget_owners(&self, is_missing: impl Fn(&AppName, &InstanceId) -> bool) {
        self.0.owners.forget(is_missing);
    }

    /// The answer to a caller who may not change somebody else's instance.
    pub fn not_the_owner(&self, head: &Parts, from: &Connection, caller: &Caller) -> Response {
        let request = audit::Request::of(head, from);
        self.0.audit.refused(request, audit::User::Known(&caller.name), "another's instance");
        Refused::NotAllowed.into_response()
    }

    /// The answer of a handler, to whoever may have it; or one that refuses, and then the handler is never asked,
    /// so that it has read nothing of the body. The handler is told who asks where instances have owners.
    pub async fn through<F: Future<Output = Response>>(
        &self,
        head: &Parts,
        from: &Connection,
        needs: Needs<'_>,
        answer: impl FnOnce(Option<Caller>) -> F,
    ) -> Response {
        self.let_in(head, from, needs, |caller, _| answer(caller)).await
    }

    async fn let_in<F: Future<Output = Response>>(
        &self,
        head: &Parts,
        from: &Connection,
        needs: Needs<'_>,
        answer: impl FnOnce(Option<Caller>, Visitor) -> F,
    ) -> Response {
        let request = audit::Request::of(head, from);
        let (principal, caller) = match self.0.gate.load_full() {
            None => (None, None),
            Some(gate) if needs == Needs::Health && gate.health_is_public => (None, None),
            Some(gate) => match gate.admit(&head.headers, from, needs, &self.0.failures).await {
                Ok(principal) => {
                    let caller = gate.caller(&principal);
                    (Some(principal), caller)
                }
                Err(away) => {
                    self.0.audit.refused(request, away.of_audit(from), away.refused.reason());
                    let mut answer = away.refused.into_response();
                    if away.is_known() {
                        answer.extensions_mut().insert(UserName(away.user));
                    }
                    return answer;
                }
            },
        };
        let user = principal.as_ref().map(|principal| Arc::clone(&principal.name));
        let mut answer = answer(caller, Visitor(principal)).await;
        if needs.is_privileged(&head.method) {
            Audit::done(request, user.as_deref().unwrap_or(ANONYMOUS), answer.status());
        }
        if let Some(user) = user.filter(|user| &**user != ANONYMOUS) {
            answer.extensions_mut().insert(UserName(user));
        }
        answer
    }

    /// Whether somebody who came in may do something else, too: for what is shown to those who may. Everybody may where
    /// all is open.
    pub async fn may(&self, head: &Parts, needs: Needs<'_>) -> bool {
        let from = head.extensions.get().cloned().unwrap_or_default();
        match self.0.gate.load_full() {
            Some(gate) => gate.admit(&head.headers, &from, needs, &self.0.failures).await.is_ok(),
            None => true,
        }
    }

    /// A router without anything: it tells nobody who has no login that there is nothing.
    pub fn nothing(&self) -> Router {
        self.over(Router::new().fallback(async || StatusCode::NOT_FOUND), Needs::Login)
    }

    /// A router whose requests all take this, and carry the [`Visitor`] among their extensions. What changes something
    /// is refused if a page of another site had a browser send it.
    pub fn over<S>(&self, router: Router<S>, needs: Needs<'static>) -> Router<S>
    where
        S: Clone + Send + Sync + 'static,
    {
        let access = self.clone();
        router.layer(from_fn(move |request: Request, next: Next| {
            let access = access.clone();
            async move {
                let (mut head, body) = request.into_parts();
                let from = head.extensions.get().cloned().unwrap_or_default();
                let mut request = Request::from_parts(head.clone(), body);
                // A router within another sees the rest of a path only.
                if let Some(OriginalUri(uri)) = head.extensions.get() {
                    head.uri = uri.clone();
                }
                if origin::is_foreign(&head.method, &head.uri, &head.headers, access.0.behind_proxy) {
                    let request = audit::Request::of(&head, &from);
                    access.0.audit.refused(request, audit::User::Stranger(ANONYMOUS), "from a page of another site");
                    let why = "the browser says that a page of another site sent this; a proxy must pass Host on";
                    return (StatusCode::FORBIDDEN, Json(json!({"error": why}))).into_response();
                }
                let answer = |_, visitor| {
                    request.extensions_mut().insert::<Visitor>(visitor);
                    next.run(request)
                };
                access.let_in(&head, &from, needs, answer).await
            }
        }))
    }
}
