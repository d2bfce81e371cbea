//! Pages of the web and documents: decoded, read as HTML or PDF, and the addresses in them.

pub(crate) mod addresses;
pub(crate) mod charset;
pub(crate) mod html;
pub(crate) mod pdf;
