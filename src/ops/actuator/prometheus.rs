//! `GET /actuator/prometheus`: all figures as text, in the format that the reader prefers.

use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, StatusCode};

use super::Actuator;
use crate::ops::metrics::Format;

/// Prometheus' own format unless OpenMetrics is asked for. `includedNames` chooses metrics by their names as shown,
/// as in Spring.
pub(super) async fn all(State(actuator): State<Actuator>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    let format = format(&headers);
    let mut families = match actuator.metrics.gather(&actuator.context).await {
        Ok(families) => families,
        Err(busy) => return busy.into_response(),
    };
    let query = query.unwrap_or_default();
    let included = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "includedNames");
    let included: Vec<String> = included
        .flat_map(|(_, names)| names.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>())
        .collect();
    if !included.is_empty() {
        families.retain(|family| included.contains(&family.exposed()));
    }
    match format.write(families) {
        Ok(document) => ([(CONTENT_TYPE, format.content_type())], document).into_response(),
        Err(error) => {
            tracing::error!(%error, "writing metrics failed");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// OpenMetrics where it is named before plain text, or with a greater `q`.
fn format(headers: &HeaderMap) -> Format {
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|accept| accept.to_str().ok());
    let mut best = (Format::Prometheus, 0.0);
    for range in accepted.flat_map(|accept| accept.split(',')) {
        let mut parts = range.split(';').map(str::trim);
        let format = match parts.next() {
            Some(kind) if kind.eq_ignore_ascii_case("application/openmetrics-text") => Format::OpenMetrics,
            Some("text/plain" | "text/*" | "*/*") => Format::Prometheus,
            _ => continue,
        };
        let quality = parts.find_map(|part| part.strip_prefix("q=")?.parse::<f64>().ok()).unwrap_or(1.0);
        if quality > best.1 {
            best = (format, quality);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn readers_get_the_format_that_they_prefer() {
        // What Prometheus 2.42 and 3.0, curl and a browser send.
        let old = "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,\
                   text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
        let new = "application/openmetrics-text;escaping=allow-utf-8;version=1.0.0;q=0.5,\
                   application/openmetrics-text;version=0.0.1;q=0.4,\
                   text/plain;escaping=allow-utf-8;version=1.0.0;q=0.3,text/plain;version=0.0.4;q=0.2,/;q=0.1";
        let browser = "text/html,application/xhtml+xml,*/*;q=0.8";
        for (accept, expected) in [
            (old, Format::OpenMetrics),
            (new, Format::OpenMetrics),
            ("*/*", Format::Prometheus),
            (browser, Format::Prometheus),
            ("text/plain, application/openmetrics-text;q=0.9", Format::Prometheus),
            ("application/json", Format::Prometheus),
            ("application/openmetrics-text;q=0", Format::Prometheus),
            ("", Format::Prometheus),
        ] {
            let headers = HeaderValue::from_str(accept).map(|accept| HeaderMap::from_iter([(ACCEPT, accept)]));
            assert_eq!(headers.map(|headers| format(&headers)).ok(), Some(expected), "{accept}");
        }
    }
}
