//! Controller of the greenhouse vents and the pump.

pub const VENT_OPEN_C: f32 = 27.0;
pub const VENT_CLOSE_C: f32 = 23.0;
pub const PUMP_MAX_MIN: u32 = 12;
pub const SOIL_DRY_PERCENT: u8 = 30;

#[derive(PartialEq, Clone, Copy)]
pub enum Vent {
    Open,
    Closed,
}

/// Opens above 27 degrees, closes below 23; in between nothing changes.
pub fn next_vent(now: Vent, air_c: f32) -> Vent {
    if air_c > VENT_OPEN_C {
        Vent::Open
    } else if air_c < VENT_CLOSE_C {
        Vent::Closed
    } else {
        now
    }
}

/// Minutes to water the bed. Tomatoes get twice what lettuce gets.
/// Nothing is watered between 11 and 17 o'clock.
pub fn watering(bed: &str, soil_percent: u8, hour: u32) -> u32 {
    if soil_percent >= SOIL_DRY_PERCENT || (11..17).contains(&hour) {
        return 0;
    }
    let minutes = match bed {
        "tomato" => 10,
        "lettuce" => 5,
        _ => 7, // a guess by Milo, never checked
    };
    minutes.min(PUMP_MAX_MIN)
}
