//! What clients call: the catalog of tools, the chat, and skills.

pub mod chat;
pub mod skills;
pub mod tools;
