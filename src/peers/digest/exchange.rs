//! The node that asks: what it sends, what it makes of the answers. It does no I/O.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use crate::codec::{Limits, json};
use crate::model::{AppName, InstanceId, Registration, WallMillis};
use crate::registry::{Difference, Registry};

use super::DigestError;
use super::answer::{MOST_ENTRIES, answer};
use super::summary::summary;
use super::wire::{Asked, Differences, Fetched, Notes, Place, Request};

/// Whole instances that are asked for at a time.
const FETCH: usize = 1_000;
/// Requests for whole instances in one exchange; the rest is fetched in the next. More than a peer needs that
/// answers as much at a time as it may.
const MOST_FETCHES: usize = 100;
/// Bytes of names in one request, with their figures; the rest is compared next time.
const MOST_NAMES: usize = 4 << 20;
/// Bytes of the figures of an application.
const FIGURES: usize = 48;

/// An instance that differs.
pub type Differing = (AppName, InstanceId);

/// What an exchange found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Instances that differ in a way that a reader can tell, and in which the peer knows better.
    pub differences: usize,
    /// How many of them were mended.
    pub mended: usize,
    /// Those that were left alone, since they may be on their way.
    pub fresh: BTreeSet<Differing>,
    /// Where the next exchange begins, if this one was full.
    pub rest: Option<(String, String)>,
}

/// One exchange with one peer.
#[derive(Debug)]
pub struct Exchange {
    /// Where it began.
    after: Option<Place>,
    /// The last application that the request tells of, if it was full.
    until: Option<String>,
    /// Answered is the first request.
    compared: bool,
    /// Requests for whole instances so far.
    fetches: usize,
    /// What may be mended; none: everything.
    known: Option<Arc<BTreeSet<Differing>>>,
    to_fetch: VecDeque<(AppName, InstanceId)>,
    findings: Findings,
}

impl Exchange {
    /// Begins one where the last one with this peer ended. Gives the first request.
    pub fn begin(registry: &Registry, rest: Option<(String, String)>) -> Result<(Self, Vec<u8>), DigestError> {
        let first = rest.as_ref().map_or("", |(app, _)| app);
        let (mut apps, mut until, mut names) = (BTreeMap::new(), None, 0);
        let mut all = summary(registry).into_iter().filter(|(app, _)| app.as_str() >= first).peekable();
        while let Some((app, digest)) = all.next() {
            names += app.as_str().len() + FIGURES;
            if names > MOST_NAMES && all.peek().is_some() {
                until = Some(app.as_str().to_owned());
            }
            apps.insert(app.as_str().to_owned(), (digest.count, digest.hash));
            if until.is_some() {
                break;
            }
        }
        let asked = Asked { after: rest.clone(), until: until.clone(), apps };
        let (to_fetch, findings) = (VecDeque::new(), Findings::default());
        let exchange = Self { after: rest, until, compared: false, fetches: 0, known: None, to_fetch, findings };
        Ok((exchange, serde_json::to_vec(&Request::Compare(asked))?))
    }

    /// Mends only what differed before: what is new may be on its way still.
    #[must_use]
    pub fn mending(self, known: Arc<BTreeSet<Differing>>) -> Self {
        Self { known: Some(known), ..self }
    }

    /// Takes an answer that came so long after its request, at the wall time `now`. Gives the next request,
    /// or none at the end.
    pub fn answered(
        &mut self,
        registry: &Registry,
        answer: &[u8],
        took: Duration,
        now: WallMillis,
    ) -> Result<Option<Vec<u8>>, DigestError> {
        let way = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        if self.compared {
            self.take(registry, serde_json::from_slice(answer)?, way, now)?;
        } else {
            self.compared = true;
            self.mend(registry, serde_json::from_slice(answer)?, way, now)?;
        }
        if self.to_fetch.is_empty() {
            return Ok(None);
        }
        if self.fetches == MOST_FETCHES {
            self.findings.fresh.extend(self.to_fetch.drain(..));
            return Ok(None);
        }
        self.fetches += 1;
        let places = self.to_fetch.iter().take(FETCH);
        let places: Vec<Place> = places.map(|(app, id)| (app.as_str().to_owned(), id.as_str().to_owned())).collect();
        Ok(Some(serde_json::to_vec(&Request::Fetch(places))?))
    }

    /// What it found.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    fn mend(&mut self, registry: &Registry, theirs: Differences, way: u64, now: WallMillis) -> Result<(), DigestError> {
        let leads_on = |next: &Place| self.after.as_ref().is_none_or(|after| next > after);
        let most = theirs.held.len().max(theirs.ended.len());
        if most > MOST_ENTRIES || !theirs.next.as_ref().is_none_or(leads_on) {
            return Err(DigestError::OtherAnswer);
        }
        for ended in theirs.ended.iter().map(|entry| entry.ended(way)) {
            let stands = registry.held(&ended.app, &ended.id).is_some();
            if stands && self.is_ripe(&ended.app, &ended.id) && registry.end_as(&ended) {
                self.findings.differences += 1;
                self.findings.mended += 1;
            }
        }
        let mut notes = Notes::of(theirs.notes);
        for holding in theirs.held.iter().filter_map(|entry| entry.holding(way, now)) {
            let holding = notes.under(holding);
            registry.confirm(&holding);
            match registry.compare(&holding) {
                Difference::None => {}
                Difference::Status | Difference::Instance if !self.is_ripe(&holding.app, &holding.id) => {
                    self.findings.differences += 1;
                }
                Difference::Stamp | Difference::Status => {
                    let seen = usize::from(registry.agree(&holding));
                    self.findings.differences += seen;
                    self.findings.mended += seen;
                }
                Difference::Instance => {
                    self.findings.differences += 1;
                    self.to_fetch.push_back((holding.app, holding.id));
                }
            }
        }
        // After all of an application come those whose name goes on after its name.
        let after = |app: String| (app + "\0", String::new());
        self.findings.rest = theirs.next.or_else(|| self.until.take().map(after));
        Ok(())
    }

    /// Whether a difference is to be mended; else it is remembered.
    fn is_ripe(&mut self, app: &AppName, id: &InstanceId) -> bool {
        let Some(known) = &self.known else { return true };
        let place = (app.clone(), id.clone());
        let ripe = known.contains(&place);
        if !ripe {
            self.findings.fresh.insert(place);
        }
        ripe
    }

    fn take(&mut self, registry: &Registry, fetched: Fetched, way: u64, now: WallMillis) -> Result<(), DigestError> {
        let asked = self.to_fetch.len().min(FETCH);
        if fetched.answered == 0 || fetched.answered > asked || fetched.instances.len() > fetched.answered {
            return Err(DigestError::OtherAnswer);
        }
        self.to_fetch.drain(..fetched.answered);
        let mut notes = Notes::of(fetched.notes);
        for (entry, document) in &fetched.instances {
            let Some(holding) = entry.holding(way, now).map(|holding| notes.under(holding)) else { continue };
            let read = json::read_instance(document.get().as_bytes(), &Limits::default());
            let accepted = |registration: Registration| registration.accept(&holding.app, now).ok();
            // What is broken at the peer stays there.
            let Some(instance) = read.ok().and_then(accepted).filter(|instance| instance.id == holding.id) else {
                continue;
            };
            self.findings.mended += usize::from(registry.take_remaining(&holding, instance));
        }
        Ok(())
    }
}

/// Plays one whole exchange between two nodes in one process: what `asking` holds is mended by what
/// `other` holds. Between its messages no time passes.
pub fn repair(asking: &Registry, other: &Registry, now: WallMillis) -> Result<Findings, DigestError> {
    let (mut exchange, request) = Exchange::begin(asking, None)?;
    let mut next = Some(request);
    while let Some(request) = next {
        next = exchange.answered(asking, &answer(other, &request)?, Duration::ZERO, now)?;
    }
    Ok(exchange.findings)
}
