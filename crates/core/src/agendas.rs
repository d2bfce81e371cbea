//! Research in the background: jobs and their schedule, and the inbox of findings.

pub mod forgetting;
pub mod inbox;
pub mod jobs;
