//! Shapes and what they cover.

use std::fmt;

/// A circle around the origin.
///
/// Its radius is never negative.
#[derive(Debug, Clone)]
pub struct Circle<T>
where
    T: Copy,
{
    radius: T,
}

pub struct Point;

pub enum Shape {
    Round(Circle<f64>),
    /// With as many corners.
    Angular(u8),
}

/// What has an area.
pub trait Area: Sized {
    const UNIT: f64 = 1.0;
    type Number;

    /// How much it covers.
    fn area(&self) -> Self::Number;

    fn twice(&self) -> f64 {
        2.0
    }
}

impl<T: Copy> Circle<T> {
    pub const fn new(radius: T) -> Self {
        Self { radius }
    }

    // Not a doc comment, and still about it.
    #[inline]
    #[must_use]
    fn radius(&self) -> T {
        fn helper() {
            const LOCAL: u8 = 1;
        }
        self.radius
    }
}

impl<'a> fmt::Display for &'a mut Circle<f64> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({})", self.radius)
    }
}

impl Area for [f64] {
    type Number = f64;
    fn area(&self) -> f64 { 0.0 }
}

macro_rules! circle {
    ($radius:expr) => {
        Circle::new($radius)
    };
}

mod inner {
    pub(super) async unsafe fn deep() {}
}

mod elsewhere;

const LIMIT: usize = 10;
static mut COUNT: u8 = 0;
type Name = String;

unsafe extern "C" {
    fn foreign();
}
