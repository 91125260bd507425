//! Registrations and lists in JSON.

use eurekad::codec::json::{read_applications, read_instance};
use eurekad::codec::{Limits, ReadError};

use super::assert_is_a_line;
use super::instance::{accepted, assert_survives};

/// So low that they are reached.
pub(super) const NARROW: Limits = Limits {
    nesting_depth: 6,
    metadata_entries: 3,
    metadata_length: 20,
    metadata_size: 50,
    name_length: 10,
    text_length: 20,
    vip_names: 1,
    body_values: 200,
    batch_items: 2,
};

pub(super) fn check(body: &[u8]) {
    match read_instance(body, &Limits::default()) {
        Ok(registration) => accepted(registration).iter().for_each(assert_survives),
        Err(error) => assert_is_a_line(&error.to_string()),
    }
    narrowly(read_instance(body, &NARROW));
    match read_applications(body, &Limits::default(), 100) {
        Ok(list) => {
            for listed in list.instances {
                match listed {
                    Ok(listed) => accepted(listed.registration).iter().for_each(assert_survives),
                    Err(error) => assert_is_a_line(&error.to_string()),
                }
            }
        }
        Err(error) => assert_is_a_line(&error.to_string()),
    }
    narrowly(read_applications(body, &NARROW, 3));
}

/// What is over a limit is an error like any other.
pub(super) fn narrowly<T>(read: Result<T, ReadError>) {
    if let Err(error) = read {
        assert_is_a_line(&error.to_string());
    }
}
