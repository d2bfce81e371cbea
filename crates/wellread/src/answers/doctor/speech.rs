//! What the doctor says of who transcribes recordings. Nothing is sent and no program is started for it.

use wellread_core::{Error, Result};

use super::DoctorCheck;
use super::programs::find_program;
use crate::config::Config;
use crate::wiring::outside::{SpeechPlace, find_speech};

const NAME: &str = "speech";
const REMEDY: &str = "check the settings of `speech`";

pub fn check_speech(config: &Config, offline: bool) -> DoctorCheck {
    let result = find_speech(config, offline).and_then(describe);
    DoctorCheck::from_result(NAME, result, REMEDY)
}

fn describe(place: SpeechPlace) -> Result<String> {
    Ok(match place {
        SpeechPlace::Nowhere => {
            "recordings are not transcribed (`speech.command` names a program of this machine that does it, \
             `speech.base_url` a service)"
                .to_owned()
        }
        SpeechPlace::Program(name) => {
            let Some(program) = find_program(&name) else {
                let error = Error::failed(format!("there is no program `{name}` to transcribe recordings"));
                return Err(error.hint("install it, or give its full path in `speech.command`"));
            };
            format!("recordings are transcribed on this machine by {}", program.display())
        }
        SpeechPlace::Service(address) => format!("recordings are sent to {address} to be transcribed"),
    })
}
