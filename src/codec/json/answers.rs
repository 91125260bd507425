//! The small answers: the server's status, the overrides, an error.

use super::emit::{Supplementary, object, string};
use super::write::instance;
use crate::codec::StatusDocument;
use crate::model::{InstanceStatus, LeaseTimes};

/// The document of `GET /status` (`StatusInfo`). Without a threshold for peers the server counts
/// as healthy; Java fails with 500 then.
pub fn write_status(status: &StatusDocument) -> Vec<u8> {
    let mut out = Vec::new();
    object(&mut out, Supplementary::Escaped, |root| {
        for (name, figures) in [("generalStats", &status.general), ("applicationStats", &status.application)] {
            root.object(name, |members| {
                for (figure, value) in figures {
                    members.text(figure, value);
                }
            });
        }
        instance(root.value("instanceInfo"), &status.own, LeaseTimes::default(), Supplementary::Escaped);
        let healthy = status.healthy.unwrap_or(true).to_string();
        root.value("healthy").extend_from_slice(healthy.as_bytes());
    });
    out
}

/// The stored overrides by instance id (`ServerInfoResource`): `{"<id>":"OUT_OF_SERVICE"}`.
pub fn status_overrides(overrides: &[(&str, InstanceStatus)]) -> Vec<u8> {
    let mut out = Vec::new();
    object(&mut out, Supplementary::Escaped, |members| {
        for (id, status) in overrides {
            members.entry(id, status.as_str());
        }
    });
    out
}

/// What was wrong with a request, for a caller that speaks JSON: `{"error": "…"}`, with a blank
/// after the colon as `DiscoveryJerseyProvider` has it.
pub fn error(message: &str) -> Vec<u8> {
    let mut out = b"{\"error\": ".to_vec();
    string(&mut out, message, Supplementary::Raw);
    out.push(b'}');
    out
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::samples;
    use super::*;

    #[test]
    fn a_status_is_healthy_unless_a_threshold_says_otherwise() {
        let status = |healthy| StatusDocument {
            general: vec![("num-of-cpus", "2".into()), ("server-uptime", "00:01".into())],
            application: vec![("registered-replicas", String::new())],
            own: Arc::new(samples::kiln_4()),
            healthy,
        };
        let record = "{\"hostName\":\"kiln-4.example\",";
        let written = String::from_utf8(write_status(&status(None))).unwrap_or_default();
        assert!(
            written.starts_with(&format!(
                "{{\"generalStats\":{{\"num-of-cpus\":\"2\",\"server-uptime\":\"00:01\"}},\
                 \"applicationStats\":{{\"registered-replicas\":\"\"}},\"instanceInfo\":{record}"
            )),
            "{written}"
        );
        assert!(written.contains("\"registrationTimestamp\":0,"), "{written}");
        assert!(written.ends_with("\"actionType\":\"ADDED\"},\"healthy\":true}"), "{written}");
        assert!(write_status(&status(Some(false))).ends_with(b"\"healthy\":false}"));
    }

    #[test]
    fn overrides_are_one_object_with_escaped_ids() {
        assert_eq!(status_overrides(&[]), b"{}");
        let overrides = [("box:1", InstanceStatus::OutOfService), ("q\"t", InstanceStatus::Down)];
        assert_eq!(status_overrides(&overrides), br#"{"box:1":"OUT_OF_SERVICE","q\"t":"DOWN"}"#);
    }

    #[test]
    fn an_error_has_a_blank_after_the_colon() {
        assert_eq!(error("cannot parse request body"), br#"{"error": "cannot parse request body"}"#);
        assert_eq!(error("no \"app\"\n"), br#"{"error": "no \"app\"\n"}"#);
    }
}
