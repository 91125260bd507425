//! Instances by the names in their VIP lists. A name that nobody has gives an empty list, not 404.

use axum::extract::{Path, State};
use axum::response::Response;
use http::HeaderMap;

use crate::catalog::What;

use super::Api;
use super::apps::list;
use super::error::ApiError;

/// `GET vips/{vip}`.
pub(super) async fn plain(
    State(api): State<Api>,
    Path(vip): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    list(&api, &headers, &What::Vip(vip.into()), false).await
}

/// `GET svips/{vip}`.
pub(super) async fn secure(
    State(api): State<Api>,
    Path(vip): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    list(&api, &headers, &What::SecureVip(vip.into()), false).await
}
