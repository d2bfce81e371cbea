//! An app for somebody else: the same vault, with their own records, the repositories that they may read, and the tools that
//! they may call. What they have no right to is not there, so that nothing has to look for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use wellread_core::domain::corpus::CorpusName;
use wellread_core::domain::rights::Right;
use wellread_core::engine::run::RunStore;
use wellread_core::faces::tools::{Ctx, catalog};
use wellread_core::library::indexing::Library;
use wellread_core::library::search::Searcher;
use wellread_core::library::vault::Vault;
use wellread_core::ports::{Account, RecordViewer, Records, RecoveryReport, VaultRights};
use wellread_core::research::Research;

use crate::app::App;
use crate::audited_files::{AuditedFiles, FileAudit};
use crate::mcp::AccessScopes;

impl App {
    /// For a user with an account, who has these rights in the vault, and whose changes are logged.
    pub fn for_account(&self, account: &Account, rights: &VaultRights, audit: FileAudit) -> Self {
        let is_hidden =
            |name: &CorpusName| name.repository().is_some_and(|name| !rights.allows_repository(name));
        let library = Arc::new(self.library_without(&is_hidden));
        let kept: Vec<bool> = self.library.corpora.iter().map(|(name, _)| !is_hidden(name)).collect();
        let is_visible = |name: &str| rights.allows_repository(name);
        let may_call = |tool: &AccessScopes| rights.rights.covers(&tool.rights());
        let records = self.record_views.seen_by(&account.viewer());
        let files = Arc::new(AuditedFiles { files: self.ctx.vault.files.clone(), audit });
        let vault = Arc::new(Vault { files, ..(*self.ctx.vault).clone() });
        let search = Arc::new(Searcher { library: library.clone(), ..(*self.ctx.search).clone() });
        let ctx = self.ctx_with(&records, vault, search);
        // Who may only read gets by without services elsewhere.
        let ctx = if rights.rights.contains(Right::Research) { ctx } else { ctx.without_sending() };
        Self {
            ctx,
            records,
            library,
            roots: retain(&self.roots, &kept),
            paths: retain(&self.paths, &kept),
            tools: catalog()
                .into_iter()
                .filter(|tool| may_call(&AccessScopes::for_tool(tool.declaration())))
                .collect(),
            missing: self.missing.iter().filter(|repo| is_visible(&repo.path)).cloned().collect(),
            overlapping: self.overlapping.iter().filter(|name| is_visible(name)).cloned().collect(),
            works_for_user: true,
            allowed_repositories: rights.repositories.clone(),
            ..self.share()
        }
    }

    /// For the vault itself: its runs are everybody's who may read it, and its upkeep sees everything.
    pub fn for_vault(&self) -> Self {
        let records = self.record_views.seen_by(&RecordViewer::vault());
        let ctx = self.ctx_with(&records, self.ctx.vault.clone(), self.ctx.search.clone());
        Self { ctx, records, ..self.share() }
    }

    /// The same app once more, without what was recovered when it was opened.
    fn share(&self) -> Self {
        Self {
            files: self.files.clone(),
            index: self.index.clone(),
            shares_index: self.shares_index,
            leaves_index: AtomicBool::new(self.leaves_index.load(Ordering::Relaxed)),
            records: self.records.clone(),
            record_views: self.record_views.clone(),
            records_place: self.records_place.clone(),
            change_source: self.change_source.clone(),
            bells: self.bells.clone(),
            library: self.library.clone(),
            roots: self.roots.clone(),
            paths: self.paths.clone(),
            ctx: self.ctx.clone(),
            clock: self.clock.clone(),
            tools: catalog(),
            recovered: RecoveryReport::default(),
            unrecovered: None,
            embedder: self.embedder.clone(),
            model: self.model.clone(),
            missing: self.missing.clone(),
            overlapping: self.overlapping.clone(),
            following: self.following.clone(),
            works_for_user: self.works_for_user,
            allowed_repositories: self.allowed_repositories.clone(),
            page_cache: self.page_cache.clone(),
        }
    }

    fn ctx_with(&self, records: &Arc<dyn Records>, vault: Arc<Vault>, search: Arc<Searcher>) -> Ctx {
        let research = &self.ctx.research;
        let research = Research {
            runs: RunStore { records: records.clone(), clock: research.runs.clock.clone() },
            snapshots: records.clone(),
            agendas: records.clone(),
            ..(**research).clone()
        };
        let mut ctx = self.ctx.for_user(Arc::new(research), search);
        ctx.vault = vault;
        ctx
    }

    /// The library without some corpora. Updates keep what the index has of them.
    fn library_without(&self, is_hidden: &dyn Fn(&CorpusName) -> bool) -> Library {
        let library = &self.library;
        let (hidden, shown): (Vec<_>, Vec<_>) =
            library.corpora.iter().cloned().partition(|(name, _)| is_hidden(name));
        let away = library.away.iter().cloned().chain(hidden.into_iter().map(|(name, _)| name)).collect();
        Library { corpora: shown, away, ..(**library).clone() }
    }
}

/// Those entries of a list that are kept.
fn retain<T: Clone>(list: &[T], kept: &[bool]) -> Vec<T> {
    list.iter().zip(kept).filter(|(_, kept)| **kept).map(|(entry, _)| entry.clone()).collect()
}
