//! Who asks, and what their token may be used for.

use crate::{Fault, Id};

/// What kind of actor asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActorKind {
    /// Somebody.
    Person,
    /// A coding agent, acting for a person.
    Agent,
    /// g1t itself.
    System,
}

impl ActorKind {
    /// From the stored word.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "person" => Some(Self::Person),
            "agent" => Some(Self::Agent),
            "system" => Some(Self::System),
            _ => None,
        }
    }

    /// The stored word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
            Self::System => "system",
        }
    }

    /// GitHub's `type` of such a user.
    pub fn github_type(self) -> &'static str {
        match self {
            Self::Person => "User",
            Self::Agent | Self::System => "Bot",
        }
    }
}

/// What a token may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// See repositories.
    RepoRead,
    /// Change what is in them.
    RepoWrite,
    /// Change their settings and rules.
    RepoAdmin,
    /// Report statuses and check runs.
    ChecksWrite,
    /// Everything in the workspace.
    WorkspaceAdmin,
    /// Make workspaces.
    WorkspaceCreate,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 6] = [
        Self::RepoRead,
        Self::RepoWrite,
        Self::RepoAdmin,
        Self::ChecksWrite,
        Self::WorkspaceAdmin,
        Self::WorkspaceCreate,
    ];

    /// The word in tokens and messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::RepoRead => "repo:read",
            Self::RepoWrite => "repo:write",
            Self::RepoAdmin => "repo:admin",
            Self::ChecksWrite => "checks:write",
            Self::WorkspaceAdmin => "workspace:admin",
            Self::WorkspaceCreate => "workspace:create",
        }
    }

    /// From the word in tokens.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.word() == word)
    }

    /// Scopes that contain this one, itself first.
    fn granted_by(self) -> &'static [Scope] {
        match self {
            Self::RepoRead => &[
                Self::RepoRead,
                Self::RepoWrite,
                Self::RepoAdmin,
                Self::WorkspaceAdmin,
            ],
            Self::RepoWrite => &[Self::RepoWrite, Self::RepoAdmin, Self::WorkspaceAdmin],
            Self::RepoAdmin => &[Self::RepoAdmin, Self::WorkspaceAdmin],
            Self::ChecksWrite => &[Self::ChecksWrite, Self::WorkspaceAdmin],
            Self::WorkspaceAdmin => &[Self::WorkspaceAdmin],
            // A workspace's administration says nothing about making others.
            Self::WorkspaceCreate => &[Self::WorkspaceCreate],
        }
    }
}

/// The scopes of a token. Words that are not known grant nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scopes(Vec<Scope>);

impl Scopes {
    /// From the host's header: words with commas.
    pub fn from_header(text: &str) -> Self {
        Self(
            text.split(',')
                .filter_map(|word| Scope::from_word(word.trim()))
                .collect(),
        )
    }

    /// True when a scope or one that contains it is there.
    pub fn allow(&self, scope: Scope) -> bool {
        scope
            .granted_by()
            .iter()
            .any(|granting| self.0.contains(granting))
    }
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// Number of the user.
    pub id: Id,
    /// Login, for messages.
    pub login: String,
    /// Person, agent or system.
    pub kind: ActorKind,
    /// Id of the token the request came with.
    pub token: Option<String>,
    /// What that token may be used for.
    pub scopes: Scopes,
}

impl Actor {
    /// Nothing when the token has a scope.
    ///
    /// # Errors
    /// [`Fault::Forbidden`], naming the scope.
    pub fn require_scope(&self, scope: Scope) -> Result<(), Fault> {
        if self.scopes.allow(scope) {
            return Ok(());
        }
        Err(Fault::forbidden(format!(
            "this token lacks the scope `{}`",
            scope.word()
        )))
    }

    /// Nothing unless an agent asks.
    ///
    /// # Errors
    /// [`Fault::Forbidden`], saying what agents may not do, such as `report checks`.
    pub fn refuse_agents(&self, what: &str) -> Result<(), Fault> {
        match self.kind {
            ActorKind::Agent => Err(Fault::forbidden(format!(
                "agents may not {what}; a person has to"
            ))),
            ActorKind::Person | ActorKind::System => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wider_scopes_contain_narrower_ones() {
        let admin = Scopes::from_header("repo:admin");
        assert!(admin.allow(Scope::RepoRead) && admin.allow(Scope::RepoWrite));
        assert!(!admin.allow(Scope::ChecksWrite) && !admin.allow(Scope::WorkspaceAdmin));
        let owner = Scopes::from_header("workspace:admin, nonsense");
        assert!(owner.allow(Scope::ChecksWrite) && owner.allow(Scope::RepoAdmin));
        assert!(!owner.allow(Scope::WorkspaceCreate));
        assert!(!Scopes::from_header("").allow(Scope::RepoRead));
    }

    #[test]
    fn a_refusal_names_the_scope() {
        let actor = Actor {
            id: 1,
            login: "ada".into(),
            kind: ActorKind::Agent,
            token: None,
            scopes: Scopes::from_header("repo:read"),
        };
        let fault = actor
            .require_scope(Scope::RepoWrite)
            .expect_err("the scope is lacking");
        assert!(fault.to_string().contains("repo:write"), "{fault}");
        assert!(actor.refuse_agents("report checks").is_err());
    }
}
