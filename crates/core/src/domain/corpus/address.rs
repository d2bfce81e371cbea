//! Web addresses, normalized so that two spellings of one address compare as equal.

use url::Url;

/// Normalizes a web address for comparison: parsed, without its fragment, parentheses unescaped. None if it is no
/// `http` or `https` address.
pub fn normalize_address(written: &str) -> Option<String> {
    let mut url = Url::parse(written.trim()).ok().filter(|url| ["http", "https"].contains(&url.scheme()))?;
    url.set_fragment(None);
    url.has_host().then(|| url.as_str().replace("%28", "(").replace("%29", ")"))
}

/// The fragment of a web address: the part after `#`. None if there is none, or nothing in it.
pub fn address_fragment(written: &str) -> Option<String> {
    let url = Url::parse(written.trim()).ok()?;
    url.fragment().filter(|fragment| !fragment.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_spellings_of_one_address_are_the_same() {
        let one = normalize_address("HTTPS://Bees.example:443/a/../wax?x=1#top").unwrap();
        assert_eq!(one, "https://bees.example/wax?x=1");
        assert_eq!(normalize_address("https://bees.example"), normalize_address("https://bees.example/"));
        assert_eq!(
            normalize_address("https://bees.example/a_(b)"),
            normalize_address("https://bees.example/a_%28b%29")
        );
        assert_ne!(
            normalize_address("https://bees.example/wax"),
            normalize_address("http://bees.example/wax")
        );
        for none in ["", "bees.example", "ftp://bees.example", "javascript:alert(1)", "https://", "/wax"] {
            assert_eq!(normalize_address(none), None, "{none}");
        }
    }
}
