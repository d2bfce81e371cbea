//! The names of the modules that files are.

use crate::domain::corpus::VaultPath;

/// The names of files that stand for their folder.
const INDEX: [&str; 4] = ["mod", "index", "__init__", "lib"];
/// The names of the modules that a file is in, the outermost first: its folders, and its own name unless it stands for its
/// folder.
pub fn module_names(path: &VaultPath) -> Vec<&str> {
    let mut names: Vec<&str> = path.folder().split('/').filter(|part| !part.is_empty()).collect();
    let stem = path.name().split('.').next().unwrap_or_default();
    if !INDEX.contains(&stem) {
        names.push(stem);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_stands_for_its_folder() {
        for (path, names) in [
            ("src/press/main.py", &["src", "press", "main"][..]),
            ("press/__init__.py", &["press"]),
            ("src/press/mod.rs", &["src", "press"]),
            ("index.d.ts", &[]),
            ("lid.test.ts", &["lid"]),
        ] {
            assert_eq!(module_names(&VaultPath::from_index(path.to_owned())), names, "{path}");
        }
    }
}
