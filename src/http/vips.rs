//! Instances by the names in their VIP lists. A name that nobody has gives an empty list, not 404.

use axum::response::Response;
use http::request::Parts;

use crate::catalog::What;

use super::Api;
use super::apps::list;
use super::error::ApiError;

/// `GET vips/{vip}`.
pub(super) async fn plain(api: &Api, vip: &str, head: &Parts) -> Result<Response, ApiError> {
    list(api, head, What::Vip(vip.into()), false).await
}

/// `GET svips/{vip}`.
pub(super) async fn secure(api: &Api, vip: &str, head: &Parts) -> Result<Response, ApiError> {
    list(api, head, What::SecureVip(vip.into()), false).await
}
