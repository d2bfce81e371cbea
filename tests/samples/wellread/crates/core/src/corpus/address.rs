//! Addresses of the web, compared after normalising.

use url::Url;

/// An address as it is compared: parsed, without its fragment, with brackets as such. None where it is no address of the
/// web.
pub fn normal_address(written: &str) -> Option<String> {
    let mut url = Url::parse(written.trim()).ok().filter(|url| ["http", "https"].contains(&url.scheme()))?;
    url.set_fragment(None);
    url.has_host().then(|| url.as_str().replace("%28", "(").replace("%29", ")"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_spellings_of_one_address_are_the_same() {
        let one = normal_address("HTTPS://Bees.example:443/a/../wax?x=1#top").unwrap();
        assert_eq!(one, "https://bees.example/wax?x=1");
        assert_eq!(normal_address("https://bees.example"), normal_address("https://bees.example/"));
        assert_eq!(
            normal_address("https://bees.example/a_(b)"),
            normal_address("https://bees.example/a_%28b%29")
        );
        assert_ne!(normal_address("https://bees.example/wax"), normal_address("http://bees.example/wax"));
        for none in ["", "bees.example", "ftp://bees.example", "javascript:alert(1)", "https://", "/wax"] {
            assert_eq!(normal_address(none), None, "{none}");
        }
    }
}
