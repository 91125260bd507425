//! Who the peers are, now: from lists in the settings, names in DNS and a file (`PeerEurekaNodes`,
//! `EndpointUtils`).
//!
//! Java reads the settings every ten minutes and takes a name for one peer. Here each source has its
//! own pace, and one that is slow or silent holds up no other: names are asked every ten seconds,
//! the file is read every second, settings count when they change. A source that gives no peer, or
//! fails, keeps those it gave before, as Java does with its list as a whole.
//!
//! What is found may be this server itself: only the URL of `eureka.server.my-url` is left out here.
//! Two URLs may be one server, too: a name with an IPv4 and an IPv6 address gives two.
//!
//! | file | what |
//! | --- | --- |
//! | `source` | what can be asked, and what is made of its answer |
//! | `known` | what a source has given so far |
//! | `dns` | questions to name servers |

mod dns;
mod known;
mod source;

use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::settings::{OwnRoot, PeerSettings, PeerUrl, Settings};

use known::Known;
use source::{Part, Source, Terms};

/// The peers, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// In the order in which they are asked: those of the settings, the own zone's first, then those of
    /// DNS and of the file. No two are the same place.
    pub peers: Vec<PeerUrl>,
    /// The sources that have not given a peer yet, for people to read. While there are any, the list may
    /// be short of some.
    pub silent: Vec<String>,
    /// Those of the silent ones that could not be asked, or have not been yet: peers may be there. The others
    /// said that there are none.
    pub unanswered: Vec<String>,
}

/// Looks for the peers.
#[derive(Debug)]
pub struct Discovery {
    settings: PeerSettings,
    own: OwnRoot,
    known: Vec<Known>,
}

/// What a source said, and its place in the list of sources.
type Answer = (usize, Vec<Part>);

impl Discovery {
    /// Of a server that serves at `own`. Nobody has been asked yet.
    pub fn new(settings: PeerSettings, own: OwnRoot) -> Self {
        let known = Source::all(&settings).into_iter().map(Known::new).collect();
        Self { settings, own, known }
    }

    /// Goes by other settings. What the sources that stay have given stays.
    pub fn change_settings(&mut self, settings: PeerSettings) {
        let mut before = std::mem::take(&mut self.known);
        let known = |source| match before.iter().position(|known| known.source == source) {
            Some(place) => before.swap_remove(place),
            None => Known::new(source),
        };
        self.known = Source::all(&settings).into_iter().map(known).collect();
        self.settings = settings;
    }

    /// What is known now.
    pub fn found(&self) -> Found {
        let mut peers: Vec<PeerUrl> = Vec::new();
        for url in self.settings.listed().iter().chain(self.known.iter().flat_map(Known::peers)) {
            let is_own = self.settings.my_url.as_ref().is_some_and(|own| own.is_same_place(url));
            if !is_own && !peers.iter().any(|peer| peer.is_same_place(url)) {
                peers.push(url.clone());
            }
        }
        let silent = || self.known.iter().filter(|known| known.peers().next().is_none());
        let unanswered = silent().filter(|known| !known.answered).map(|known| known.source.to_string()).collect();
        Found { peers, silent: silent().map(|known| known.source.to_string()).collect(), unanswered }
    }

    /// Asks every source once, all at a time: some seconds at most.
    pub async fn find(&mut self) -> Found {
        let mut asked = self.ask(Duration::ZERO);
        while let Some(answer) = asked.join_next().await {
            if let Ok(answer) = answer {
                self.take(answer);
            }
        }
        self.found()
    }

    /// Keeps a list current for ever, and goes by the settings as they change. What the settings list
    /// is there at once, the rest when it is known.
    pub async fn keep(mut self, mut settings: watch::Receiver<Settings>, found: watch::Sender<Found>) {
        let current = settings.borrow_and_update().peers.clone();
        self.change_settings(current);
        let mut asked = self.ask(Duration::ZERO);
        loop {
            publish(&found, self.found());
            tokio::select! {
                Some(answer) = asked.join_next() => match answer {
                    Ok(answer) => {
                        let (place, _) = answer;
                        self.take(answer);
                        self.ask_again(&mut asked, place);
                    }
                    Err(error) => {
                        tracing::error!(%error, "looking for peers failed, it goes on");
                        asked = self.ask(self.settings.refresh);
                    }
                },
                Ok(()) = settings.changed() => {
                    let current = settings.borrow_and_update().peers.clone();
                    if current != self.settings {
                        self.change_settings(current);
                        asked = self.ask(Duration::ZERO);
                    }
                }
                else => std::future::pending().await,
            }
        }
    }

    /// Asks all sources after a while.
    fn ask(&self, after: Duration) -> JoinSet<Answer> {
        let mut asked = JoinSet::new();
        for place in 0..self.known.len() {
            self.ask_one(&mut asked, place, after);
        }
        asked
    }

    /// Asks a source that has just answered.
    fn ask_again(&self, asked: &mut JoinSet<Answer>, place: usize) {
        if let Some(known) = self.known.get(place) {
            self.ask_one(asked, place, known.source.pace(self.settings.refresh));
        }
    }

    fn ask_one(&self, asked: &mut JoinSet<Answer>, place: usize, after: Duration) {
        let Some(known) = self.known.get(place) else { return };
        let (source, terms) =
            (known.source.clone(), Terms { dns_server: self.settings.dns_server, own: self.own.clone() });
        asked.spawn(async move {
            tokio::time::sleep(after).await;
            (place, source.ask(&terms).await)
        });
    }

    fn take(&mut self, (place, answer): Answer) {
        if let Some(known) = self.known.get_mut(place) {
            known.take(answer);
        }
    }
}

fn publish(list: &watch::Sender<Found>, found: Found) {
    list.send_if_modified(|before| {
        let missing = |from: &Found, of: &Found| {
            let missing = of.peers.iter().filter(|url| !from.peers.iter().any(|other| other.is_same_place(url)));
            missing.map(PeerUrl::as_str).collect::<Vec<_>>().join(" ")
        };
        let (added, gone) = (missing(before, &found), missing(&found, before));
        if !added.is_empty() || !gone.is_empty() {
            tracing::info!(added, gone, "the list of peers changed");
        }
        let changed = *before != found;
        *before = found;
        changed
    });
}

#[cfg(test)]
mod tests;
