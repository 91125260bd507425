//! The access log: a line for each request, when its answer is out (`AccessLogValve`).
//!
//! Requests that end before there is a head to speak of are not in it. Passwords are not either:
//! a pattern that asks for a header with credentials gets `***`.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use http::header::{AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION, SET_COOKIE};
use http::{HeaderMap, HeaderName};
use http_body::{Frame, SizeHint};
use tokio::time::Instant;

use super::daily::{self, DailyFile};
use super::escape::quotable;
use super::files::{LogFileError, Stream};
use super::queue::Queue;
use super::stamps::Stamps;
use super::{PeerAddress, UserName};
use crate::settings::{AccessLogSettings, AccessPart, TimeUnit};

/// The access log. Copies are the same one.
#[derive(Clone, Debug)]
pub struct AccessLog(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    pattern: Vec<AccessPart>,
    queue: Queue,
    stamps: Stamps,
}

impl AccessLog {
    pub(super) fn open(settings: &AccessLogSettings, stamps: Stamps) -> Result<Self, LogFileError> {
        const NAME: &str = "access log";
        let in_dev = settings.directory.as_os_str() == "/dev";
        let queue = match settings.prefix.as_str() {
            "stdout" if in_dev => Queue::start(NAME, Stream(std::io::stdout())),
            "stderr" if in_dev => Queue::start(NAME, Stream(std::io::stderr())),
            _ => DailyFile::open(settings, stamps.clone()).and_then(|file| Queue::start(NAME, file)),
        };
        let failed = |error| LogFileError {
            path: daily::path(settings, stamps.today()),
            property: "server.tomcat.accesslog.directory",
            error,
        };
        let queue = queue.map_err(failed)?;
        Ok(Self(Arc::new(Shared { pattern: settings.pattern.clone(), queue, stamps })))
    }

    pub(super) fn queue(&self) -> &Queue {
        &self.0.queue
    }

    /// A router whose requests are logged. The client's address comes from the [`PeerAddress`] among
    /// a request's extensions.
    pub fn over(&self, router: Router) -> Router {
        router.layer(from_fn_with_state(self.clone(), logged))
    }
}

async fn logged(State(log): State<AccessLog>, request: Request, next: Next) -> Response {
    let begin = Instant::now();
    let mut known: Vec<_> = log.0.pattern.iter().map(|part| of_request(part, &request)).collect();
    let (head, body) = next.run(request).await.into_parts();
    for (part, text) in log.0.pattern.iter().zip(&mut known) {
        match part {
            AccessPart::Status => *text = Some(head.status.as_str().to_owned()),
            AccessPart::AnswerHeader(name) => *text = Some(header(&head.headers, name)),
            AccessPart::User => *text = Some(user(head.extensions.get())),
            _ => {}
        }
    }
    let exchange = Exchange { log, known, begin, bytes: 0 };
    Response::from_parts(head, Body::new(LoggedBody { body, exchange }))
}

/// What the request says of a part.
fn of_request(part: &AccessPart, request: &Request) -> Option<String> {
    let target = || request.uri().path_and_query().map_or("*", |target| target.as_str());
    Some(match part {
        AccessPart::Client => match request.extensions().get() {
            Some(PeerAddress(address)) => address.ip().to_canonical().to_string(),
            None => "-".to_owned(),
        },
        AccessPart::RequestLine => {
            format!("{} {} {:?}", request.method(), quotable(target()), request.version())
        }
        AccessPart::Method => request.method().to_string(),
        AccessPart::Path => quotable(request.uri().path()),
        AccessPart::Query => request.uri().query().map(|query| format!("?{}", quotable(query))).unwrap_or_default(),
        AccessPart::Protocol => format!("{:?}", request.version()),
        AccessPart::RequestHeader(name) => header(request.headers(), name),
        AccessPart::Nothing => "-".to_owned(),
        _ => return None,
    })
}

/// Whose login it was; blanks would look like the next part.
fn user(user: Option<&UserName>) -> String {
    let Some(UserName(name)) = user else { return "-".to_owned() };
    quotable(name).replace(' ', "\\u0020")
}

/// `-` where there is none.
fn header(headers: &HeaderMap, name: &HeaderName) -> String {
    let Some(value) = headers.get(name) else { return "-".to_owned() };
    if [AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE, SET_COOKIE].contains(name) {
        return "***".to_owned();
    }
    quotable(&String::from_utf8_lossy(value.as_bytes()))
}

/// A request and its answer; writes its line when it goes.
struct Exchange {
    log: AccessLog,
    /// Of each part of the pattern its text, where that does not depend on the end.
    known: Vec<Option<String>>,
    begin: Instant,
    bytes: u64,
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let Shared { pattern, queue, stamps } = &*self.log.0;
        let (now, taken) = (stamps.now(), self.begin.elapsed());
        let mut line = String::with_capacity(160);
        for (part, known) in pattern.iter().zip(&self.known) {
            match (part, known) {
                (_, Some(text)) | (AccessPart::Literal(text), _) => line.push_str(text),
                (AccessPart::Time(format), _) => line.push_str(&stamps.formatted(now, format)),
                (AccessPart::Bytes { none }, _) if self.bytes == 0 => line.push_str(none),
                (AccessPart::Bytes { .. }, _) => line.push_str(&self.bytes.to_string()),
                (AccessPart::Taken(unit), _) => line.push_str(&whole(taken, *unit).to_string()),
                _ => {}
            }
        }
        line.push('\n');
        queue.push(line.as_bytes());
    }
}

fn whole(time: Duration, unit: TimeUnit) -> u128 {
    match unit {
        TimeUnit::Micros => time.as_micros(),
        TimeUnit::Millis => time.as_millis(),
        TimeUnit::Seconds => time.as_secs().into(),
    }
}

/// A body that counts what goes out, and whose end is the end of the exchange.
struct LoggedBody {
    body: Body,
    exchange: Exchange,
}

impl http_body::Body for LoggedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &polled {
            let length = frame.data_ref().map_or(0, Bytes::len);
            self.exchange.bytes = self.exchange.bytes.saturating_add(u64::try_from(length).unwrap_or(u64::MAX));
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use axum::routing::get;
    use http_body_util::BodyExt as _;
    use tower::ServiceExt as _;

    use super::*;
    use crate::clock::Clock;
    use crate::logging::queue;
    use crate::settings::Settings;

    /// The line of a request.
    async fn line(pattern: &str, request: Request) -> String {
        let word = format!("--server.tomcat.accesslog.pattern={pattern}");
        let pattern = Settings::from_words(&[word]).unwrap().logging.access.pattern;
        let (queue, written) = queue::kept();
        let stamps = Stamps::fixed(Clock::held(1_769_861_106_007), 1);
        let log = AccessLog(Arc::new(Shared { pattern, queue, stamps }));
        let slow = || async {
            tokio::time::sleep(Duration::from_micros(1_234_567)).await;
            ([("x-answer", "yes")], "hello")
        };
        let router = log.over(Router::new().route("/eureka/apps", get(slow)));
        let response = router.oneshot(request).await.unwrap();
        assert!(written.lock().is_empty(), "the answer is not out yet");
        response.into_body().collect().await.unwrap();
        log.queue().end(Duration::from_secs(10));
        String::from_utf8(written.lock().clone()).unwrap()
    }

    fn request(target: &str) -> Request {
        let request = Request::builder()
            .uri(target)
            .header("User-Agent", "Java-EurekaClient/v2 \"x\"\t\u{9b}")
            .header("Authorization", "Basic c2VjcmV0");
        let peer = PeerAddress("[::ffff:10.20.0.11]:4711".parse().unwrap());
        request.extension(peer).body(Body::empty()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn common_and_combined_are_apaches() {
        assert_eq!(
            line("common", request("/eureka/apps?regions=a")).await,
            "10.20.0.11 - - [31/Jan/2026:13:05:07 +0100] \"GET /eureka/apps?regions=a HTTP/1.1\" 200 5\n"
        );
        assert_eq!(
            line("combined", request("/none")).await,
            "10.20.0.11 - - [31/Jan/2026:13:05:06 +0100] \"GET /none HTTP/1.1\" 404 - \"-\" \
             \"Java-EurekaClient/v2 \\\"x\\\"\\t\\u009b\"\n"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn every_letter_has_its_meaning() {
        let pattern = "%a %m %U %q %H %B %D %{ms}T %T %{x-answer}o %{X-None}i %{HH:mm:ss.SSS}t %S 5%%";
        assert_eq!(
            line(pattern, request("/eureka/apps?regions=a")).await,
            "10.20.0.11 GET /eureka/apps ?regions=a HTTP/1.1 5 1235000 1235 1 yes - 13:05:07.242 - 5%\n"
        );
        let anonymous = Request::builder().method("PUT").uri("/x").body(Body::empty()).unwrap();
        assert_eq!(line("%h [%q] %B %s", anonymous).await, "- [] 0 404\n");
    }

    /// Quotes, line separators and marks for the direction of writing may stand unencoded in a target.
    #[tokio::test(start_paused = true)]
    async fn a_request_line_cannot_forge_the_rest_of_its_line() {
        let target = "/none\"\u{202e}?x\u{85}\u{2028}";
        for (pattern, expected) in [
            ("\"%r\" %s", r#""GET /none\"\u202e?x\u0085\u2028 HTTP/1.1" 404"#),
            ("%U%q", r#"/none\"\u202e?x\u0085\u2028"#),
        ] {
            assert_eq!(line(pattern, request(target)).await, format!("{expected}\n"));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn credentials_are_not_written() {
        assert_eq!(line("%{authorization}i", request("/eureka/apps")).await, "***\n");
    }
}
