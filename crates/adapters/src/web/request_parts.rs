//! Parts of requests to services.

use reqwest::Url;
use reqwest::header::{ACCEPT, HeaderName, HeaderValue};
use wellread_core::{Error, Result};

/// Encodes `q=two%20words&count=3`, with spaces as `%20`, which every service understands.
pub fn encode_query(pairs: &[(&str, &str)]) -> String {
    let Ok(mut url) = Url::parse("http://localhost/") else { return String::new() };
    url.query_pairs_mut().extend_pairs(pairs);
    // Plus signs of the text are encoded already: the remaining ones are spaces.
    url.query().unwrap_or_default().replace('+', "%20")
}

pub fn accept_header(kind: &'static str) -> (HeaderName, HeaderValue) {
    (ACCEPT, HeaderValue::from_static(kind))
}

/// A key as a sensitive header. The error does not repeat it.
pub fn secret_header(key: &str) -> Result<HeaderValue> {
    let value = HeaderValue::from_str(key);
    let mut value = value.map_err(|_| Error::invalid("the key is not one line of plain text"))?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_encoded_so_that_they_come_back_as_they_were() {
        let words = "a+b & c=d #1 50% ü \"x\" /?";
        let written = encode_query(&[("q", words), ("n", "3")]);
        assert!(written.is_ascii() && !written.contains(['+', ' ', '#', '"']), "{written}");
        let back = Url::parse(&format!("http://localhost/?{written}")).unwrap();
        let pairs: Vec<(String, String)> =
            back.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        assert_eq!(pairs, [("q".to_owned(), words.to_owned()), ("n".to_owned(), "3".to_owned())]);
    }

    #[test]
    fn a_key_is_neither_shown_nor_repeated() {
        assert!(!format!("{:?}", secret_header("sk-secret").unwrap()).contains("sk-secret"));
        assert!(!secret_header("sk-\nsecret").unwrap_err().message().contains("secret"));
    }
}
