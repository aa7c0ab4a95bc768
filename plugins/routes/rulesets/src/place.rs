//! What a ruleset belongs to.

use g1t_kit::percent::encode;
use g1t_kit::types::Role;
use g1t_kit::{Id, Repository};

/// What a ruleset belongs to.
pub enum Place {
    /// One repository.
    Repository(Repository),
    /// Every repository of a workspace, or some by their names.
    Workspace {
        /// Its number.
        id: Id,
        /// Its name.
        name: String,
        /// True when the asker owns it.
        is_owner: bool,
    },
}

impl Place {
    /// Number of the workspace.
    pub fn workspace_id(&self) -> Id {
        match self {
            Self::Repository(repository) => repository.workspace_id,
            Self::Workspace { id, .. } => *id,
        }
    }

    /// Name of the workspace.
    pub fn workspace(&self) -> &str {
        match self {
            Self::Repository(repository) => &repository.workspace,
            Self::Workspace { name, .. } => name,
        }
    }

    /// Number of the repository; none for a workspace.
    pub fn repository_id(&self) -> Option<Id> {
        match self {
            Self::Repository(repository) => Some(repository.id),
            Self::Workspace { .. } => None,
        }
    }

    /// True for whoever may change rulesets here: only they see who bypasses.
    pub fn may_change(&self) -> bool {
        match self {
            Self::Repository(repository) => repository.role >= Role::Maintain,
            Self::Workspace { is_owner, .. } => *is_owner,
        }
    }

    /// API path of its rulesets.
    pub fn path(&self) -> String {
        let workspace = encode(self.workspace());
        match self {
            Self::Repository(repository) => {
                format!("/repos/{workspace}/{}/rulesets", encode(&repository.name))
            }
            Self::Workspace { .. } => format!("/orgs/{workspace}/rulesets"),
        }
    }
}
