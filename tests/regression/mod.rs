//! What operators and users of Java's server suffered from, each a test by its number in the project's
//! list of cases; what this server does on purpose in another way; and what is wanted in general.
//!
//! These go through the router, with the clock held in the hand. Cases that are about time rather
//! than about HTTP (22, 37, 38, 40, 46, 47, 48, 50, 51, 52) are in `leases` as well or only.
//!
//! | file | what |
//! | --- | --- |
//! | `registrations` | what is accepted, refused and said about it |
//! | `answers` | status codes, formats, bodies |
//! | `changes` | what the delta and the lists show after a change |
//! | `overrides` | statuses set from outside |
//! | `requirements` | one record never breaks another, identities, empty bodies |
//! | `limits` | how much may come in |
//! | `batch_limits` | how much may come in one batch |
//! | `filters` | some instances of a list alone, lists that are there already |
//! | `hostile_data` | what a client says is data wherever it goes |
//! | `ours` | the deliberate differences |

mod answers;
mod batch_limits;
mod changes;
mod filters;
mod hostile_data;
mod limits;
mod ours;
mod overrides;
mod registrations;
mod requirements;
