//! What is made of files, and made anew when they change.
//!
//! Files are compared by what is in them, so that it does not matter how they are replaced: written over,
//! renamed, or by another link to a folder, as Kubernetes does it.

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::Mutex;

use crate::settings::{KeySource, TrustSource};

use super::Mistake;
use super::content::{Content, stamp};
use super::material::Material;

/// Makes of material what a side needs.
type Make<C> = Box<dyn Fn(Material) -> Result<C, Mistake> + Send + Sync>;

/// See the module.
pub(super) struct Watched<C> {
    /// Which side it is, for the log.
    of: &'static str,
    keys: Option<KeySource>,
    trust: Option<TrustSource>,
    make: Make<C>,
    current: ArcSwap<C>,
    /// What was seen; held while files are read, so that one look ends before the next.
    seen: Mutex<Seen>,
}

struct Seen {
    in_force: u64,
    wrong: Option<Wrong>,
}

/// Files of which nothing can be made.
struct Wrong {
    stamp: u64,
    is_told: bool,
}

impl<C> fmt::Debug for Watched<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watched").field("of", &self.of).finish_non_exhaustive()
    }
}

impl<C> Watched<C> {
    /// Without files: it never changes.
    pub(super) fn fixed(of: &'static str, current: C, make: Make<C>) -> Self {
        let seen = Mutex::new(Seen { in_force: 0, wrong: None });
        Self { of, keys: None, trust: None, make, current: ArcSwap::from_pointee(current), seen }
    }

    /// Reads the files; blocks on them. Gives what is odd about them as well.
    pub(super) fn load(
        of: &'static str,
        keys: Option<KeySource>,
        trust: Option<TrustSource>,
        make: Make<C>,
    ) -> Result<(Self, Vec<String>), Vec<Mistake>> {
        let content = Content::read(keys.as_ref(), trust.as_ref())?;
        let (current, odd) = understand(&content, keys.as_ref(), trust.as_ref(), &make)?;
        let seen = Mutex::new(Seen { in_force: stamp(&content), wrong: None });
        Ok((Self { of, keys, trust, make, current: ArcSwap::from_pointee(current), seen }, odd))
    }

    /// What is in force.
    pub(super) fn current(&self) -> Arc<C> {
        self.current.load_full()
    }

    /// Reads the files again; see [`Tls::look_again`](super::Tls::look_again).
    pub(super) fn look_again(&self, now: bool) {
        if self.keys.is_none() && self.trust.is_none() {
            return;
        }
        let mut seen = self.seen.lock();
        let (keys, trust) = (self.keys.as_ref(), self.trust.as_ref());
        let content = Content::read(keys, trust);
        let found = content.as_ref().map_or_else(stamp, stamp);
        if found == seen.in_force {
            seen.wrong = None;
            return;
        }
        if seen.wrong.as_ref().is_some_and(|wrong| wrong.stamp == found && wrong.is_told) {
            return;
        }
        let of = self.of;
        match content.and_then(|content| understand(&content, keys, trust, &self.make)) {
            Ok((current, odd)) => {
                self.current.store(Arc::new(current));
                *seen = Seen { in_force: found, wrong: None };
                tracing::info!(of, "certificates read again");
                for problem in odd {
                    tracing::warn!(of, problem, "a certificate is not good now");
                }
            }
            Err(mistakes) => {
                let is_told = now || seen.wrong.as_ref().is_some_and(|wrong| wrong.stamp == found);
                if is_told {
                    let mistakes: Vec<_> = mistakes.iter().map(ToString::to_string).collect();
                    let mistakes = mistakes.join("; ");
                    tracing::warn!(of, mistakes, "new certificates are wrong, the old ones stay in force");
                }
                seen.wrong = Some(Wrong { stamp: found, is_told });
            }
        }
    }
}

fn understand<C>(
    content: &Content,
    keys: Option<&KeySource>,
    trust: Option<&TrustSource>,
    make: &Make<C>,
) -> Result<(C, Vec<String>), Vec<Mistake>> {
    let mut material = Material::understand(content, keys, trust)?;
    let odd = std::mem::take(&mut material.odd);
    make(material).map(|made| (made, odd)).map_err(|mistake| vec![mistake])
}
