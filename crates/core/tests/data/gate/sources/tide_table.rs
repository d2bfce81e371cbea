//! Tide table of the harbour of Vellin.
//!
//! Source: harbour office, edition of 3 January 2026. The edition of 2025
//! used summer time throughout; this one uses UTC.

/// Heights are in centimetres above chart datum.
pub struct Tide {
    pub minutes: u16, // after midnight, UTC
    pub height_cm: i32,
}

pub const QUAY_CM: i32 = 620;
pub const BAR_DEPTH_CM: i32 = 140;

/// Whether a boat may cross the bar: draught plus half a metre must fit.
pub fn may_cross(tide_cm: i32, draught_cm: i32) -> bool {
    tide_cm + BAR_DEPTH_CM >= draught_cm + 50
}

/// The quay floods when the tide and the surge together exceed its height.
pub fn quay_floods(tide: &Tide, surge_cm: i32) -> bool {
    tide.height_cm + surge_cm > QUAY_CM
}

/// The higher of two tides; with equal heights the earlier one.
pub fn higher<'a>(a: &'a Tide, b: &'a Tide) -> &'a Tide {
    if b.height_cm > a.height_cm || (b.height_cm == a.height_cm && b.minutes < a.minutes) {
        b
    } else {
        a
    }
}
