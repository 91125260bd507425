//! Single pieces of the library: codec, registry, catalog.
#![allow(clippy::expect_used, reason = "a benchmark that cannot go on says so by failing")]
#![allow(missing_docs, reason = "criterion's macros write functions")]

#[path = "load/fleet.rs"]
#[allow(dead_code, reason = "the load program sends more")]
mod fleet;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use eurekad::catalog::{Catalog, Coding, Form, What};
use eurekad::clock::Clock;
use eurekad::codec::pieces::{self, Edges};
use eurekad::codec::{Detail, Format, Group, Limits, Shown, json};
use eurekad::model::{AppName, Instance};
use eurekad::registry::{Origin, Registry};
use eurekad::server::App;
use eurekad::settings::Settings;
use flate2::{Compress, Compression, FlushCompress};

use fleet::{Fleet, Load};

const INSTANCES: usize = 10_000;
const APPS: usize = 500;
/// Instances in a page of the catalog, about.
const IN_A_PAGE: usize = 120;
/// What the catalog compresses with.
const LEVEL: u32 = 4;

/// The body of request n of a load.
fn body(fleet: &Fleet, load: Load, n: usize) -> Vec<u8> {
    let request = fleet.request(load, n).bytes.into_owned();
    let head = request.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head");
    request[head + 4..].to_vec()
}

fn instance(body: &[u8], clock: &Clock) -> Instance {
    let read = json::read_instance(body, &Limits::default()).expect("an instance");
    let app = read.app.clone();
    read.accept(&app, clock.now().wall).expect("a whole instance")
}

/// A server with the fleet in it, and an instance of it.
struct Filled {
    app: App,
    fleet: Fleet,
    clock: Clock,
    one: Instance,
}

impl Filled {
    fn new() -> Self {
        let (clock, fleet) = (Clock::system(), Fleet::new(INSTANCES, APPS));
        let app = App::new(&Settings::from_words::<&str>(&[]).expect("settings"), clock.clone());
        for n in 0..INSTANCES {
            app.registry().register(instance(&body(&fleet, Load::Everybody, n), &clock), Origin::Client);
        }
        app.open();
        let one = instance(&body(&fleet, Load::Everybody, 0), &clock);
        Self { app, fleet, clock, one }
    }

    fn registry(&self) -> &Arc<Registry> {
        self.app.registry()
    }

    /// Instances as a page of the catalog has them.
    fn page(&self) -> Vec<Group> {
        let shown = |n| {
            let instance = instance(&body(&self.fleet, Load::Everybody, n), &self.clock);
            let lease = self.registry().held(&instance.app, &instance.id).expect("it is registered");
            Shown { instance: Arc::clone(&lease.instance), times: lease.times() }
        };
        // The fleet deals its instances to the applications in turn.
        let group = |app: usize| -> Group {
            let instances: Vec<Shown> = (app..INSTANCES).step_by(APPS).map(shown).collect();
            Group {
                name: instances.first().map_or_else(|| AppName::new(""), |one| one.instance.app.clone()),
                instances,
            }
        };
        (0..IN_A_PAGE * APPS / INSTANCES).map(group).collect()
    }
}

fn codec(criterion: &mut Criterion, filled: &Filled) {
    let mut group = criterion.benchmark_group("codec");
    let registration = body(&filled.fleet, Load::Everybody, 0);
    group.bench_function("read a registration, JSON", |bencher| {
        bencher.iter(|| json::read_instance(black_box(&registration), &Limits::default()));
    });
    let page = filled.page();
    for (format, name) in [(Format::Json, "JSON"), (Format::Xml, "XML")] {
        let bytes = pieces::piece(format, Detail::Full, &page, Edges::WHOLE);
        group.throughput(Throughput::Bytes(u64::try_from(bytes.len()).expect("a length")));
        group.bench_function(format!("write a page, {name}"), |bencher| {
            bencher.iter(|| pieces::piece(format, Detail::Full, black_box(&page), Edges::WHOLE));
        });
        group.bench_function(format!("deflate a page, {name}"), |bencher| {
            let mut deflated = Vec::with_capacity(bytes.len());
            bencher.iter(|| {
                deflated.clear();
                let mut compress = Compress::new(Compression::new(LEVEL), false);
                compress.compress_vec(black_box(&bytes), &mut deflated, FlushCompress::Full)
            });
        });
    }
    group.finish();
}

fn registry(criterion: &mut Criterion, filled: &Filled) {
    let mut group = criterion.benchmark_group("registry, 10,000 instances");
    let (registry, one) = (filled.registry(), &filled.one);
    group.bench_function("renew", |bencher| {
        let dirty = Some(one.last_dirty);
        bencher.iter(|| registry.renew(one.app.as_str(), one.id.as_str(), dirty, None, Origin::Client));
    });
    group.bench_function("register", |bencher| {
        bencher.iter_batched(|| one.clone(), |one| registry.register(one, Origin::Client), BatchSize::SmallInput);
    });
    group.finish();
}

fn catalog(criterion: &mut Criterion, filled: &Filled) {
    let mut group = criterion.benchmark_group("catalog, 10,000 instances");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (registry, catalog): (_, &Arc<Catalog>) = (filled.registry(), filled.app.catalog());
    for (format, coding, name) in [
        (Format::Json, Coding::Gzip, "JSON gzip"),
        (Format::Json, Coding::Plain, "JSON plain"),
        (Format::Xml, Coding::Gzip, "XML gzip"),
        (Format::Xml, Coding::Plain, "XML plain"),
    ] {
        let form = Form { format, detail: Detail::Full, coding };
        group.bench_function(format!("answer again, {name}"), |bencher| {
            bencher.iter(|| runtime.block_on(catalog.answer(&What::Apps, form)));
        });
        let mut n = 0;
        group.bench_function(format!("answer after a change, {name}"), |bencher| {
            let change = || {
                n += 1;
                let changed = instance(&body(&filled.fleet, Load::Changes, n), &filled.clock);
                registry.register(changed, Origin::Client);
            };
            bencher.iter_batched(
                change,
                |()| runtime.block_on(catalog.answer(&What::Apps, form)),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

fn all(criterion: &mut Criterion) {
    let filled = Filled::new();
    codec(criterion, &filled);
    registry(criterion, &filled);
    catalog(criterion, &filled);
}

criterion_group!(benches, all);
criterion_main!(benches);
