//! Joins modules and style sheets of the page into one HTML document that loads nothing, for places that have no server to load
//! from.
//!
//! Every module becomes a function that returns what it exports, after those that it imports. Only the forms of `import` and
//! `export` that the page is written in are known; anything else is an error, and so are circles. The document's own policy
//! names its script and its style sheet by their hashes: nothing else in it runs or is applied.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use wellread_core::{Error, Result};

use crate::web_files;

/// A document that stands alone.
#[derive(Debug)]
pub struct WebBundle {
    script: String,
    style: String,
}

impl WebBundle {
    /// Joins the module with this name, with everything that it imports, and these style sheets.
    pub fn assemble(entry: &str, sheets: &[&str]) -> Result<Self> {
        Self::from_files(entry, sheets, &web_files::find)
    }

    fn from_files<'a>(entry: &str, sheets: &[&str], find: &dyn Fn(&str) -> Option<&'a str>) -> Result<Self> {
        let mut joined = JoinedModules { find, done: Vec::new(), open: Vec::new(), script: String::new() };
        joined.add(entry)?;
        let script = format!("\n(() => {{\n'use strict';\n{}}})();\n", joined.script);
        let mut style = String::from("\n");
        for sheet in sheets {
            style += find(sheet).ok_or_else(|| broken(sheet, "it is not there"))?;
        }
        // What ends an element early, or hides its end, would be read as HTML.
        for (text, sign) in
            [(&script, "</script"), (&script, "<!--"), (&style, "</style"), (&style, "@import")]
        {
            if text.to_ascii_lowercase().contains(sign) {
                return Err(broken(entry, &format!("it contains `{sign}`")));
            }
        }
        Ok(Self { script, style })
    }

    /// The document, with this body before its script.
    pub fn render(&self, title: &str, body: &str) -> String {
        let (script, style) = (hash(&self.script), hash(&self.style));
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '{script}'; \
             style-src '{style}'; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
             <style>{}</style>\n</head>\n<body>\n{body}\n<script>{}</script>\n</body>\n</html>\n",
            self.style, self.script
        )
    }
}

/// A text as a policy names it.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

fn broken(name: &str, why: &str) -> Error {
    Error::failed(format!("the file `{name}` of the page can't be joined with others: {why}"))
}

/// Modules one after the other, each once.
struct JoinedModules<'f, 'a> {
    find: &'f dyn Fn(&str) -> Option<&'a str>,
    /// The names of those that are in the script.
    done: Vec<String>,
    /// Those that wait for what they import.
    open: Vec<String>,
    script: String,
}

impl JoinedModules<'_, '_> {
    /// Adds a module after what it imports, and returns the name of what it exports.
    fn add(&mut self, name: &str) -> Result<String> {
        if let Some(at) = self.done.iter().position(|known| known == name) {
            return Ok(format!("m{at}"));
        }
        if self.open.iter().any(|waits| waits == name) {
            return Err(broken(name, "it imports itself, by way of others"));
        }
        let text = (self.find)(name).ok_or_else(|| broken(name, "it is not there"))?;
        self.open.push(name.to_owned());
        let (mut body, mut exports) = (String::new(), Vec::new());
        let mut rest = text;
        while let Some(line) = rest.split_inclusive('\n').next() {
            if line.starts_with("import ") {
                let end = rest.find(";\n").ok_or_else(|| broken(name, "an import does not end"))?;
                body += &self.bind_import(name, &rest[..end])?;
                rest = &rest[end + 2..];
                continue;
            }
            body += match line.strip_prefix("export ") {
                Some(declared) => {
                    exports.push(declared_name(declared).ok_or_else(|| broken(name, line.trim_end()))?);
                    declared
                }
                None => line,
            };
            rest = &rest[line.len()..];
        }
        for unknown in ["import(", "import.meta", "\nawait ", "\nimport", "\nexport"] {
            if body.contains(unknown) {
                return Err(broken(name, &format!("it has `{}`", unknown.trim())));
            }
        }
        self.open.pop();
        let bound = format!("m{}", self.done.len());
        self.done.push(name.to_owned());
        let exports = exports.join(", ");
        write!(self.script, "// {name}\nconst {bound} = (() => {{\n{body}return {{ {exports} }};\n}})();\n")
            .map_err(|_| broken(name, "it could not be written"))?;
        Ok(bound)
    }

    /// `import { a, b as c } from './d.js'` or `import * as d from './d.js'`, as what binds the same names.
    fn bind_import(&mut self, name: &str, statement: &str) -> Result<String> {
        let wrong = || broken(name, statement);
        let (names, from) = statement["import ".len()..].rsplit_once(" from ").ok_or_else(wrong)?;
        let path = from.strip_prefix('\'').and_then(|path| path.strip_suffix('\'')).ok_or_else(wrong)?;
        let module = self.add(&resolve(name, path).ok_or_else(wrong)?)?;
        if let Some(whole) = names.strip_prefix("* as ") {
            return Ok(format!("const {whole} = {module};\n"));
        }
        let names = names.strip_prefix('{').and_then(|names| names.strip_suffix('}')).ok_or_else(wrong)?;
        let names: Vec<String> = names
            .split(',')
            .map(|part| part.trim().replace(" as ", ": "))
            .filter(|part| !part.is_empty())
            .collect();
        Ok(format!("const {{ {} }} = {module};\n", names.join(", ")))
    }
}

/// The name of a file that another one imports by a relative path.
fn resolve(importer: &str, path: &str) -> Option<String> {
    let mut folder: Vec<&str> = importer.split('/').collect();
    folder.pop();
    if !path.starts_with("./") && !path.starts_with("../") {
        return None;
    }
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => {
                folder.pop()?;
            }
            part => folder.push(part),
        }
    }
    Some(folder.join("/"))
}

/// What is declared by a line that began with `export`. A `let` is not known: who imports it would not see it change.
fn declared_name(line: &str) -> Option<&str> {
    let kinds = ["async function* ", "async function ", "function* ", "function ", "class ", "const "];
    let declared = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
    let end = declared.find(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$')?;
    Some(&declared[..end]).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: &[(&str, &str)] = &[
        (
            "js/main.js",
            "// It.\n\nimport { one as first, two } from './parts/one.js';\nimport * as all from './two.js';\n\nfirst(two, all);\n",
        ),
        (
            "js/parts/one.js",
            "import { two } from '../two.js';\n\nexport async function one() {}\nexport const three = 3;\nexport { two };\n",
        ),
        (
            "js/two.js",
            "export const two = 2;\nlet own = 1;\nexport function grow() {\n    own += 1;\n}\nexport class Two {}\n",
        ),
        ("js/a.js", "import { b } from './b.js';\nexport const a = b;\n"),
        ("js/b.js", "import { a } from './a.js';\nexport const b = a;\n"),
        ("js/ends.js", "export const text = '</SCRIPT>';\n"),
        ("js/let.js", "export let state = 0;\n"),
        ("js/late.js", "const later = () => import('./two.js');\n"),
        ("js/lost.js", "import { x } from './nowhere.js';\n"),
        ("js/far.js", "import { x } from 'elsewhere';\n"),
        ("js/out.js", "import { x } from '../../x.js';\n"),
        ("js/side.js", "import './two.js';\n"),
        ("js/one.js", "import {\n    grow,\n    two,\n} from './two.js';\ngrow(two);\n"),
        ("css/a.css", "a {}\n"),
        ("css/b.css", "@import 'x';\n"),
    ];

    fn join(entry: &str, sheets: &[&str]) -> Result<WebBundle> {
        let find = |name: &str| FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
        WebBundle::from_files(entry, sheets, &find)
    }

    #[test]
    fn modules_come_once_each_after_what_they_import() {
        let bundle = join("js/one.js", &["css/a.css"]).unwrap();
        let expected = "\n(() => {\n'use strict';\n// js/two.js\nconst m0 = (() => {\nconst two = 2;\nlet own = 1;\nfunction grow() {\n    \
                        own += 1;\n}\nclass Two {}\nreturn { two, grow, Two };\n})();\n// js/one.js\nconst m1 = (() => {\nconst { grow, two } = \
                        m0;\ngrow(two);\nreturn {  };\n})();\n})();\n";
        assert_eq!(bundle.script, expected);
        assert_eq!(bundle.style, "\na {}\n");
    }

    #[test]
    fn what_it_does_not_know_is_an_error() {
        for entry in ["main", "a", "ends", "let", "late", "lost", "far", "out", "side", "none"] {
            assert!(join(&format!("js/{entry}.js"), &[]).is_err(), "{entry}");
        }
        assert!(join("js/two.js", &["css/b.css"]).is_err() && join("js/two.js", &["css/none.css"]).is_err());
    }

    #[test]
    fn the_policy_names_the_script_and_the_sheet_and_nothing_else() {
        let html = join("js/two.js", &["css/a.css"]).unwrap().render("It", "<main></main>");
        let inner = |tag: &str| {
            let (_, after) = html.split_once(&format!("<{tag}>")).unwrap();
            after.split_once(&format!("</{tag}>")).unwrap().0
        };
        let policy = format!(
            "content=\"default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'\"",
            hash(inner("script")),
            hash(inner("style"))
        );
        assert!(html.contains(&policy), "{html}");
        // As other programs compute it.
        assert_eq!(hash("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    }
}
