//! What checks a sentence beyond the gate's rules, as the settings say it.

use super::Config;
use super::key::settings;

settings! {
    VERIFIER: Switch = "gate.verifier",
        "whether the small model inside the program reads each sentence beside what it cites";
    MODEL: Switch = "gate.model",
        "whether the language model gives a second opinion on sentences that the gate lets pass; it can only lower a verdict";
}

impl Config {
    /// Whether the gate asks the verifier that is part of the program.
    pub fn uses_verifier(&self) -> bool {
        self.get(&VERIFIER)
    }

    /// Whether the language model is asked for second opinions, where there is one.
    pub fn asks_second_opinion(&self) -> bool {
        self.get(&MODEL)
    }
}
