//! Where special notes and folders of the vault are.

/// Where special notes and folders of the vault are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VaultLayout {
    /// The folder of the daily notes, each called `YYYY-MM-DD.md`.
    pub daily_notes: String,
    /// The path of the note with the user's preferences.
    pub preferences: String,
    /// The folder in which embedded files are looked up first.
    pub attachments: String,
    /// The folders whose notes came from outside, as [`parse_folder_setting`](super::parse_folder_setting) returns them.
    pub clippings: Vec<String>,
    /// Notes in these folders never leave this machine. Folders are as
    /// [`parse_folder_setting`](super::parse_folder_setting) returns them; an empty one is the whole vault.
    pub private_folders: Vec<String>,
    /// Notes with these tags never leave this machine.
    pub private_tags: Vec<String>,
    /// Folders that are never read, listed or written, as [`PathRules`](crate::domain::corpus::PathRules) takes them.
    pub excluded: Vec<String>,
}

impl Default for VaultLayout {
    fn default() -> Self {
        Self {
            daily_notes: "Daily Notes".to_owned(),
            preferences: "Preferences.md".to_owned(),
            attachments: "Attachments".to_owned(),
            clippings: vec!["Clippings".to_owned()],
            private_folders: Vec::new(),
            private_tags: vec!["private".to_owned()],
            excluded: Vec::new(),
        }
    }
}
