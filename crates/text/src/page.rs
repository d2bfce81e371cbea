//! Web pages and documents: decoding bytes, extracting the main content of HTML and the text of PDF, and finding web
//! addresses, places of files and footnotes in a text.

pub(crate) mod addresses;
pub(crate) mod charset;
pub(crate) mod html;
pub(crate) mod pdf;
pub(crate) mod places;
