//! JSON: registrations and replication batches in, documents and answers out.
//!
//! Reading takes whatever Java's reader takes, and more where that reader merely loses its place:
//! members in any order, unknown ones of any shape, a data centre judged by its name. What it
//! refuses it refuses with one line that names the member. No body can make it panic or overflow
//! the stack, and nothing it takes can break a document later.
//!
//! Writing gives Java's bytes: its keys in its order, numbers as texts where it has them, its
//! escapes, no blank and no line end.
//!
//! | file | what | Java's classes |
//! | --- | --- | --- |
//! | `body` | bytes to a text | Jackson's `ByteSourceJsonBootstrapper` |
//! | `tokens` | a text to tokens | Jackson's `JsonParser` |
//! | `tree` | tokens to a tree, or a walk through them | the same |
//! | `member` | what a single member may look like | `getValueAsInt` and its like |
//! | `read` | an instance | `InstanceInfoDeserializer`, `CloudJacksonJson` |
//! | `data_center` | where an instance runs | `DataCenterTypeInfoResolver` |
//! | `batch` | what peers send and are answered | `ReplicationList`, `ReplicationListResponse` |
//! | `outgoing` | what peers are sent and answer | the same |
//! | `applications` | whole lists of another server | `ApplicationsDeserializer` |
//! | `emit` | objects and escapes | `JsonGenerator` |
//! | `write` | full instances and all lists | `InstanceInfoSerializer`, `ApplicationsSerializer` |
//! | `compact` | the small form of an instance | `MiniInstanceInfoMixIn` |
//! | `answers` | status, overrides, errors | `StatusInfo`, `ServerInfoResource` |

mod answers;
mod applications;
#[cfg(test)]
mod arbitrary;
mod batch;
mod body;
mod compact;
mod data_center;
mod emit;
mod member;
mod outgoing;
#[cfg(test)]
mod properties;
mod read;
#[cfg(test)]
mod samples;
mod tokens;
mod tree;
mod write;

use crate::model::Metadata;

pub use answers::{error, status_overrides, write_status};
pub use applications::{ListedApplications, ListedInstance, read_applications};
pub use batch::{read_batch, write_outcomes};
pub use compact::compact_instance;
pub use emit::Supplementary;
pub(crate) use emit::{Members, object, string};
pub use outgoing::{read_outcomes, write_batch};
pub use read::read_instance;
pub use write::{instance, write_document, write_head, write_instance, write_piece, write_tail};

/// The class that Java names for every data centre but Amazon's. No such class exists there.
const DEFAULT_CLASS: &str = "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo";
/// The class of Amazon's.
const AMAZON_CLASS: &str = "com.netflix.appinfo.AmazonInfo";

/// The instance id of a record that has none of its own but one in its metadata, as old Spring
/// clients send it (`CloudJacksonJson`). It begins with the host name. Java applies this rule to
/// JSON alone, when reading and once more when writing in full.
fn id_from_metadata(metadata: &Metadata, host_name: &str) -> Option<String> {
    let has_text = |text: &str| !text.trim().is_empty();
    let id = metadata.get("instanceId").filter(|id| has_text(id))?;
    let alone = id.starts_with(host_name) || !has_text(host_name);
    Some(if alone { id.to_owned() } else { format!("{host_name}:{id}") })
}
