//! What could be typed next, by the declarations of the commands.

use clap::{Arg, Command};

/// A value, and what it is.
pub type Candidate = (String, String);

/// Lists the values of an argument that only this machine knows.
pub trait ValueSource {
    /// The values for an argument of a command, given by the path of its names, that begin with what was typed.
    fn list_values(&self, command: &[&str], argument: &Arg, typed: &str) -> Vec<Candidate>;
}

/// The candidates for the word at `at`; the first word is the program.
pub fn find_candidates(
    root: &Command,
    words: &[String],
    at: usize,
    source: &dyn ValueSource,
) -> Vec<Candidate> {
    let Some(before) = words.get(1..at.min(words.len())) else { return Vec::new() };
    let typed = words.get(at).map_or("", String::as_str);
    let mut line =
        TypedLine { command: root, path: Vec::new(), positionals: 0, pending: None, only_values: false };
    before.iter().for_each(|word| line.read(word));
    line.complete(typed, source)
}

/// What the words so far say.
struct TypedLine<'a> {
    command: &'a Command,
    path: Vec<&'a str>,
    positionals: usize,
    /// The option whose value comes next.
    pending: Option<&'a Arg>,
    /// Whether `--` was typed.
    only_values: bool,
}

impl<'a> TypedLine<'a> {
    fn read(&mut self, word: &str) {
        if self.pending.is_some() {
            // A shell may give `--option=value` in three words.
            if word != "=" {
                self.pending = None;
            }
        } else if !self.only_values && word == "--" {
            self.only_values = true;
        } else if !self.only_values && word.starts_with('-') && word.len() > 1 {
            self.pending = self.find_option(word).filter(|_| !word.contains('='));
        } else if let Some(below) = self.command.find_subcommand(word).filter(|_| self.positionals == 0) {
            self.command = below;
            self.path.push(below.get_name());
        } else {
            self.positionals += 1;
        }
    }

    /// The option of that word, if it takes a value.
    fn find_option(&self, word: &str) -> Option<&'a Arg> {
        let is_it = |arg: &&Arg| match word.strip_prefix("--") {
            Some(name) => arg.get_long() == Some(name.split('=').next().unwrap_or(name)),
            None => arg.get_short().is_some_and(|short| word.ends_with(short)),
        };
        self.command.get_arguments().find(is_it).filter(|arg| arg.get_action().takes_values())
    }

    fn complete(&self, typed: &str, source: &dyn ValueSource) -> Vec<Candidate> {
        if let Some(arg) = self.pending {
            return self.complete_value(arg, if typed == "=" { "" } else { typed }, source);
        }
        if let Some((name, value)) = typed.split_once('=').filter(|_| typed.starts_with("--")) {
            let values = self.find_option(typed).map(|arg| self.complete_value(arg, value, source));
            let with_name = |(value, about): Candidate| (format!("{name}={value}"), about);
            return values.unwrap_or_default().into_iter().map(with_name).collect();
        }
        if typed.starts_with('-') && !self.only_values {
            return self.complete_option(typed);
        }
        let mut found = Vec::new();
        if self.positionals == 0 && !self.only_values {
            let commands = self.command.get_subcommands().filter(|below| !below.is_hide_set());
            let begins = commands.filter(|below| below.get_name().starts_with(typed));
            let about = |below: &Command| below.get_about().map(ToString::to_string).unwrap_or_default();
            found.extend(begins.map(|below| (below.get_name().to_owned(), about(below))));
        }
        let positionals: Vec<&Arg> = self.command.get_positionals().collect();
        // The last one may take many words.
        let many =
            positionals.last().filter(|arg| arg.get_num_args().is_some_and(|range| range.max_values() > 1));
        if let Some(arg) = positionals.get(self.positionals).or(many) {
            found.extend(self.complete_value(arg, typed, source));
        }
        found
    }

    fn complete_option(&self, typed: &str) -> Vec<Candidate> {
        let visible = self.command.get_arguments().filter(|arg| !arg.is_hide_set());
        let named = visible.filter_map(|arg| Some((format!("--{}", arg.get_long()?), arg)));
        let about = |arg: &Arg| arg.get_help().map(ToString::to_string).unwrap_or_default();
        named.filter(|(name, _)| name.starts_with(typed)).map(|(name, arg)| (name, about(arg))).collect()
    }

    fn complete_value(&self, arg: &Arg, typed: &str, source: &dyn ValueSource) -> Vec<Candidate> {
        let declared = arg.get_possible_values();
        if declared.is_empty() {
            return source.list_values(&self.path, arg, typed);
        }
        let begins =
            declared.iter().filter(|value| !value.is_hide_set() && value.get_name().starts_with(typed));
        let about = |value: &clap::builder::PossibleValue| {
            value.get_help().map(ToString::to_string).unwrap_or_default()
        };
        begins.map(|value| (value.get_name().to_owned(), about(value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    struct Asked;

    impl ValueSource for Asked {
        fn list_values(&self, command: &[&str], argument: &Arg, typed: &str) -> Vec<Candidate> {
            vec![(format!("{} {}={typed}", command.join(" "), argument.get_id()), String::new())]
        }
    }

    /// The candidates for the last of these words.
    fn candidates(line: &str) -> Vec<String> {
        let mut root = Cli::command();
        root.build();
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        find_candidates(&root, &words, words.len() - 1, &Asked).into_iter().map(|(value, _)| value).collect()
    }

    #[test]
    fn commands_options_and_values_are_completed_where_each_may_stand() {
        assert_eq!(candidates("wellread in"), ["init", "index", "inbox"]);
        assert_eq!(candidates("wellread config g"), ["get"]);
        assert_eq!(candidates("wellread search --mo"), ["--mode"]);
        assert_eq!(candidates("wellread search --mode s"), ["semantic"]);
        assert_eq!(candidates("wellread search --mode=s"), ["--mode=semantic"]);
        assert_eq!(candidates("wellread search --mode = s"), ["semantic"]);
        assert_eq!(candidates("wellread --vault x search --mode s"), ["semantic"]);
        assert_eq!(candidates("wellread note Be"), ["note path=Be"]);
        assert_eq!(candidates("wellread note --deep --focus x Be"), ["note path=Be"]);
        assert_eq!(candidates("wellread config set vault"), ["config set key=vault"]);
        assert_eq!(candidates("wellread runs show 01"), ["runs show id=01"]);
        assert_eq!(candidates("wellread ask one two th"), ["ask question=th"]);
        assert_eq!(candidates("wellread note -- --foc"), ["note path=--foc"]);
        assert!(candidates("wellread search -").contains(&"--json".to_owned()));
        assert_eq!(candidates("wellread nonsense x"), [""; 0]);
        assert_eq!(candidates("wellread"), [""; 0]);
    }
}
