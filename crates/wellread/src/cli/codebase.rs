//! What the commands over code have in common: which code is meant, opened, and its index level with its files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use wellread_core::Result;
use wellread_core::code::codebase::{Codebase, Scope};
use wellread_core::domain::corpus::CorpusName;
use wellread_core::domain::display::counted;

use super::Invocation;
use crate::app::App;
use crate::folder::CodeTarget;
use crate::progress::ProgressBar;
use crate::signals;
use crate::wiring::NetworkOptions;

/// Which code, as every such command lets one say.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct CodeArgs {
    /// A code folder or a subfolder of it [default: the repository of the current folder, or the only one]
    #[arg(value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// The name of an added repository
    #[arg(long, value_name = "NAME", conflicts_with = "dir")]
    pub repo: Option<String>,
    /// Only files that match this pattern, such as `src/**/*.rs`
    #[arg(long, value_name = "GLOB")]
    pub scope: Option<String>,
}

/// Code that can be asked about.
pub struct OpenCodebase {
    pub app: Arc<App>,
    pub codebase: Codebase,
}

impl Invocation {
    /// The code that is meant. A folder that is no added repository is indexed now, and its index kept for the next time.
    pub fn open_codebase(&self, args: &CodeArgs) -> Result<OpenCodebase> {
        let config = self.load_config()?;
        let meant = CodeTarget::resolve(&config, args.dir.as_deref(), args.repo.as_deref())?;
        let written = args.scope.as_deref().unwrap_or_default();
        let (repo, below, has_vault) = match meant {
            CodeTarget::Added { repo, below } => (repo, below, config.vault()?.is_dir()),
            CodeTarget::Alone(repo) => (repo, None, false),
        };
        // A pattern that makes no sense need not wait for an index.
        let scope = match &below {
            Some(folder) => Scope::parse_below(folder, written)?,
            None => Scope::parse(written)?,
        };
        let app =
            if has_vault { self.open_app_without_signals()? } else { self.open_folder_app(repo.clone())? };
        signals::finish_changes_first([&app.files], self.output);
        let bar = ProgressBar::new(self.output, "files");
        let level = if has_vault {
            let searchable = app.make_searchable(&|progress| bar.update(progress.done, progress.total));
            // However many files there are: what calls what is not to be told from yesterday's.
            let corpus = CorpusName::Repository(repo.name.clone());
            searchable.and_then(|()| app.library.update_corpus(&corpus).map(|_| ()))
        } else {
            self.update_index(&app, &repo.path, &bar)
        };
        bar.clear();
        self.report_index_rebuild(&app);
        level?;
        let codebase = Codebase::new(app.library.clone(), &repo.name, scope)?;
        Ok(OpenCodebase { app, codebase })
    }

    fn open_folder_app(&self, repo: crate::config::RepoSetting) -> Result<Arc<App>> {
        let asked = NetworkOptions { offline: self.offline, web: false };
        Ok(Arc::new(App::for_folder(&self.load_config()?, asked, repo)?))
    }

    fn update_index(&self, app: &App, path: &Path, bar: &ProgressBar) -> Result<()> {
        let updated = app.update(false, &|progress| bar.update(progress.done, progress.total))?;
        if updated.added > 0 {
            bar.clear();
            let shown = path.display();
            self.output
                .notice(&format!("note: indexed {} of `{shown}`", counted(updated.added, "file", "files")));
        }
        Ok(())
    }
}
