//! What must hold whatever happens: random operations, random input, many at once.
//!
//! | file | what |
//! | --- | --- |
//! | `operation` | anything that a client, a peer or time can do |
//! | `follower` | a reader that lives on deltas, as Java's client does |
//! | `events` | who follows the events knows what the registry holds, after any operations |
//! | `consistency` | delta, hash code and all lists agree, after any operations |
//! | `regions` | the same with remote regions |
//! | `concurrency` | a read sees every write that was answered before it, over sockets, under load |
//! | `input` | no input panics, nor makes a later answer fail |

mod concurrency;
mod consistency;
mod events;
mod follower;
mod input;
mod operation;
mod regions;
