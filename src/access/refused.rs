//! How somebody is turned away: a status and an empty body, whatever was asked for. Java's clients fail on
//! bodies of errors, and a page of HTML would help nobody.

use axum::response::{IntoResponse, Response};
use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};

/// Why somebody is turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// 401: nobody is known to ask.
    NoLogin(Challenge),
    /// 401: the credentials are wrong.
    WrongLogin(Challenge),
    /// 403: somebody asks who may not.
    NotAllowed,
    /// 429: wrong credentials, and too many such answers wait.
    TooMany,
}

/// What may be tried. One challenge alone: clients of Basic take the first that comes, or the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Challenge {
    /// In Spring's words.
    Basic,
    /// Where nobody has a password.
    Bearer,
}

impl Refused {
    /// For the audit.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::NoLogin(_) => "no login",
            Self::WrongLogin(_) => "wrong login",
            Self::NotAllowed => "not allowed",
            Self::TooMany => "too many wrong logins",
        }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        const BASIC: HeaderValue = HeaderValue::from_static("Basic realm=\"Realm\"");
        const BEARER: HeaderValue = HeaderValue::from_static("Bearer realm=\"Realm\"");
        const LATER: HeaderValue = HeaderValue::from_static("5");
        match self {
            Self::NoLogin(challenge) | Self::WrongLogin(challenge) => {
                let challenge = if challenge == Challenge::Basic { BASIC } else { BEARER };
                (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, challenge)]).into_response()
            }
            Self::NotAllowed => StatusCode::FORBIDDEN.into_response(),
            Self::TooMany => (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, LATER)]).into_response(),
        }
    }
}
