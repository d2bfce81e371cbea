//! `Cargo.toml`: a package's name and its dependencies.

use std::collections::HashSet;

use toml_edit::{Document, Item, TableLike};

/// What the manifest of a package of Rust says about names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CargoManifest {
    /// The name of the package, as it is written.
    pub package: Option<String>,
    /// The names by which code knows what the manifest depends on.
    pub dependencies: HashSet<String>,
}

impl CargoManifest {
    /// Reads a manifest. What is no TOML says nothing.
    pub fn parse(text: &str) -> Self {
        let Ok(manifest) = Document::parse(text) else { return Self::default() };
        let package = manifest.get("package").and_then(|package| package.get("name")).and_then(Item::as_str);
        Self { package: package.map(str::to_owned), dependencies: dependency_names(manifest.as_table()) }
    }
}

/// The keys of every table of dependencies: of the package, of its tests and its build, for one target or a workspace.
fn dependency_names(manifest: &dyn TableLike) -> HashSet<String> {
    let mut names = HashSet::new();
    let mut left = vec![manifest];
    while let Some(table) = left.pop() {
        for (key, item) in table.iter() {
            let Some(inner) = item.as_table_like() else { continue };
            if key.ends_with("dependencies") {
                names.extend(inner.iter().map(|(name, _)| name.replace('-', "_")));
            } else {
                left.push(inner);
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(manifest: &str) -> HashSet<String> {
        CargoManifest::parse(manifest).dependencies
    }

    #[test]
    fn a_package_is_named_in_its_manifest() {
        let package = |manifest| CargoManifest::parse(manifest).package;
        let named = "[lib]\nname = \"x\"\n[package]\nname = \"wax-core\" # ours\n";
        assert_eq!(package(named).as_deref(), Some("wax-core"));
        assert_eq!(package("package.name = 'wax'\n").as_deref(), Some("wax"));
        assert_eq!(package("[workspace]\nmembers = []\n"), None);
        assert_eq!(package("[package]\nname.workspace = true\n"), None);
    }

    #[test]
    fn a_manifest_says_which_names_are_those_of_other_crates() {
        let manifest = "[package]\nname = \"wax\"\n[dependencies]\nserde-json.workspace = true\n[dev-dependencies.bees]\npath = \"x\"\n";
        assert_eq!(names(manifest), HashSet::from(["serde_json".to_owned(), "bees".to_owned()]));
        let nested = "[dependencies]\nhive = { version = \"1\", features = [\n  \"wax\",\n] }\n[target.'cfg(unix)'.dependencies]\n\"comb\" = \"2\"\n";
        assert_eq!(names(nested), HashSet::from(["hive".to_owned(), "comb".to_owned()]));
    }

    #[test]
    fn what_is_no_toml_says_nothing() {
        assert_eq!(CargoManifest::parse("[package\nname = \"wax\"\n"), CargoManifest::default());
        for deep in ["a.".repeat(100_000) + "b = 1\n", "a = ".to_owned() + &"[".repeat(100_000)] {
            assert_eq!(CargoManifest::parse(&deep), CargoManifest::default());
        }
        let tables = "[".to_owned() + &"a.".repeat(100_000) + "b]\nc = 1\n";
        assert_eq!(CargoManifest::parse(&tables), CargoManifest::default());
        let inline = "a = ".to_owned() + &"{ a = ".repeat(100_000);
        assert_eq!(CargoManifest::parse(&inline), CargoManifest::default());
    }
}
