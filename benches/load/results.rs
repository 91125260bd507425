//! Figures by row and subject, and their medians.

use super::measure::{Figure, Row};

/// See the module.
#[derive(Debug)]
pub(crate) struct Results {
    subjects: usize,
    rows: Vec<(Row, Vec<Vec<f64>>)>,
}

impl Results {
    pub(crate) fn of(subjects: usize) -> Self {
        Self { subjects, rows: Vec::new() }
    }

    /// Adds figures of the subject with this number.
    pub(crate) fn add(&mut self, subject: usize, figures: impl IntoIterator<Item = Figure>) {
        for (row, value) in figures {
            if !self.rows.iter().any(|(other, _)| *other == row) {
                self.rows.push((row.clone(), vec![Vec::new(); self.subjects]));
            }
            let values = self.rows.iter_mut().find(|(other, _)| *other == row);
            if let Some(values) = values.and_then(|(_, values)| values.get_mut(subject)) {
                values.push(value);
            }
        }
    }

    /// The rows, each with the median of every subject; none where there is no figure.
    pub(crate) fn medians(&self) -> impl Iterator<Item = (&Row, Vec<Option<f64>>)> {
        self.rows.iter().map(|(row, values)| (row, values.iter().map(|values| median(values)).collect()))
    }
}

/// The one in the middle; the mean of both when there are two.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = sorted.get(sorted.len() / 2)?;
    let lower = sorted.get((sorted.len() - 1) / 2)?;
    Some(f64::midpoint(*lower, *upper))
}
