use super::*;
use crate::blocking::tests::while_no_thread_is_free;
use crate::catalog::page::shown;
use crate::catalog::pages::tests::lease;
use crate::codec::Detail;

const FORM: Form = Form { format: Format::Json, detail: Detail::Full, coding: Coding::Plain };

/// An application of two instances of so many kilobytes each.
fn app(kilobytes: usize) -> Document {
    let instances = [1, 2].map(|id| shown(&lease(1, id, kilobytes))).into();
    Document::Application(Group { name: AppName::new("A1"), instances })
}

#[test]
fn a_document_of_few_large_instances_is_not_written_on_a_worker() {
    let (at_once, long) = while_no_thread_is_free(write(app(1), FORM, Version(1)), write(app(300), FORM, Version(1)));
    assert_eq!(at_once, (true, false), "there is no thread for it yet");
    assert!(long.length > 600_000);
}
