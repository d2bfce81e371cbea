//! What clients call: the catalog of tools and the broad tools that stand for it, the chat, and skills.

pub mod broad_tools;
pub mod chat;
pub mod skills;
pub mod tools;
