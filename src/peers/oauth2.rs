//! Bearer tokens that a server gives for a client's own credentials (OAuth 2, RFC 6749, 4.4).
//!
//! A token is asked for shortly before the last one ends, and when that was refused. One request for it is made
//! at a time; who waited for one that failed takes its failure. One that has not ended yet counts on while the
//! token server fails.

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, StatusCode};
use serde::Deserialize;

use crate::clock::{Clock, Monotonic};
use crate::settings::OAuth2Settings;

use super::calls::failure;
use super::credentials::Kept;
use super::line::Failure;

/// A token that ends sooner is asked for anew; a part of its life if that is short.
const BEFORE_THE_END: Duration = Duration::from_secs(30);
/// How long a token lasts whose server does not say (it should, RFC 6749, 5.1).
const LASTS: Duration = Duration::from_mins(5);
/// A token server that failed is asked again after this time, whoever wants a token.
const ASK_AGAIN: Duration = Duration::from_secs(1);
/// No answer of a token server is longer.
const MOST_BYTES: usize = 64 << 10;

/// Tokens of OAuth 2.
pub(super) struct OAuth2 {
    settings: OAuth2Settings,
    secret: Kept,
    /// Held while a token is asked for, so that it is asked for once.
    state: tokio::sync::Mutex<State>,
    clock: Clock,
}

#[derive(Default)]
struct State {
    token: Option<Token>,
    /// The last request for one failed, at this time.
    failed: Option<(Monotonic, String)>,
}

#[derive(Clone)]
struct Token {
    text: Arc<str>,
    renew_at: Monotonic,
    ends_at: Monotonic,
}

/// The answer of a token server (RFC 6749, 5.1).
#[derive(Deserialize)]
struct Granted {
    access_token: String,
    token_type: Option<String>,
    expires_in: Option<serde_json::Value>,
}

impl OAuth2 {
    pub(super) fn new(settings: OAuth2Settings, clock: Clock) -> Self {
        let secret = Kept::new(settings.client_secret.clone(), clock.clone());
        Self { settings, secret, state: tokio::sync::Mutex::default(), clock }
    }

    /// A token; another one than that which was refused.
    pub(super) async fn token(&self, client: &Client, refused: Option<&str>) -> Result<Arc<str>, Failure> {
        let mut state = self.state.lock().await;
        let now = self.clock.mono();
        let held = state.token.clone().filter(|token| refused != Some(&*token.text) && now < token.ends_at);
        if let Some(token) = held.as_ref().filter(|token| now < token.renew_at) {
            return Ok(Arc::clone(&token.text));
        }
        let lately = state.failed.as_ref().filter(|(at, _)| now.since(*at) < ASK_AGAIN);
        let asked = match lately {
            Some((_, failure)) => Err(failure.clone()),
            None => self.ask(client, refused.is_some()).await.inspect_err(|failure| {
                state.failed = Some((self.clock.mono(), failure.clone()));
            }),
        };
        match (asked, held) {
            (Ok(token), _) => {
                let text = Arc::clone(&token.text);
                *state = State { token: Some(token), failed: None };
                Ok(text)
            }
            (Err(failure), Some(token)) => {
                tracing::debug!(failure, "no new token, the last one has not ended yet");
                Ok(token.text)
            }
            (Err(failure), None) => Err(Failure::NoCredentials(failure)),
        }
    }

    async fn ask(&self, client: &Client, anew: bool) -> Result<Token, String> {
        let OAuth2Settings { token_uri, client_id, scope, .. } = &self.settings;
        let secret = self.secret.read(anew).await.map_err(|failure| failure.to_string())?;
        let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        let scope = scope.as_ref().map(|scope| format!("&scope={}", encoded(scope))).unwrap_or_default();
        let request = client
            .post(token_uri.clone())
            .header("Accept", "application/json")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .basic_auth(encoded(client_id), Some(encoded(&secret)))
            .body(format!("grant_type=client_credentials{scope}"));
        let failed =
            |problem: String| format!("{} gives no token: {problem}", token_uri.host_str().unwrap_or_default());
        let broken = |error: reqwest::Error| failed(failure(&error).to_string());
        let mut answer = request.send().await.map_err(broken)?;
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(broken)? {
            if body.len() + chunk.len() > MOST_BYTES {
                return Err(failed("its answer is too long".to_owned()));
            }
            body.extend_from_slice(&chunk);
        }
        if answer.status() != StatusCode::OK {
            return Err(failed(format!("status {}", answer.status().as_u16())));
        }
        let granted: Granted =
            serde_json::from_slice(&body).map_err(|_| failed("its answer has no access_token".to_owned()))?;
        if granted.token_type.is_some_and(|kind| !kind.eq_ignore_ascii_case("bearer")) {
            return Err(failed("it is for no bearer".to_owned()));
        }
        if granted.access_token.is_empty() || !granted.access_token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(failed("it has other characters than a token may have".to_owned()));
        }
        let lasts = granted.expires_in.as_ref().and_then(seconds).unwrap_or(LASTS);
        let now = self.clock.mono();
        Ok(Token {
            text: granted.access_token.into(),
            renew_at: now.after(lasts.saturating_sub(BEFORE_THE_END.min(lasts / 5))),
            ends_at: now.after(lasts),
        })
    }
}

/// Some servers write the number as a text.
fn seconds(value: &serde_json::Value) -> Option<Duration> {
    let seconds = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    seconds.map(|seconds| Duration::from_secs(seconds.min(u64::from(u32::MAX))))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_life_is_a_number_or_a_text() {
        for (written, seconds) in [("60", Some(60)), ("\"60\"", Some(60)), ("-1", None), ("null", None)] {
            let value = serde_json::from_str(written).unwrap();
            assert_eq!(super::seconds(&value), seconds.map(Duration::from_secs), "{written}");
        }
    }
}
