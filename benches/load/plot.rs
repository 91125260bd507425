//! A drawing with both axes logarithmic: what grows in proportion is a line that rises by a decade a
//! decade, what does not grow is level.

use std::fmt::Write as _;

/// A drawing.
#[derive(Debug)]
pub(crate) struct Plot {
    pub(crate) title: String,
    pub(crate) curves: Vec<Curve>,
}

/// Points that belong together, from the left to the right.
#[derive(Debug)]
pub(crate) struct Curve {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 80.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 40.0;
const COLOURS: [&str; 4] = ["#0b6e99", "#c2571a", "#5b8c2a", "#7a4ea3"];

/// Decades from and to, in logarithms, and the place of both on paper.
struct Axis {
    decades: (f64, f64),
    paper: (f64, f64),
}

impl Axis {
    fn over(values: impl Iterator<Item = f64> + Clone, paper: (f64, f64)) -> Self {
        let lowest = values.clone().fold(f64::INFINITY, f64::min).max(1e-3).log10().floor();
        let highest = values.fold(1e-3, f64::max).log10().ceil();
        Self { decades: (lowest, highest.max(lowest + 1.0)), paper }
    }

    fn place(&self, value: f64) -> f64 {
        let share = (value.max(1e-3).log10() - self.decades.0) / (self.decades.1 - self.decades.0);
        self.paper.0 + share * (self.paper.1 - self.paper.0)
    }

    /// The powers of ten.
    fn marks(&self) -> impl Iterator<Item = f64> {
        let (from, to) = self.decades;
        std::iter::successors(Some(from), |decade| Some(decade + 1.0))
            .take_while(move |decade| *decade <= to + 0.5)
            .map(|decade| 10f64.powf(decade))
    }
}

impl Plot {
    /// As SVG.
    pub(crate) fn svg(&self) -> String {
        let points = || self.curves.iter().flat_map(|curve| curve.points.iter());
        let x = Axis::over(points().map(|point| point.0), (LEFT, WIDTH - RIGHT));
        let y = Axis::over(points().map(|point| point.1), (HEIGHT - BOTTOM, TOP));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"11\" fill=\"#333\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        );
        let title = self.title.replace('&', "&amp;").replace('<', "&lt;");
        text(&mut svg, (LEFT, 20.0), "start", &title);
        text(&mut svg, (f64::midpoint(LEFT, WIDTH - RIGHT), HEIGHT - 6.0), "middle", "instances");
        for mark in x.marks() {
            let at = x.place(mark);
            line(&mut svg, (at, TOP), (at, HEIGHT - BOTTOM));
            text(&mut svg, (at, HEIGHT - BOTTOM + 15.0), "middle", &power(mark));
        }
        for mark in y.marks() {
            let at = y.place(mark);
            line(&mut svg, (LEFT, at), (WIDTH - RIGHT, at));
            text(&mut svg, (LEFT - 6.0, at + 4.0), "end", &power(mark));
        }
        for (curve, colour) in self.curves.iter().zip(COLOURS.into_iter().cycle()) {
            let places: Vec<_> = curve.points.iter().map(|point| (x.place(point.0), y.place(point.1))).collect();
            let path: Vec<_> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
                path.join(" ")
            );
            for (x, y) in &places {
                let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
            }
        }
        for (name, colour, at) in self.labels(&y) {
            let _ = writeln!(svg, "<text x=\"{}\" y=\"{at:.1}\" fill=\"{colour}\">{name}</text>", WIDTH - RIGHT + 8.0);
        }
        svg + "</svg>\n"
    }

    /// The curves' names beside their ends, apart from each other.
    fn labels(&self, y: &Axis) -> Vec<(&str, &'static str, f64)> {
        const APART: f64 = 13.0;
        let ends = self.curves.iter().zip(COLOURS.into_iter().cycle()).filter_map(|(curve, colour)| {
            let (_, end) = curve.points.last()?;
            Some((curve.name.as_str(), colour, y.place(*end) + 4.0))
        });
        let mut labels: Vec<_> = ends.collect();
        labels.sort_by(|one, other| one.2.total_cmp(&other.2));
        let mut above = f64::NEG_INFINITY;
        for label in &mut labels {
            label.2 = label.2.max(above + APART);
            above = label.2;
        }
        labels
    }
}

fn line(svg: &mut String, from: (f64, f64), to: (f64, f64)) {
    let _ = writeln!(
        svg,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#ddd\"/>",
        from.0, from.1, to.0, to.1
    );
}

fn text(svg: &mut String, at: (f64, f64), anchor: &str, words: &str) {
    let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{words}</text>", at.0, at.1);
}

/// A power of ten in digits.
fn power(value: f64) -> String {
    if value < 1.0 {
        format!("{value}")
    } else {
        super::report::number(value).trim_end_matches(".00").trim_end_matches(".0").to_owned()
    }
}
