#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::future::Future as _;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::*;
use crate::catalog::pages::Pages;
use crate::catalog::pages::tests::lease;
use crate::catalog::{Catalog, Coding, Form};
use crate::clock::Clock;
use crate::codec::{Detail, Format};
use crate::model::InstanceStatus;
use crate::registry::{Registry, Rules};
use crate::settings::Settings;

const FORM: Form = Form { format: Format::Json, detail: Detail::Full, coding: Coding::Plain };

fn catalog() -> Catalog {
    let Settings { leases, preservation, opening, catalog, .. } = Settings::default();
    let rules = Rules { leases, preservation, opening, catalog: catalog.clone() };
    Catalog::new(Arc::new(Registry::new(rules, Clock::system())), catalog, Clock::system())
}

fn zone(number: usize) -> What {
    What::Apps.only(Selection { zones: vec![number.to_string().into()], ..Selection::default() })
}

#[test]
fn equal_filters_are_equal_whatever_their_order() {
    let only = |apps: &[&str], statuses: &[InstanceStatus]| {
        let apps = apps.iter().map(|app| AppName::new(app)).collect();
        What::Apps.only(Selection { apps, statuses: statuses.to_vec(), ..Selection::default() })
    };
    let [up, down] = [InstanceStatus::Up, InstanceStatus::Down];
    assert_eq!(only(&["a", "b"], &[up, down, up]), only(&["B", "a", "b"], &[down, up]));
    assert_eq!(What::Apps.only(Selection::default()), What::Apps);
    assert_eq!(What::Delta.only(Selection { statuses: vec![up], ..Selection::default() }), What::Delta);
}

#[test]
fn only_pages_that_may_have_an_application_are_looked_through() {
    // Of 100 applications, far more than a page each.
    let leases = (0..100).flat_map(|app| (0..4).map(move |id| lease(app, id, 100)));
    let pages = Pages::of(leases.collect()).list();
    let named = |names: &[&str]| {
        let mut apps: Vec<AppName> = names.iter().map(|name| AppName::new(name)).collect();
        apps.sort();
        let looked: usize = pages.iter().filter(|page| may_have(page, &apps)).count();
        let found = of_pages(&pages, &Selection { apps, ..Selection::default() });
        (looked, found.iter().map(|app| (app.name.to_string(), app.instances.len())).collect::<Vec<_>>())
    };
    let four = |name: &str| (name.to_owned(), 4);
    let (looked, found) = named(&["A50", "A7", "NONE"]);
    assert_eq!(found, [four("A50"), four("A7")]);
    assert!(looked < 12, "{looked} of {}", pages.len());
    assert_eq!(named(&["NONE"]).1, []);
    assert_eq!(named(&[]).1.len(), 100);
}

#[tokio::test]
async fn no_flood_of_filters_fills_the_memory() {
    let catalog = catalog();
    for number in 0..2 * CAPACITY.answers {
        assert!(catalog.answer(&zone(number), FORM).await.is_some());
        assert!(catalog.plain.parts_kept() <= CAPACITY.answers);
    }
    assert!(catalog.plain.parts_kept() > CAPACITY.answers / 2);
}

#[tokio::test]
async fn parts_are_made_one_at_a_time_and_one_too_many_is_refused() {
    let catalog = catalog();
    let regions = catalog.plain_regions();
    let turn = catalog.plain.parts_turn().await;
    let parts: Vec<_> = (0..MOST_WAITING).map(zone).collect();
    let mut waiting: Vec<_> = parts.iter().map(|part| Box::pin(catalog.answer_with(regions, part, FORM))).collect();
    let mut nobody = Context::from_waker(Waker::noop());
    let places = MOST_WAITING - 1;
    for (place, asked) in waiting.iter_mut().enumerate() {
        let refused = matches!(asked.as_mut().poll(&mut nobody), Poll::Ready(Err(TooManyBuilt)));
        assert_eq!(refused, place == places, "{place}");
    }
    waiting.truncate(places);
    let whole = pin!(catalog.answer_with(regions, &What::Apps, FORM)).poll(&mut nobody);
    assert!(matches!(whole, Poll::Ready(Ok(Some(_)))), "whole lists do not wait");
    drop(turn);
    for asked in waiting {
        assert!(asked.await.unwrap().is_some());
    }
}
