//! How code is researched, and which language servers are switched on, as the settings say it.
//!
//! A server is set for a language: in the file as a table, `python = "pyright-langserver --stdio"` or a list of words;
//! in the environment as `python=pyright-langserver --stdio,rust=rust-analyzer`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use toml_edit::{Array, InlineTable, Item, TableLike};
use wellread_core::research::CodeSettings;
use wellread_core::{Error, Result};

use super::Config;
use super::key::{Key, settings, similarity};
use super::kinds::Number;
use crate::wiring::servers::{ServerSettings, languages};

settings! {
    STEPS: Number(100) = "code.steps", "how many steps code research may take";
    SECONDS: Number(3600) = "code.seconds", "how long code research may take";
    ACTION_SECONDS: Number(3600) = "code.action_seconds", "how long one of its actions may take";
    LANGUAGE_SERVERS: Commands = "code.language_servers",
        "the enabled language servers: languages with their commands; none is off";
}

/// What people also call a language.
const ALSO: [(&str, &str); 7] = [
    ("c++", "cpp"),
    ("c#", "csharp"),
    ("js", "javascript"),
    ("ts", "typescript"),
    ("py", "python"),
    ("sh", "bash"),
    ("golang", "go"),
];

/// The words of a command, for each language that has one.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[serde(transparent)]
pub struct LanguageCommands(pub BTreeMap<String, Vec<String>>);

impl LanguageCommands {
    /// As it stands in the settings file.
    pub fn to_table(&self) -> InlineTable {
        let words = |words: &Vec<String>| toml_edit::Value::from(words.iter().collect::<Array>());
        self.0.iter().map(|(language, command)| (language.as_str(), words(command))).collect()
    }
}

impl Config {
    /// How far research of code goes.
    pub fn code(&self) -> CodeSettings {
        let seconds = |key: &Key<Number>| Duration::from_secs(self.get(key).max(1));
        CodeSettings {
            steps: u32::try_from(self.get(&STEPS).max(1)).unwrap_or(u32::MAX),
            time: seconds(&SECONDS),
            action_time: seconds(&ACTION_SECONDS),
        }
    }

    /// None where none is switched on.
    pub fn language_servers(&self) -> Option<ServerSettings> {
        let commands = self.get(&LANGUAGE_SERVERS);
        (!commands.0.is_empty()).then(|| ServerSettings::new(commands.0))
    }
}

/// `language=command,language=command`. A comma within quotation marks is part of a command.
pub fn parse(written: &str) -> Result<LanguageCommands> {
    let mut commands = LanguageCommands::default();
    for entry in split_entries(written) {
        let (language, command) = entry.split_once('=').ok_or_else(|| {
            Error::invalid(format!("`{entry}` is not a language with its command"))
                .hint("write `python=pyright-langserver --stdio,rust=rust-analyzer`")
        })?;
        add_command(&mut commands, language, split_words(command)?)?;
    }
    Ok(commands)
}

/// A table of languages, each with a command.
pub fn from_table(table: &dyn TableLike) -> Result<LanguageCommands> {
    let mut commands = LanguageCommands::default();
    for (language, item) in table.iter() {
        add_command(&mut commands, language, command_from_item(language, item)?)?;
    }
    Ok(commands)
}

fn command_from_item(language: &str, item: &Item) -> Result<Vec<String>> {
    if let Some(command) = item.as_str() {
        return split_words(command);
    }
    let listed =
        item.as_array().and_then(|list| list.iter().map(|word| word.as_str().map(str::to_owned)).collect());
    listed.ok_or_else(|| {
        Error::invalid(format!("the setting `code.language_servers.{language}` must be a command"))
            .hint("write it as one string, or as a list of words")
    })
}

fn add_command(commands: &mut LanguageCommands, language: &str, words: Vec<String>) -> Result<()> {
    let language = find_language(language.trim())?;
    if words.first().is_none_or(String::is_empty) {
        return Err(Error::invalid(format!("the language server for {language} has no command")));
    }
    if words[0].contains(std::path::is_separator) && !std::path::Path::new(&words[0]).is_absolute() {
        // It would be another program in each repository, or the repository's own.
        let message = format!("`{}` is neither a program name nor a full path", words[0]);
        return Err(
            Error::invalid(message).hint("write the name of a program, or a path that begins with `/`")
        );
    }
    match commands.0.insert(language.to_owned(), words) {
        None => Ok(()),
        Some(_) => Err(Error::invalid(format!("{language} has two language servers")).hint("use one")),
    }
}

/// The language of that name; `Err` names those that there are.
pub fn find_language(written: &str) -> Result<&'static str> {
    let name = written.to_lowercase();
    let name = ALSO.iter().find(|(also, _)| *also == name).map_or(name.as_str(), |(_, name)| name);
    if let Some(language) = languages().find(|language| *language == name) {
        return Ok(language);
    }
    let near =
        languages().max_by_key(|known| similarity(known, name)).filter(|known| similarity(known, name) > 850);
    let error = Error::invalid(format!("there is no language `{written}`"));
    Err(match near {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint(format!("choose one of: {}", languages().collect::<Vec<_>>().join(", "))),
    })
}

/// The entries between commas.
fn split_entries(written: &str) -> Vec<&str> {
    let (mut entries, mut begin, mut quote) = (Vec::new(), 0, None);
    for (at, letter) in written.char_indices() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, ',') => {
                entries.push(&written[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    entries.push(&written[begin..]);
    entries.into_iter().map(str::trim).filter(|entry| !entry.is_empty()).collect()
}

/// Words with spaces between them; `"` or `'` around what holds spaces itself. No shell reads it.
fn split_words(command: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let (mut word, mut quote) = (None::<String>, None);
    for letter in command.chars() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, letter) if letter.is_whitespace() => words.extend(word.take()),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    if quote.is_some() {
        return Err(Error::invalid(format!("a quotation mark in `{command}` is not closed")));
    }
    words.extend(word);
    Ok(words)
}

/// As a table on one line, each command as the list of its words.
impl std::fmt::Display for LanguageCommands {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = String::new();
        for (language, words) in &self.0 {
            let comma = if shown.is_empty() { "" } else { "," };
            write!(shown, "{comma} {language} = {words:?}")?;
        }
        if shown.is_empty() { f.write_str("{}") } else { write!(f, "{{{shown} }}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(written: &str) -> String {
        parse(written).unwrap().to_string()
    }

    #[test]
    fn servers_are_written_as_languages_with_commands() {
        for (written, expected) in [
            ("", "{}"),
            ("rust=rust-analyzer", r#"{ rust = ["rust-analyzer"] }"#),
            (
                " python = pyright-langserver --stdio , c++=clangd ,",
                r#"{ cpp = ["clangd"], python = ["pyright-langserver", "--stdio"] }"#,
            ),
            ("C=clangd -a=b 'c,d' \"e f\"\"\"", r#"{ c = ["clangd", "-a=b", "c,d", "e f"] }"#),
            ("ts='/opt/a b/server' $(x);y", r#"{ typescript = ["/opt/a b/server", "$(x);y"] }"#),
        ] {
            assert_eq!(shown(written), expected, "{written}");
        }
    }

    #[test]
    fn what_can_not_be_started_is_an_error_that_says_why() {
        for (written, message, hint) in [
            ("pyton=x", "no language `pyton`", "did you mean `python`?"),
            ("zzz=x", "no language `zzz`", "choose one of: bash, c, cpp"),
            ("python", "not a language with its command", "write `python="),
            ("python=", "has no command", ""),
            ("python=''", "has no command", ""),
            ("python=\"x", "is not closed", ""),
            ("python=./x", "neither a program name nor a full path", "begins with `/`"),
            ("python=a/b", "neither a program name nor a full path", "begins with `/`"),
            ("js=a,javascript=b", "javascript has two", "one"),
        ] {
            let error = parse(written).unwrap_err();
            assert!(error.message().contains(message), "{written}: {error}");
            assert!(error.hint_text().unwrap_or_default().contains(hint), "{written}: {error:?}");
        }
    }

    #[test]
    fn a_table_has_commands_as_strings_or_lists() {
        let read = |text: &str| {
            let document: toml_edit::DocumentMut = text.parse().unwrap();
            from_table(document.as_table()).map(|commands| commands.to_string())
        };
        let both = read("python = [\"a b\", \"--stdio\"]\n\"c++\" = \"clangd --x\"\n").unwrap();
        assert_eq!(both, r#"{ cpp = ["clangd", "--x"], python = ["a b", "--stdio"] }"#);
        for wrong in
            ["python = 7", "python = []", "python = [7]", "python = \"\"", "nope = \"x\"", "[python]\nx = 1"]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn limits_are_those_of_the_contract_and_no_server_is_switched_on() {
        let config = Config::from_flags(&super::super::Flags::default()).unwrap();
        assert_eq!(config.code(), CodeSettings::default());
        let defaults = CodeSettings::default();
        assert_eq!((defaults.steps, defaults.time.as_secs(), defaults.action_time.as_secs()), (10, 120, 30));
        assert!(config.language_servers().is_none());
    }
}
