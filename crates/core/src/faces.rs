//! What clients call: the catalogue of tools, the chat, and skills.

pub mod chat;
pub mod skills;
pub mod tools;
