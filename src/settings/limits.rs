//! What a body may hold.

use super::reader::Reader;
use super::value;

/// Settings of what a request's body may hold; the readers of bodies take them as they are. The size
/// of a body is [`HttpSettings::body_limit`](super::HttpSettings::body_limit).
pub type LimitSettings = crate::codec::Limits;

pub(super) fn read(reader: &mut Reader<'_>) -> LimitSettings {
    let default = LimitSettings::default();
    let count = value::whole(1..=i64::from(i32::MAX));
    let length = value::size(1..=i64::from(i32::MAX));
    LimitSettings {
        // A batch of instances takes six; readers are recursive, so that the stack sets an end.
        nesting_depth: reader
            .get(&["eurekad.limits.nesting-depth"], value::whole(8..=128))
            .unwrap_or(default.nesting_depth),
        metadata_entries: reader.get(&["eurekad.limits.metadata-entries"], &count).unwrap_or(default.metadata_entries),
        metadata_length: reader.get(&["eurekad.limits.metadata-length"], &length).unwrap_or(default.metadata_length),
        metadata_size: reader
            .get(&["eurekad.limits.metadata-size"], value::size(1..=i64::from(i32::MAX)))
            .unwrap_or(default.metadata_size),
        name_length: reader.get(&["eurekad.limits.name-length"], &length).unwrap_or(default.name_length),
        text_length: reader.get(&["eurekad.limits.text-length"], &length).unwrap_or(default.text_length),
        vip_names: reader.get(&["eurekad.limits.vip-names"], &count).unwrap_or(default.vip_names),
        body_values: reader.get(&["eurekad.limits.body-values"], &count).unwrap_or(default.body_values),
        batch_items: reader.get(&["eurekad.limits.batch-items"], &count).unwrap_or(default.batch_items),
    }
}
