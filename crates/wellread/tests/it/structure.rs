//! The rules that the sources follow, read from the sources. Each rule is a function from a source to what is wrong
//! with it, and a twin test shows that it finds something in a source that breaks it.

mod architecture;
mod crates;
mod groups;
mod lexer;
mod names;
mod outside;
mod ports;
mod sizes;
mod sources;
mod trust;
mod wiring;
