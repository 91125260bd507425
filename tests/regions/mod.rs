//! Remote regions: what is shown of them, and that one which fails harms nobody.
//!
//! | file | what |
//! | --- | --- |
//! | `shown` | which instances a request shows, through the router |
//! | `following` | copies follow regions on loopback, whatever these do |
//! | `remote` | servers that play a region |

mod following;
mod remote;
mod shown;
