//! Registrations in XML.

use eurekad::codec::Limits;
use eurekad::codec::xml::read_instance;

use super::assert_is_a_line;
use super::instance::{accepted, assert_survives};
use super::json::{NARROW, narrowly};

pub(super) fn check(body: &[u8]) {
    match read_instance(body, &Limits::default()) {
        Ok(registration) => accepted(registration).iter().for_each(assert_survives),
        Err(error) => assert_is_a_line(&error.to_string()),
    }
    narrowly(read_instance(body, &NARROW));
}
