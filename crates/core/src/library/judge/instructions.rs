//! Which files models take instructions from, by their names.

use wellread_text::fold;

use super::FileJudge;
use crate::domain::corpus::VaultPath;

/// Names that programs load as instructions to a model, in any folder and with any of the variants below.
const AGENT_NAMES: [&str; 8] = ["agent", "agents", "claude", "gemini", "qwen", "warp", "crush", "skill"];
/// What stands between such a name and `.md` in a file that goes with it or takes its place.
const VARIANTS: [&str; 3] = ["", ".local", ".override"];
const OTHER_NAMES: [&str; 3] = ["copilot-instructions.md", "system_prompt.txt", "system_prompt.md"];
/// How the names of instructions end that editors load by their kind.
const ENDINGS: [&str; 4] = [".prompt.md", ".instructions.md", ".agent.md", ".chatmode.md"];
const PROMPT_FOLDERS: [&str; 2] = ["prompts", ".obsidian"];

impl FileJudge<'_> {
    /// Whether models take instructions from a file.
    pub fn instructs_models(&self, path: &VaultPath) -> bool {
        let found = self.paths(path);
        found.unknown || found.paths.iter().any(|path| self.is_instruction_path(path))
    }

    fn is_instruction_path(&self, path: &VaultPath) -> bool {
        let is_prompt = |part: &str| PROMPT_FOLDERS.contains(&fold(part).as_str());
        fold(path.as_str()) == fold(&self.layout.preferences)
            || is_instruction_name(&fold(path.name()))
            || path.folder().split('/').any(is_prompt)
    }
}

/// Whether programs take a file of this folded name for instructions.
fn is_instruction_name(name: &str) -> bool {
    let is_agent_file = || {
        let stem = name.strip_suffix(".md");
        let variants = VARIANTS.iter().filter_map(|variant| stem?.strip_suffix(variant));
        variants.into_iter().any(|stem| AGENT_NAMES.contains(&stem))
    };
    OTHER_NAMES.contains(&name) || ENDINGS.iter().any(|ending| name.ends_with(ending)) || is_agent_file()
}
