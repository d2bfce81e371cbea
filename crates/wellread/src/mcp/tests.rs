//! The public conformance suite of the protocol, run against our server with what the suite expects of a server made for it.
//!
//! The suite calls tools, resources and prompts by names of its own. Those that our tools can be are tools of the catalog
//! (`catalog_tools`): calls, failures, progress and tasks then go the whole way that ours go. What Wellread never answers, such as
//! an image, is answered by the fixtures (`fixture_contents`, `input_rounds`), so that the suite sees our HTTP layer, our sessions and our
//! questions carry it. Everything else is answered by the server that is shipped.

mod catalog_tools;
mod conformance;
mod fixture_contents;
mod fixture_server;
mod input_rounds;
