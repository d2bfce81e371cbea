//! Figures that differ, by made-up pairs: those that a reader wants to see side by side, and those that only look so.

use wellread_core::insight::keyless::{Passage, find_differences};

/// How many differences two notes have that hold one text each. `Title | text` says what the note is called.
fn found(one: &str, other: &str) -> usize {
    let split = |text: &str, name: &str| match text.split_once(" | ") {
        Some((title, text)) => (format!("Notes/{title}.md"), text.to_owned()),
        None => (format!("Notes/{name}.md"), text.to_owned()),
    };
    let (one, other) = (split(one, "Apiary"), split(other, "Winter talk"));
    find_differences(&[passage(&one), passage(&other)], None, 10).len()
}

fn passage((source, text): &(String, String)) -> Passage<'_> {
    Passage { source, text, start: 0, first_line: 1, headings: &[], is_prose: true }
}

const DIFFERENT: [(&str, &str); 40] = [
    (
        "The treatment threshold for varroa is 3 % of adult bees.",
        "The treatment threshold for varroa is 2 % of adult bees.",
    ),
    ("The treatment threshold is 3 %.", "Our treatment threshold is 2 percent."),
    ("The swarm threshold of hivelog is 2.0 kg.", "The swarm threshold of hivelog is 1.5 kg."),
    (
        "The Linden hive weighed 38.5 kg on 1 November 2024.",
        "The Linden hive weighed 41.0 kg on 1 November 2024, when I put the guard on.",
    ),
    (
        "Marek's association lost 14 % of its colonies in the winter of 2023/24.",
        "Marek's association lost 19 % of its colonies in the winter of 2023/24.",
    ),
    (
        "The fermentation temperature of batch 7 was 18 °C.",
        "The fermentation temperature of batch 7 was 22 °C. It stood in the kitchen.",
    ),
    ("The Hawthorn hive swarmed on 2025-05-18.", "The Hawthorn hive swarmed on 21 May 2025."),
    (
        "The oxalic acid treatment took place on 2024-12-21.",
        "The oxalic acid treatment took place on 28 December 2024.",
    ),
    ("The original gravity of batch 8 was 1.105.", "The original gravity of batch 8 was 1.112."),
    (
        "The Linden hive has 10 frames in the brood box.",
        "The Linden hive has eleven frames in the brood box.",
    ),
    ("The honey yield of 2024 was 31 kg.", "The honey yield of 2024 was 27.5 kg."),
    ("The server timeout is 30 seconds.", "The server timeout is 60 s."),
    ("The retry limit of the uploader is 5 attempts.", "The retry limit of the uploader is 3 attempts."),
    (
        "The battery capacity of the sensor node is 2400 mAh.",
        "The battery capacity of the sensor node is 3000 mAh.",
    ),
    ("Photon launched in 2016 with twelve engineers.", "Photon launched in 2017 with twelve engineers."),
    ("The Royal Society was founded in 1660 in London.", "The Royal Society was founded in 1662 in London."),
    ("The bridge over the Elster is 240 m long.", "The bridge over the Elster is 260 metres long."),
    ("Camille's rent is 840 € per month.", "Camille's rent is 910 € per month."),
    ("The kiln temperature for stoneware is 1240 °C.", "The kiln temperature for stoneware is 1280 °C."),
    ("Sourdough bread bakes for 45 minutes.", "Sourdough bread bakes for 35 minutes."),
    (
        "The contract with Nordlicht ends on 31 March 2026.",
        "The contract with Nordlicht ends on 30 June 2026.",
    ),
    ("The deposit for the cabin was 300 euros.", "The deposit for the cabin was 450 euros."),
    ("The project deadline is 2026-05-01.", "The project deadline is 2026-05-15."),
    ("Die Behandlung mit Oxalsäure dauert 14 Tage.", "Die Behandlung mit Oxalsäure dauert 21 Tage."),
    ("Die Tragfähigkeit der Waage beträgt 200 kg.", "Die Tragfähigkeit der Waage beträgt 150 kg."),
    ("Le pont de la Mulatière mesure 320 m.", "Le pont de la Mulatière mesure 280 m."),
    ("The dose of ibuprofen for adults is 400 mg.", "The dose of ibuprofen for adults is 600 mg."),
    ("The cache holds 512 MB of parsed notes.", "The cache holds 256 MB of parsed notes."),
    (
        "The heating consumption of the house is 14000 kWh.",
        "The heating consumption of the house is 12500 kWh.",
    ),
    (
        "The train from Leipzig to Halle takes 38 minutes.",
        "The train from Leipzig to Halle takes 25 minutes.",
    ),
    ("The population of Grimma is 28,000 people.", "The population of Grimma is 31,000 people."),
    ("The gestation of a ewe lasts 147 days.", "The gestation of a ewe lasts 152 days."),
    ("The boiling point of acetone is 56 °C.", "The boiling point of acetone is 65 °C."),
    ("The meeting with Ruth is on 3 May 2025.", "The meeting with Ruth is on 10 May 2025."),
    ("The orchard wall is 2.2 m high.", "The orchard wall is 1.8 m high."),
    ("The pump delivers 18 litres of water a minute.", "The pump delivers 12 litres of water a minute."),
    ("Model X of the pump weighs 12 kg.", "Model X of the pump weighs 15 kg."),
    ("The daily dose of vitamin C is 90 mg.", "The daily dose of vitamin C is 110 mg."),
    ("Plan B | Plan B of the hosting costs 30 euros.", "Budget | Plan B of the hosting costs 45 euros."),
    ("The hive that I bought weighs 17 kg.", "The hive that I bought weighs 19 kg."),
];

const THE_SAME_OR_ANOTHER: [(&str, &str); 81] = [
    // The same value, said differently.
    ("The treatment threshold is 3 %.", "The treatment threshold is 3 percent."),
    ("The swarm threshold of hivelog is 2.0 kg.", "The swarm threshold of hivelog is two kilograms."),
    ("The population of Grimma is 28,000 people.", "The population of Grimma is 28 000 people."),
    ("The Hawthorn hive swarmed on 2025-05-18.", "The Hawthorn hive swarmed on 18 May 2025."),
    ("The honey yield was 27.5 kg.", "The honey yield was 28 kg."),
    ("The honey yield was 27.5 kg.", "The honey yield was about 29 kg."),
    ("The flight takes 14 to 16 hours.", "The flight takes 15 hours."),
    ("A worker stays capped for 11 to 13 days.", "A worker stays capped for 12 days."),
    // Another unit.
    ("The bridge is 240 m long.", "The bridge is 12 km from home."),
    ("The old scale weighs 12 kg.", "The old scale measures 40 cm."),
    ("The parcel weighed 900 g.", "The parcel weighed 2 kg."),
    // Another thing.
    ("The Linden hive weighed 38.5 kg.", "The Hawthorn hive weighed 36.0 kg."),
    ("An empty hive weighs 17 kg.", "A hive weighs 38 kg."),
    ("The queen cell is 25 mm long.", "The cell is 11 mm long."),
    ("Drone brood takes 24 days.", "Worker brood takes 21 days."),
    ("Drone brood is capped for 14 days.", "Brood is capped for 12 days."),
    (
        "The fermentation temperature of batch 7 was 18 °C.",
        "The fermentation temperature of batch 8 was 16 °C.",
    ),
    ("The timeout of the client is 30 s.", "The timeout of the server is 60 s."),
    ("The read timeout is 30 s.", "The write timeout is 60 s."),
    ("Rent in Leipzig is 840 €.", "Rent in Halle is 700 €."),
    ("The train to Leipzig takes 38 minutes.", "The bus to Leipzig takes 70 minutes."),
    ("The pump delivers 18 litres of water.", "The pump delivers 12 litres of syrup."),
    ("The sample holds 3 % water.", "The sample holds 2 % sugar."),
    ("Adults need 7 hours of sleep.", "Children need 10 hours of sleep."),
    ("The cat weighs 4 kg.", "The dog weighs 14 kg."),
    ("The wall behind the house is 2 m high.", "The wall before the house is 3 m high."),
    // Another letter, or the way back.
    ("Model X of the pump weighs 12 kg.", "Model Y of the pump weighs 15 kg."),
    ("Plan A of the hosting costs 30 euros.", "Plan B of the hosting costs 45 euros."),
    ("The daily dose of vitamin C is 90 mg.", "The daily dose of vitamin D is 20 mg."),
    ("The licence of category B costs 1800 euros.", "The licence of category C costs 3200 euros."),
    ("Course A at the sailing school lasts 5 days.", "Course B at the sailing school lasts 9 days."),
    ("Plan A | The hosting costs 30 euros.", "Plan B | The hosting costs 45 euros."),
    ("The flight from Berlin to Rome takes 2 hours.", "The flight from Rome to Berlin takes 3 hours."),
    ("Der Flug von Berlin nach Rom dauert 2 Stunden.", "Der Flug von Rom nach Berlin dauert 3 Stunden."),
    ("Pump A of the cellar needs 40 W.", "Pump B of the cellar needs 60 W."),
    // Another time.
    ("The honey yield of 2023 was 22 kg.", "The honey yield of 2024 was 31 kg."),
    ("In 2023, the honey yield was 22 kg.", "In 2024, the honey yield was 31 kg."),
    (
        "The Linden hive weighed 38.5 kg on 1 November 2024.",
        "The Linden hive weighed 29.0 kg on 1 March 2025.",
    ),
    ("The treatment threshold in August is 3 %.", "The treatment threshold in December is 1 %."),
    ("The colony eats 1 kg of food in January.", "The colony eats 4 kg of food in March."),
    ("The scale showed 41 kg in the morning.", "The scale showed 43 kg in the evening."),
    (
        "The oxalic acid treatment took place on 2024-12-21.",
        "The oxalic acid treatment took place on 2023-12-23.",
    ),
    ("The spring meeting was on 2024-03-02.", "The spring meeting was on 2025-03-08."),
    ("On Monday the water was 14 °C.", "On Friday the water was 17 °C."),
    ("The first inspection took 40 minutes.", "The last inspection took 25 minutes."),
    ("Before the treatment the hive dropped 40 mites.", "After the treatment the hive dropped 3 mites."),
    (
        "Season 2023 | The best super gave 12 kg of honey.",
        "Season 2024 | The best super gave 15 kg of honey.",
    ),
    ("2025-05-18 | The hive scale showed 41 kg.", "2025-05-19 | The hive scale showed 40 kg."),
    // Limits, estimates and suppositions.
    ("The colony needs at least 15 kg of stores.", "The colony needs 20 kg of stores."),
    ("The bread bakes for up to 60 minutes.", "The bread bakes for 45 minutes."),
    ("The uploader tries more than 3 times.", "The uploader tries 5 times."),
    ("The minimum temperature for inspections is 14 °C.", "The temperature for inspections is 18 °C."),
    ("The maximum load of the scale is 200 kg.", "The load of the scale is 38 kg."),
    ("If the hive weighs 30 kg, feed it.", "The hive weighs 42 kg."),
    ("The hive would weigh 50 kg in a good year.", "The hive weighs 42 kg in a good year."),
    ("Does the treatment threshold lie at 3 %?", "The treatment threshold lies at 2 %."),
    ("The average yield of a hive is 20 kg.", "The yield of a hive is 31 kg."),
    ("The total cost of the scale was 74 €.", "The cost of the scale was 50 €."),
    // The subject is elsewhere.
    ("It weighed 38 kg after the harvest.", "It weighed 41 kg after the harvest."),
    ("This takes 20 minutes in the oven.", "This takes 45 minutes in the oven."),
    ("They lost 14 % of the colonies.", "They lost 19 % of the colonies."),
    ("Both stood at 18 °C in the pantry.", "Both stood at 21 °C in the pantry."),
    ("Quince | - planted 2 m from the wall", "Apple tree | - planted 3 m from the wall"),
    ("Pancakes | 1. Stir the batter for 2 minutes.", "Waffles | 1. Stir the batter for 5 minutes."),
    ("Batch 7 | - pitched the yeast at 18 °C", "Batch 8 | - pitched the yeast at 15 °C"),
    ("Linden hive | The brood box has eleven frames.", "Hawthorn hive | The brood box has ten frames."),
    // Names and numbers of things.
    ("Chapter 3 speaks of queen cells.", "Chapter 5 speaks of queen cells."),
    ("Figure 2 shows the winter cluster.", "Figure 4 shows the winter cluster."),
    ("We moved to version 4 of the parser.", "We moved to version 3 of the parser."),
    ("Python 3 runs the export script.", "Python 2 runs the export script."),
    ("Hive 2 lost its old queen.", "Hive 3 lost its old queen."),
    ("Step 3 heats the wax slowly.", "Step 4 heats the wax slowly."),
    ("The note stands on page 12 of the diary.", "The note stands on page 48 of the diary."),
    // Too little in common, or too much beside.
    ("The mite lays five eggs in a cell.", "The wasp lays two eggs in a paper nest."),
    ("I bought 3 kg of sugar for the bees.", "I fed 12 kg of sugar to the bees."),
    ("The hive gained 2 kg that day.", "The hive lost 3 kg that day."),
    ("Three friends came to the garden.", "Five friends stayed in the garden."),
    ("We saw 2 swans on the lake.", "We saw 5 ducks on the lake."),
    ("Not 3 % but 2 % is the treatment threshold.", "The treatment threshold is 3 %."),
    ("The kitchen scale reads 5 g too much.", "The bathroom scale reads 1 g too much."),
    ("The walk takes 2 hours without children.", "The walk takes 3 hours with children."),
];

#[test]
fn figures_of_one_thing_that_differ_are_found() {
    let missed: Vec<_> = DIFFERENT.iter().filter(|(one, other)| found(one, other) != 1).collect();
    assert!(missed.is_empty(), "{missed:#?}");
    let turned: Vec<_> = DIFFERENT.iter().filter(|(one, other)| found(other, one) != 1).collect();
    assert!(turned.is_empty(), "{turned:#?}");
}

#[test]
fn the_same_figure_and_figures_of_other_things_are_not() {
    let wrong: Vec<_> = THE_SAME_OR_ANOTHER.iter().filter(|(one, other)| found(one, other) != 0).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let turned: Vec<_> = THE_SAME_OR_ANOTHER.iter().filter(|(one, other)| found(other, one) != 0).collect();
    assert!(turned.is_empty(), "{turned:#?}");
}

/// Sentences of different pairs have nothing to do with each other.
#[test]
fn no_two_sentences_of_different_pairs_are_laid_side_by_side() {
    let all: Vec<&str> = DIFFERENT.iter().chain(&THE_SAME_OR_ANOTHER).map(|(one, _)| *one).collect();
    let mut wrong = Vec::new();
    for (at, one) in all.iter().enumerate() {
        for other in &all[at + 1..] {
            if found(one, other) != 0 {
                wrong.push((one, other));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
