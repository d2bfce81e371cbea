//! Resolves links to absolute web addresses.

use url::Url;

/// The base of relative links.
#[derive(Debug)]
pub(super) struct BaseUrl {
    page: Option<Url>,
    base: Option<Url>,
}

impl BaseUrl {
    /// Uses the address of the page and its own `base` element.
    pub(super) fn new(page: Option<&str>, declared: Option<&str>) -> Self {
        let page = page.and_then(|page| Url::parse(page).ok()).filter(is_web);
        let base = match (&page, declared) {
            (Some(page), Some(declared)) => page.join(declared).ok(),
            (None, Some(declared)) => Url::parse(declared).ok(),
            (Some(page), None) => Some(page.clone()),
            (None, None) => None,
        };
        Self { base: base.filter(is_web).or_else(|| page.clone()), page }
    }

    /// The address that a link leads to; `None` if it does not lead to another place on the web.
    pub(super) fn resolve(&self, href: &str) -> Option<String> {
        let href = href.trim();
        if href.is_empty() || href.starts_with('#') {
            return None;
        }
        let mut url = match &self.base {
            Some(base) => base.join(href).ok()?,
            None => Url::parse(href).ok()?,
        };
        if !is_web(&url) {
            return None;
        }
        if let Some(page) = &self.page
            && url.fragment().is_some()
        {
            let mut without = url.clone();
            without.set_fragment(None);
            let mut here = page.clone();
            here.set_fragment(None);
            if without == here {
                return None;
            }
        }
        // Credentials are not for everybody to read.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let shown = url.as_str().replace('(', "%28").replace(')', "%29").replace('|', "%7C");
        (shown.len() <= 2048).then_some(shown)
    }
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}
