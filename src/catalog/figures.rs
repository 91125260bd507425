//! What lists cost: how often each was written anew, and how many bytes.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::codec::{Detail, Format};

use super::{Coding, Form, What};

/// The kinds of lists.
const LISTS: [&str; 6] = ["apps", "delta", "app", "vip", "svip", "part"];

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Figures([[Cell; FORMS]; LISTS.len()]);

const FORMS: usize = 8;

#[derive(Debug, Default)]
struct Cell {
    refreshes: AtomicU64,
    written: AtomicU64,
    last: AtomicU64,
}

/// What lists of one kind cost in one form, since the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListFigures {
    /// `apps`, `delta`, `app`, `vip`, `svip`, or `part`: what a filter lets through.
    pub list: &'static str,
    /// The form.
    pub form: Form,
    /// How often it was put together anew.
    pub refreshes: u64,
    /// Bytes that were written for that: of what did not change since the last time there are none.
    pub written: u64,
    /// Bytes of the last answer, as it is sent.
    pub last: u64,
}

impl Figures {
    /// Notes that a list was put together, from so many bytes that had to be written for it.
    pub(super) fn note(&self, what: &What, form: Form, written: usize, length: usize) {
        if let Some(cell) = self.0.get(place_of_list(what)).and_then(|list| list.get(place_of_form(form))) {
            cell.refreshes.fetch_add(1, Ordering::Relaxed);
            cell.written.fetch_add(u64::try_from(written).unwrap_or(u64::MAX), Ordering::Relaxed);
            cell.last.store(u64::try_from(length).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
    }

    /// Of all lists that were ever written.
    pub(super) fn all(&self) -> Vec<ListFigures> {
        let lists = LISTS.iter().zip(&self.0);
        let cells =
            lists.flat_map(|(list, forms)| forms.iter().enumerate().map(move |(form, cell)| (list, form, cell)));
        let figures = cells.map(|(list, form, cell)| ListFigures {
            list,
            form: form_at(form),
            refreshes: cell.refreshes.load(Ordering::Relaxed),
            written: cell.written.load(Ordering::Relaxed),
            last: cell.last.load(Ordering::Relaxed),
        });
        figures.filter(|figures| figures.refreshes > 0).collect()
    }
}

fn place_of_list(what: &What) -> usize {
    match what {
        What::Apps => 0,
        What::Delta => 1,
        What::App(_) => 2,
        What::Vip(_) => 3,
        What::SecureVip(_) => 4,
        What::Part(_) => 5,
    }
}

fn place_of_form(form: Form) -> usize {
    let bit = |is_set, bit: usize| if is_set { 1 << bit } else { 0 };
    bit(form.format == Format::Xml, 0) | bit(form.detail == Detail::Compact, 1) | bit(form.coding == Coding::Gzip, 2)
}

fn form_at(place: usize) -> Form {
    let bit = |bit: usize| place & (1 << bit) != 0;
    Form {
        format: if bit(0) { Format::Xml } else { Format::Json },
        detail: if bit(1) { Detail::Compact } else { Detail::Full },
        coding: if bit(2) { Coding::Gzip } else { Coding::Plain },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::AppName;

    #[test]
    fn each_form_of_each_list_has_figures_of_its_own() {
        let figures = Figures::default();
        for place in 0..FORMS {
            assert_eq!(place_of_form(form_at(place)), place);
            figures.note(&What::Apps, form_at(place), place, 100);
        }
        for what in [What::Delta, What::App(AppName::new("A")), What::Vip("a".into()), What::SecureVip("a".into())] {
            figures.note(&what, form_at(3), 7, 7);
            figures.note(&what, form_at(3), 1, 6);
        }
        let all = figures.all();
        assert_eq!(
            all.iter().filter(|list| list.list == "apps").map(|list| list.written).collect::<Vec<_>>(),
            [0, 1, 2, 3, 4, 5, 6, 7]
        );
        let others: Vec<_> = all.iter().filter(|list| list.list != "apps").collect();
        assert_eq!(others.iter().map(|list| list.list).collect::<Vec<_>>(), LISTS[1..5]);
        assert!(others.iter().all(|list| (list.refreshes, list.written, list.last) == (2, 8, 6)));
    }
}
