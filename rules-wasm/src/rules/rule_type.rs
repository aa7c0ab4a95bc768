//! What a rule type is.

use crate::answer;
use crate::coverage;
use crate::extend::Answer;
use crate::fields::{Fields, object};
use crate::sentence;
use crate::types::{ActorKind, Facts, FieldError, Moment, Outcome, RefChange, Target};

/// The change that is judged.
pub(crate) struct Change<'a> {
    pub(crate) facts: &'a Facts,
    /// True when an active merge queue covers the ref.
    pub(crate) queued: bool,
}

impl Change<'_> {
    /// The ref that wants to move.
    pub(crate) fn reference(&self) -> &RefChange {
        &self.facts.ref_change
    }

    /// True when it creates its ref.
    pub(crate) fn creates(&self) -> bool {
        coverage::creates(self.reference())
    }

    /// True when it deletes its ref.
    pub(crate) fn deletes(&self) -> bool {
        coverage::deletes(self.reference())
    }

    /// True when the actor is g1t itself.
    pub(crate) fn is_by_system(&self) -> bool {
        self.facts.actor.kind == ActorKind::System
    }

    /// The ref's name as people say it, between backquotes.
    pub(crate) fn ref_name(&self) -> String {
        let name = &self.reference().name;
        sentence::quote(name.strip_prefix("refs/heads/").unwrap_or(name))
    }
}

/// A rule type: its parameters, and how it judges by them.
pub(crate) trait RuleType {
    /// The parameters, read.
    type Parameters;

    /// `rule.kind` of the contract.
    const KIND: &'static str;

    /// When it has a say.
    const MOMENTS: &'static [Moment];

    /// What rulesets may hold it: elsewhere it could never be judged.
    const TARGETS: &'static [Target];

    /// Reads the parameters, leaving what is wrong in `fields`.
    fn read(fields: &mut Fields<'_>) -> Self::Parameters;

    /// Judges at one of [`Self::MOMENTS`].
    fn judge(parameters: &Self::Parameters, change: &Change<'_>) -> Answer;

    /// Whether the ruleset's bypass list counts for this rule.
    fn bypass_counts(_parameters: &Self::Parameters) -> bool {
        true
    }
}

/// What a rule of the catalogue says.
pub(crate) struct Judged {
    pub(crate) answer: Answer,
    pub(crate) bypass_counts: bool,
}

/// A rule type in the catalogue, with its parameters' type put away.
pub(crate) struct Entry {
    pub(crate) kind: &'static str,
    pub(crate) moments: &'static [Moment],
    pub(crate) targets: &'static [Target],
    /// Judges by parameters as they are stored.
    pub(crate) judge: fn(&str, &Change<'_>) -> Judged,
    /// What is wrong with parameters, whose path is given.
    pub(crate) check: fn(&str, &str) -> Vec<FieldError>,
}

impl Entry {
    pub(crate) const fn of<T: RuleType>() -> Self {
        Self {
            kind: T::KIND,
            moments: T::MOMENTS,
            targets: T::TARGETS,
            judge: judge_as::<T>,
            check: check_as::<T>,
        }
    }
}

/// The path that messages of a judgement give to a rule's parameters.
const PARAMETERS: &str = "parameters";

fn judge_as<T: RuleType>(parameters: &str, change: &Change<'_>) -> Judged {
    let object = match object(parameters, PARAMETERS) {
        Ok(object) => object,
        Err(error) => return unread::<T>(&error),
    };
    let mut fields = Fields::new(&object, PARAMETERS);
    let parameters = T::read(&mut fields);
    let unknown = fields.unread();
    if let Some(error) = fields.into_errors().first() {
        return unread::<T>(error);
    }
    let mut answer = T::judge(&parameters, change);
    if answer.outcome == Outcome::Pass && answer.why.is_empty() && !unknown.is_empty() {
        let names = sentence::list(unknown);
        answer = answer::pass_with(format!(
            "The rule holds without its parameters {names}, which are not known here and have no effect."
        ));
    }
    Judged {
        answer,
        bypass_counts: T::bypass_counts(&parameters),
    }
}

fn unread<T: RuleType>(error: &FieldError) -> Judged {
    let answer = answer::unjudged(format!(
        "The rule {} could not be judged: its field {} {}.",
        sentence::quote(T::KIND),
        sentence::quote(&error.field),
        error.message
    ));
    Judged {
        answer,
        bypass_counts: true,
    }
}

fn check_as<T: RuleType>(parameters: &str, path: &str) -> Vec<FieldError> {
    match object(parameters, path) {
        Err(error) => vec![error],
        Ok(object) => {
            let mut fields = Fields::new(&object, path);
            T::read(&mut fields);
            fields.into_errors()
        }
    }
}
