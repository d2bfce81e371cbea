//! The command: `hivelog READINGS.csv [--hive NAME] [--daily OUT.csv]`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use hivelog::{analyse_file, daily, report};

const USAGE: &str = "usage: hivelog READINGS.csv [--hive NAME] [--daily OUT.csv]";

/// What the command line asked for.
#[derive(Debug, Default, PartialEq)]
struct Options {
    readings: PathBuf,
    hive: Option<String>,
    daily: Option<PathBuf>,
}

fn main() -> ExitCode {
    match parse_options(std::env::args_os().skip(1)).and_then(|options| run(&options)) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("hivelog: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// Analyses the file, writes the daily table if asked to, returns the report.
fn run(options: &Options) -> Result<String, String> {
    let analysis = analyse_file(&options.readings, options.hive.as_deref())
        .map_err(|error| format!("{}: {error}", options.readings.display()))?;
    if let Some(path) = &options.daily {
        std::fs::write(path, daily::to_csv(&analysis.days))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(report::render(&analysis))
}

/// Reads the arguments that follow the name of the program.
fn parse_options(args: impl Iterator<Item = OsString>) -> Result<Options, String> {
    let mut args = args;
    let mut options = Options::default();
    let mut given = false;
    while let Some(arg) = args.next() {
        match arg.to_str() {
            Some("--hive") => {
                let name = args.next().and_then(|value| value.into_string().ok());
                options.hive = Some(name.ok_or("--hive needs a name")?);
            }
            Some("--daily") => {
                options.daily = Some(args.next().ok_or("--daily needs a file")?.into());
            }
            Some(flag) if flag.starts_with('-') => {
                return Err(format!("unknown option {flag}\n{USAGE}"));
            }
            _ if given => return Err(format!("more than one file of readings\n{USAGE}")),
            _ => {
                options.readings = arg.into();
                given = true;
            }
        }
    }
    if given { Ok(options) } else { Err(USAGE.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Options, String> {
        parse_options(args.iter().map(OsString::from))
    }

    #[test]
    fn options_may_stand_on_either_side_of_the_file() {
        let options = parse(&["--hive", "linden", "a.csv", "--daily", "b.csv"]).unwrap();
        assert_eq!(options.readings, PathBuf::from("a.csv"));
        assert_eq!(options.hive.as_deref(), Some("linden"));
        assert_eq!(options.daily, Some(PathBuf::from("b.csv")));
    }

    #[test]
    fn mistakes_are_explained() {
        assert_eq!(parse(&[]).unwrap_err(), USAGE);
        assert_eq!(parse(&["a.csv", "--hive"]).unwrap_err(), "--hive needs a name");
        assert!(parse(&["--hives"]).unwrap_err().starts_with("unknown option --hives"));
        assert!(parse(&["a.csv", "b.csv"]).is_err());
    }
}
