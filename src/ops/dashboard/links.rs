//! Where a page's links lead: always relative, so that they hold below any context path and behind a proxy that puts
//! the server below a path of its own.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::model::Text;

/// What stands in a segment as it is.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What leads from a page to the others.
#[derive(Clone, Debug)]
pub(super) struct Links {
    /// To the dashboard: `./`, `../`.
    pub(super) home: String,
    /// To the API: `./eureka/`.
    pub(super) api: String,
}

impl Links {
    /// Of a page that `home` leads from, of a dashboard that lies so many segments below the context path.
    pub(super) fn new(home: &str, depth: usize) -> Self {
        Self { home: home.to_owned(), api: format!("{home}{}eureka/", "../".repeat(depth)) }
    }

    /// An application's page.
    pub(super) fn app(&self, app: &str) -> String {
        if is_plain(app) {
            format!("{}app/{}", self.home, encoded(app))
        } else {
            format!("{}app?name={}", self.home, encoded(app))
        }
    }

    /// An instance's page.
    pub(super) fn instance(&self, app: &str, id: &str) -> String {
        if is_plain(app) && is_plain(id) {
            format!("{}app/{}/{}", self.home, encoded(app), encoded(id))
        } else {
            format!("{}app?name={}&instance={}", self.home, encoded(app), encoded(id))
        }
    }

    /// What the API shows of an instance; none where a browser would go up instead.
    pub(super) fn raw(&self, app: &str, id: &str) -> Option<String> {
        let is_there = ![app, id].into_iter().any(goes_up);
        is_there.then(|| format!("{}apps/{}/{}", self.api, encoded(app), encoded(id)))
    }
}

/// Whether a name may stand in a path: proxies take `%2F` for a slash.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\\', '%', ';']) && !goes_up(name)
}

/// Whether a browser takes a segment for a place, however it is encoded.
fn goes_up(segment: &str) -> bool {
    segment == "." || segment == ".."
}

pub(super) fn encoded(segment: &str) -> String {
    utf8_percent_encode(segment, SEGMENT).to_string()
}

/// A URL that a client gave, if a browser may be sent there: not everything with a colon is an address.
pub(super) fn web_address(url: Option<&Text>) -> Option<&str> {
    let url = url?.trim();
    let has = |scheme: &str| url.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme));
    (has("http://") || has("https://")).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_no_path_carries_go_into_the_query() {
        let links = Links::new("../", 1);
        assert_eq!(links.api, "../../eureka/");
        assert_eq!(links.app("ORDERS"), "../app/ORDERS");
        assert_eq!(links.app("A/B"), "../app?name=A%2FB");
        assert_eq!(links.instance("ORDERS", "10.1.2.3:orders:8080"), "../app/ORDERS/10.1.2.3%3Aorders%3A8080");
        assert_eq!(links.instance("ORDERS", "../x"), "../app?name=ORDERS&instance=..%2Fx");
        assert_eq!(links.instance("ORDERS", ".."), "../app?name=ORDERS&instance=..");
        assert_eq!(links.raw("ORDERS", "a/b").as_deref(), Some("../../eureka/apps/ORDERS/a%2Fb"));
        assert_eq!([links.raw("..", "id5"), links.raw("ORDERS", ".")], [None, None]);
        assert_eq!(links.instance("Ü&", "<b>"), "../app/%C3%9C%26/%3Cb%3E");
    }

    #[test]
    fn only_addresses_of_the_web_are_links() {
        let address = |url: &str| web_address(Some(&url.into())).is_some();
        for url in ["http://a/", "HTTPS://a/", " https://a/"] {
            assert!(address(url), "{url}");
        }
        for url in ["javascript:alert(1)", "httpx://a", "http:", "//a/", "data:text/html,x", "", "é"] {
            assert!(!address(url), "{url}");
        }
    }
}
