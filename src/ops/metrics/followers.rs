//! Figures of those who follow what happens.

use crate::ops::Context;

use super::family::{Family, Labels};

pub(super) fn families(context: &Context) -> Vec<Family> {
    let events = context.events.figures();
    let mut lost = Family::counter("eurekad_event_readers_lost", "Readers of events that were closed or refused.");
    lost.push(vec![("reason", "slow".into())], events.dropped_readers);
    lost.push(vec![("reason", "refused".into())], events.refused_readers);
    let mut families = vec![
        Family::gauge("eurekad_event_readers", "Readers of events, long polls among them.").of(events.readers),
        Family::counter("eurekad_events", "Events that were made; there are none while nobody reads any.")
            .of(events.events),
        Family::counter("eurekad_event_gaps", "Gaps that readers of events were told of.").of(events.gaps),
        lost,
    ];
    families.extend(webhooks(context));
    families
}

fn webhooks(context: &Context) -> [Family; 4] {
    let mut queue = Family::gauge("eurekad_webhook_queue", "Events that wait for a webhook.");
    let mut sent = Family::counter("eurekad_webhook_sent", "Events that a webhook took.");
    let help = "Events that a webhook did not get: refused by it, or dropped as too many waited.";
    let mut lost = Family::counter("eurekad_webhook_lost", help);
    let mut retries = Family::counter("eurekad_webhook_retries", "Requests to a webhook that were sent again.");
    for figures in context.webhooks.figures() {
        let labels = || -> Labels { vec![("webhook", figures.url.clone().into())] };
        let because = |reason: &'static str| [labels(), vec![("reason", reason.into())]].concat();
        queue.push(labels(), figures.queued);
        sent.push(labels(), figures.sent);
        lost.push(because("refused"), figures.failed);
        lost.push(because("dropped"), figures.dropped);
        retries.push(labels(), figures.retried);
    }
    [queue, sent, lost, retries]
}
