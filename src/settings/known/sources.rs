//! What says where settings are read from (`ConfigDataEnvironment`, `Profiles`), with the default as one would write it.

pub(super) const SOURCES: &[(&str, &str)] = &[
    ("spring.config.name[]", "application"),
    ("spring.config.location[]", "optional:./;optional:./config/;optional:./config/*/"),
    ("spring.config.additional-location[]", ""),
    ("spring.config.import[]", ""),
    ("spring.config.on-not-found", "fail"),
    ("spring.config.activate.on-profile[]", ""),
    ("spring.config.activate.on-cloud-platform", ""),
    ("spring.profiles[]", ""),
    ("spring.profiles.active[]", ""),
    ("spring.profiles.default[]", "default"),
    ("spring.profiles.include[]", ""),
    ("spring.profiles.group.*[]", ""),
    ("spring.application.json", ""),
];
