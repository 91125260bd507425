//! One request to the server, and its answer.

use std::error::Error as _;
use std::time::Duration;

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Method, StatusCode};
use reqwest::{Client, RequestBuilder, Response};
use serde_json::Value;

use super::target::{Login, Target};
use super::{REFUSED, Stopped, UNREACHABLE, USAGE};

/// How long the server may take to take a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// How long it may say nothing: longer than an idle stream does.
const SILENCE: Duration = Duration::from_mins(2);

/// See the module.
pub(super) struct Server {
    client: Client,
    target: Target,
}

/// An answer: as it came, and what it says.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) json: Value,
}

impl Server {
    pub(super) fn new(target: Target) -> Result<Self, Stopped> {
        let client = Client::builder()
            // Else the environment would say who reads the login.
            .no_proxy()
            .tls_backend_preconfigured(target.tls.clone())
            .connect_timeout(CONNECT)
            .read_timeout(SILENCE)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("eurekad/", env!("CARGO_PKG_VERSION")))
            .build();
        let client = client.map_err(|error| Stopped::new(UNREACHABLE, error.to_string()))?;
        Ok(Self { client, target })
    }

    /// What is at a path below the API's root, each segment as it is meant.
    pub(super) async fn get(&self, path: &[&str], query: &[(&str, &str)]) -> Result<Answer, Stopped> {
        let request = self.request(Method::GET, path, query).header(ACCEPT, "application/json");
        self.answer(self.send(request).await?).await
    }

    pub(super) async fn post(&self, path: &[&str], body: &Value) -> Result<Answer, Stopped> {
        let request = self.request(Method::POST, path, &[]).header(CONTENT_TYPE, "application/json");
        self.answer(self.send(request.body(body.to_string())).await?).await
    }

    pub(super) fn request(&self, method: Method, path: &[&str], query: &[(&str, &str)]) -> RequestBuilder {
        let segments = path.iter().map(|segment| encoded(segment)).collect::<Vec<_>>().join("/");
        let mut pairs = form_urlencoded::Serializer::new(String::new());
        pairs.extend_pairs(query);
        let (pairs, url) = (pairs.finish(), self.target.url.at(&segments));
        let url = if pairs.is_empty() { url } else { format!("{url}?{pairs}") };
        let request = self.client.request(method, url);
        match &self.target.login {
            None => request,
            Some(Login::Password(user, password)) => request.basic_auth(user, Some(&**password)),
            Some(Login::Token(token)) => request.bearer_auth(&**token),
        }
    }

    /// Sends a request; whatever the answer is.
    pub(super) async fn send(&self, request: RequestBuilder) -> Result<Response, Stopped> {
        request.send().await.map_err(|error| self.unreachable(&error))
    }

    fn unreachable(&self, error: &reqwest::Error) -> Stopped {
        let mut told = format!("no answer from {}: ", self.target.url);
        let mut cause: Option<&dyn std::error::Error> = error.source();
        let mut reason = "the connection failed".to_owned();
        while let Some(inner) = cause {
            reason = inner.to_string();
            cause = inner.source();
        }
        told.push_str(&reason);
        Stopped::new(UNREACHABLE, told)
    }

    async fn answer(&self, response: Response) -> Result<Answer, Stopped> {
        let status = response.status();
        let text = response.text().await.map_err(|error| self.unreachable(&error))?;
        let json: Option<Value> = serde_json::from_str(&text).ok();
        match json {
            Some(json) if status.is_success() => Ok(Answer { text, json }),
            json => Err(self.refusal(status, json.as_ref().and_then(|json| json["error"].as_str()))),
        }
    }

    /// Why there is no answer that was asked for.
    pub(super) fn refusal(&self, status: StatusCode, error: Option<&str>) -> Stopped {
        let url = &self.target.url;
        let told = match (status, error) {
            (_, Some(error)) => error.to_owned(),
            (StatusCode::UNAUTHORIZED, _) => {
                format!("{url} takes a login: --user with --password-file, or --token-file")
            }
            (StatusCode::FORBIDDEN, _) => format!("{url} does not allow this to this login"),
            (StatusCode::NOT_FOUND, _) => format!("{url} has no such thing"),
            (status, _) => format!("{url} answers {status}"),
        };
        let code = match status {
            StatusCode::BAD_REQUEST => USAGE,
            status if status.is_client_error() => REFUSED,
            _ => UNREACHABLE,
        };
        Stopped::new(code, told)
    }
}

/// A segment of a path, whatever is in it.
fn encoded(segment: &str) -> String {
    percent_encoding::utf8_percent_encode(segment, percent_encoding::NON_ALPHANUMERIC).to_string()
}
