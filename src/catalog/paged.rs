//! The whole registry as an answer: head, pages, tail, put together from bytes that are there already
//! for all pages that did not change.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::blocking::off_the_workers;
use crate::clock::Monotonic;
use crate::codec::Group;
use crate::codec::pieces::{self, Edges, Frame};

use super::answer::Content;
use super::gzip::Member;
use super::page::{Page, weight};
use super::pages::PAGE;
use super::ready::Age;
use super::view::is_worth_a_thread;
use super::{Coding, Form, Piece};

/// A list that was put together.
pub(super) struct Paged {
    pub(super) pieces: Vec<Piece>,
    /// When the oldest of its pages was written.
    pub(super) oldest: Monotonic,
    /// Bytes of the pages that had to be made for it.
    pub(super) written: usize,
}

/// Puts the list of these pages together; what is missing of them is made first. `most_plain` says how many
/// bytes are kept plain.
pub(super) async fn assemble(pages: Vec<Arc<Page>>, hash: String, form: Form, age: Age, most_plain: usize) -> Paged {
    let kept = form.kept(pages.iter().map(|page| page.weight()).sum(), most_plain);
    let edges = all_edges(&pages);
    let now = age.now;
    let old = move |place: usize| Age { most: age.most.saturating_sub(spread(age.most, place)), ..age };
    let each = pages.iter().zip(&edges).enumerate();
    let missing = each.filter(|(place, (page, edges))| page.get(kept, **edges, old(*place)).is_none());
    let is_long = is_worth_a_thread(missing.flat_map(|(_, (page, _))| page.leases()).map(|lease| &*lease.instance));
    let complete = move || {
        let each = pages.iter().zip(edges).enumerate();
        let mut written = 0;
        let contents = each.map(|(place, (page, edges))| {
            page.get(kept, edges, old(place)).unwrap_or_else(|| {
                let made = page.make(kept, edges, now);
                written += made.kept();
                (made, now)
            })
        });
        (contents.collect::<Vec<_>>(), written)
    };
    let (contents, written) = if is_long { off_the_workers(complete).await } else { complete() };
    let oldest = contents.iter().map(|(_, at)| *at).min().unwrap_or(now);
    let frame = Frame { version: 1, hash: &hash, empty: contents.is_empty() };
    Paged { pieces: join(contents.into_iter().map(|(content, _)| content), form, frame), oldest, written }
}

/// Writes a list of applications that is not kept in pages, piece by piece: in memory there is never much more of
/// it than is kept.
pub(super) fn write(apps: Vec<Group>, frame: Frame<'_>, form: Form, most_plain: usize) -> Vec<Piece> {
    let length = apps.iter().flat_map(|app| &app.instances).map(|shown| weight(&shown.instance)).sum();
    let kept = form.kept(length, most_plain);
    join(parts(apps).into_iter().map(|(part, edges)| Content::of(kept, &part, edges)), form, frame)
}

/// Parts of a page's size; an application may go over the edge of one.
fn parts(apps: Vec<Group>) -> Vec<(Vec<Group>, Edges)> {
    let mut parts: Vec<(Vec<Group>, Edges)> = Vec::new();
    let mut room = 0;
    for Group { name, instances } in apps {
        for (place, shown) in instances.into_iter().enumerate() {
            let weight = weight(&shown.instance);
            if weight > room {
                room = PAGE;
                let opens = place == 0;
                if let Some((_, before)) = parts.last_mut() {
                    before.closes = opens;
                }
                parts.push((Vec::new(), Edges { opens, closes: true }));
            }
            room = room.saturating_sub(weight);
            if let Some((part, _)) = parts.last_mut() {
                if part.last().is_none_or(|group| group.name != name) {
                    part.push(Group { name: name.clone(), instances: Vec::new() });
                }
                if let Some(group) = part.last_mut() {
                    group.instances.push(shown);
                }
            }
        }
    }
    parts
}

/// An application may go over the edge of a page.
fn all_edges(pages: &[Arc<Page>]) -> Vec<Edges> {
    let apart = |before: Option<&Arc<Page>>, after: Option<&Arc<Page>>| {
        let last = before.and_then(|page| page.last());
        let first = after.and_then(|page| page.first());
        last.zip(first).is_none_or(|(last, first)| last.app != first.app)
    };
    let edge = |place: usize| Edges {
        opens: apart(place.checked_sub(1).and_then(|before| pages.get(before)), pages.get(place)),
        closes: apart(pages.get(place), pages.get(place + 1)),
    };
    (0..pages.len()).map(edge).collect()
}

/// How much earlier than others a page is written again, so that not all are at once.
fn spread(most: Duration, place: usize) -> Duration {
    let eighths = u32::try_from(place % 8).unwrap_or_default();
    most / 32 * eighths
}

fn join(contents: impl Iterator<Item = Content>, form: Form, frame: Frame<'_>) -> Vec<Piece> {
    match form.coding {
        Coding::Plain => plain(contents, form, frame),
        Coding::Gzip => vec![member(contents, form, frame).into()],
    }
}

fn plain(contents: impl Iterator<Item = Content>, form: Form, frame: Frame<'_>) -> Vec<Piece> {
    let mut joined: Vec<Piece> = vec![pieces::head(form.format, form.detail, frame).into()];
    let between = pieces::between(form.format);
    for content in contents {
        if joined.len() > 1 && !between.is_empty() {
            joined.push(Bytes::from_static(between).into());
        }
        joined.push(content.into());
    }
    joined.push(pieces::tail(form.format, form.detail, frame).into());
    joined
}

fn member(contents: impl Iterator<Item = Content>, form: Form, frame: Frame<'_>) -> Vec<u8> {
    let mut member = Member::new();
    member.store(&pieces::head(form.format, form.detail, frame));
    let between = pieces::between(form.format);
    for (place, content) in contents.enumerate() {
        if place > 0 && !between.is_empty() {
            member.store(between);
        }
        if let Content::Packed(packed) = content {
            member.add(&packed);
        }
    }
    member.finish(&pieces::tail(form.format, form.detail, frame))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;
    use proptest::prelude::*;

    use super::*;
    use crate::catalog::pages::Pages;
    use crate::catalog::pages::tests::{Step, lease, step};
    use crate::codec::{Detail, Document, Format, Group, json, xml};
    use crate::model::{AppName, InstanceId};

    const AGE: Age = Age { now: Monotonic(0), most: Duration::from_mins(3) };

    fn forms() -> impl Iterator<Item = Form> {
        let formats = [Format::Json, Format::Xml].into_iter();
        formats.flat_map(|format| {
            [Detail::Full, Detail::Compact]
                .into_iter()
                .flat_map(move |detail| [Coding::Plain, Coding::Gzip].map(|coding| Form { format, detail, coding }))
        })
    }

    fn groups(pages: &Pages) -> Vec<Group> {
        let mut apps: Vec<Group> = Vec::new();
        for lease in pages.list().iter().flat_map(|page| page.leases().to_vec()) {
            let shown = crate::catalog::page::shown(&lease);
            match apps.last_mut().filter(|app| app.name == lease.instance.app) {
                Some(app) => app.instances.push(shown),
                None => apps.push(Group { name: lease.instance.app.clone(), instances: vec![shown] }),
            }
        }
        apps
    }

    /// What one writer makes of all instances at once.
    fn whole(pages: &Pages, form: Form) -> Vec<u8> {
        let document = Document::Applications { version: 1, hash: "UP_1_".into(), apps: groups(pages) };
        match form.format {
            Format::Json => json::write_document(&document, form.detail),
            Format::Xml => xml::write_document(&document, form.detail),
        }
    }

    fn unpacked(pages: &Pages, form: Form, most_plain: usize, runtime: &tokio::runtime::Runtime) -> Vec<u8> {
        let list = runtime.block_on(assemble(pages.list(), "UP_1_".to_owned(), form, AGE, most_plain));
        bytes_of(list.pieces, form)
    }

    fn bytes_of(pieces: Vec<Piece>, form: Form) -> Vec<u8> {
        let bytes: Vec<u8> = pieces.into_iter().flat_map(Piece::into_bytes).collect();
        if form.coding == Coding::Plain {
            return bytes;
        }
        let mut all = Vec::new();
        let mut decoder = GzDecoder::new(&bytes[..]);
        assert!(decoder.read_to_end(&mut all).is_ok_and(|_| decoder.into_inner().is_empty()), "one member");
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn a_list_in_pages_is_what_one_writer_makes(steps in prop::collection::vec(step(), 1..60)) {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().build() else {
                return Err(TestCaseError::reject("no runtime"));
            };
            let mut pages = Pages::default();
            for (at, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Put(app, id, size) => drop(pages.put(lease(app, id, size))),
                    Step::Remove(app, id) => {
                        drop(pages.remove(&AppName::new(&format!("A{app}")), &InstanceId::new(format!("i-{id}"))));
                    }
                }
                // Pages that did not change keep their bytes from one step to the next.
                for form in forms().filter(|_| at % 5 == 0) {
                    let whole = whole(&pages, form);
                    prop_assert!(unpacked(&pages, form, usize::MAX, &runtime) == whole, "{form:?}");
                    prop_assert!(form.coding == Coding::Gzip || unpacked(&pages, form, 0, &runtime) == whole, "{form:?}");
                    let frame = Frame { version: 1, hash: "UP_1_", empty: pages.list().is_empty() };
                    let written = bytes_of(write(groups(&pages), frame, form, usize::MAX), form);
                    prop_assert!(written == whole, "{form:?}, not kept in pages");
                }
            }
        }
    }

    #[tokio::test]
    async fn a_change_makes_one_page_anew() {
        let mut pages = Pages::of((0..600).map(|id| lease(1, id, 1)).collect());
        let form = Form { format: Format::Json, detail: Detail::Full, coding: Coding::Gzip };
        let made = |pages: &Pages| {
            let list = pages.list();
            let edges = all_edges(&list);
            list.iter().zip(edges).filter(|(page, edges)| page.get(form, *edges, AGE).is_some()).count()
        };
        assemble(pages.list(), String::new(), form, AGE, 0).await;
        let all = pages.list().len();
        assert!(all > 3 && made(&pages) == all);
        pages.put(lease(1, 300, 1));
        assert_eq!(made(&pages), all - 1);
    }

    #[test]
    fn pages_grow_old_one_after_the_other() {
        let times: std::collections::BTreeSet<_> = (0..8).map(|place| spread(AGE.most, place)).collect();
        assert_eq!(times.len(), 8);
        assert!(times.iter().all(|time| *time < AGE.most / 4));
    }
}
