//! What a URL leads to: a peer, a node that another URL leads to, or this node itself.
//!
//! Names and load balancers change their minds, so nothing is final: where nobody is told anything, it is
//! asked again who is there. Where this node itself answers in the place of another that was there a moment
//! ago, the exchange has failed, and what was sent is kept for the other until it would expire. Of several URLs
//! of a node the first that does not fail is the one by which it is told.

use std::sync::Arc;

use super::Peers;
use super::identity::Identity;
use super::peer::{Peer, Standing};

impl Peers {
    /// Whether it is this node itself.
    pub(super) fn is_own(&self, identity: Option<Identity>) -> bool {
        identity.is_some_and(|identity| identity.node == self.context.node)
    }

    /// Takes note of who answered: this node itself and nodes that other URLs lead to are told nothing.
    pub(super) fn recognise(&self, peer: &Arc<Peer>, identity: Option<Identity>) {
        let now = self.context.clock.mono();
        let list = self.list.lock();
        let Some(place) = list.iter().position(|listed| Arc::ptr_eq(listed, peer)) else {
            // Nobody would close an outbox that it were given now.
            return;
        };
        let standing = match identity {
            Some(_) if self.is_own(identity) => Standing::Own,
            Some(Identity { node, .. }) => {
                let mut before = list.iter().take(place);
                let known = before.any(|other| other.node() == Some(node) && other.is_told());
                if known { Standing::Alias } else { Standing::Peer }
            }
            None => Standing::Peer,
        };
        let mut found = peer.found.lock();
        if standing != Standing::Own {
            found.other_answered = Some(now);
        } else if found.other_answered.is_some_and(|at| now.since(at) < self.context.limits.longest) {
            return;
        }
        if identity.map(|identity| identity.node) != found.identity.map(|identity| identity.node) {
            found.hearing.restart();
            found.stream = None;
        }
        found.identity = identity;
        if found.standing == standing {
            return;
        }
        if standing == Standing::Peer {
            found.post = self.open_post(&peer.url);
            if found.post.is_none() {
                // It is asked again later, as whatever it was.
                return;
            }
        }
        found.standing = standing;
        drop(found);
        drop(list);
        match standing {
            Standing::Own => tracing::info!(url = %peer.url, "this node itself, it is no peer"),
            Standing::Alias => tracing::info!(url = %peer.url, "another URL of a peer, it is told by the first"),
            Standing::Peer => return,
        }
        self.drop_post(peer);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::time::Duration;

    use crate::access::tls::Outgoing;
    use crate::clock::Clock;
    use crate::registry::{Registry, Rules};
    use crate::settings::{PeerUrl, ReplicationSettings, Settings};

    use super::super::{Calls, Context, Credentials, Failure, Next, NodeId, OutboxLimits, Outboxes, Stream};
    use super::*;

    fn node(number: u64) -> Identity {
        Identity::own(NodeId::of(number), true)
    }

    /// Node 1, whose tasks do not run.
    fn peers(urls: &[PeerUrl]) -> (Peers, Vec<Arc<Peer>>) {
        let Settings { leases, preservation, opening, catalog, .. } = Settings::from_words::<&str>(&[]).unwrap();
        let clock = Clock::held(1_760_000_000_000);
        let context = Context {
            node: NodeId::of(1),
            registry: Arc::new(Registry::new(Rules { leases, preservation, opening, catalog }, clock.clone())),
            outboxes: Arc::new(Outboxes::default()),
            limits: OutboxLimits { tasks: 10, longest: Duration::from_secs(30) },
            refusals: Arc::default(),
            calls: Calls::new(
                &ReplicationSettings::default(),
                Credentials::none(),
                &Outgoing::default(),
                Arc::new(|| Identity::own(NodeId::of(1), true)),
            ),
            digest_interval: None,
            clock,
        };
        let peers = Peers::new(context);
        peers.set(urls);
        let list = peers.list.lock().clone();
        (peers, list)
    }

    fn urls<const N: usize>(urls: [&str; N]) -> [PeerUrl; N] {
        urls.map(|url| url.parse().unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_has_gone_is_given_no_outbox() {
        let [a, b] = urls(["http://a/", "http://b/"]);
        let (peers, list) = peers(&[a.clone(), b]);
        peers.recognise(&list[0], Some(node(2)));
        peers.recognise(&list[1], Some(node(2)));
        assert_eq!(list[1].standing(), Standing::Alias);
        assert_eq!(peers.context.outboxes.all().len(), 1);
        peers.set(&[a]);
        // What was on its way when the list changed.
        peers.recognise(&list[1], Some(node(3)));
        assert_eq!(peers.context.outboxes.all().len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn who_calls_itself_a_peer_takes_no_turn_of_it() {
        let (peers, list) = peers(&urls(["http://a/"]));
        peers.recognise(&list[0], Some(node(2)));
        let (own, forged) = (Some(Stream::of(20)), Some(Stream::of(30)));
        peers.heard(node(2), own, None);
        peers.heard(node(2), forged, None);
        let turn = peers.admit(NodeId::of(2), forged);
        assert!(turn.is_some() && peers.admit(NodeId::of(2), None).is_none(), "that of strangers");
        assert!(peers.admit(NodeId::of(2), own).is_some());
        // Another process.
        peers.recognise(&list[0], Some(node(3)));
        peers.heard(node(3), forged, None);
        assert!(peers.admit(NodeId::of(3), forged).is_some() && peers.admit(NodeId::of(3), own).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_is_back_is_told_what_it_missed_when_it_says_its_first_word() {
        let (peers, list) = peers(&urls(["http://a/"]));
        let (post, now) = (list[0].post().unwrap(), peers.context.clock.mono());
        let greets = || matches!(post.outbox.lock().next(now, |_, _| None), Next::Send(_));
        let fails = || post.outbox.lock().answered(Err(Failure::NotThere("refused".into())), now);
        assert!(greets());
        fails();
        assert!(!greets(), "it is left alone for a while");
        peers.heard(node(2), None, None);
        assert!(greets(), "somebody new may be this peer");
        fails();
        peers.heard(node(2), None, None);
        assert!(!greets(), "the same one again says nothing new");
    }

    #[tokio::test(start_paused = true)]
    async fn a_second_url_of_a_node_stands_in_while_the_first_fails() {
        let (peers, list) = peers(&urls(["http://a/", "http://b/"]));
        let [a, b] = &list[..] else { panic!("two") };
        peers.recognise(a, Some(node(2)));
        peers.recognise(b, Some(node(2)));
        assert_eq!(b.standing(), Standing::Alias);
        let first = a.post().unwrap();
        first.outbox.lock().answered(Err(Failure::TimedOut), peers.context.clock.mono());
        peers.recognise(b, Some(node(2)));
        assert_eq!((b.standing(), b.post().is_some()), (Standing::Peer, true), "nobody else tells the node anything");
        first.outbox.lock().answered(Ok(Vec::new()), peers.context.clock.mono());
        peers.recognise(a, Some(node(2)));
        peers.recognise(b, Some(node(2)));
        assert_eq!((a.standing(), b.standing(), b.post().is_some()), (Standing::Peer, Standing::Alias, false));
    }

    #[tokio::test(start_paused = true)]
    async fn a_url_that_led_to_another_leads_here_only_after_a_time() {
        let (peers, list) = peers(&urls(["http://a/", "http://b/"]));
        let [a, b] = &list[..] else { panic!("two") };
        peers.recognise(a, Some(node(1)));
        assert_eq!((a.standing(), a.post().is_some()), (Standing::Own, false), "at first sight");
        peers.recognise(a, Some(node(2)));
        assert_eq!((a.standing(), a.post().is_some()), (Standing::Peer, true), "it leads elsewhere now");

        peers.recognise(b, None);
        for _ in 0..29 {
            tokio::time::advance(Duration::from_secs(1)).await;
            peers.recognise(b, Some(node(1)));
            assert_eq!((b.standing(), b.post().is_some(), b.node()), (Standing::Peer, true, None));
        }
        tokio::time::advance(Duration::from_secs(1)).await;
        peers.recognise(b, Some(node(1)));
        assert_eq!((b.standing(), b.post().is_some()), (Standing::Own, false));
    }
}
