//! `file_path_restriction`: nobody but those on the bypass list changes files at these paths.

use super::rule_type::{Change, RuleType};
use crate::answer;
use crate::extend::Answer;
use crate::fields::Fields;
use crate::pattern::FilePattern;
use crate::sentence;
use crate::types::{Moment, Target};

pub(crate) struct FilePathRestriction;

impl RuleType for FilePathRestriction {
    type Parameters = Vec<FilePattern>;
    const KIND: &'static str = "file_path_restriction";
    const MOMENTS: &'static [Moment] = &[Moment::Push, Moment::Merge];
    const TARGETS: &'static [Target] = &[Target::Branch, Target::Tag, Target::Push];

    fn read(fields: &mut Fields<'_>) -> Self::Parameters {
        fields.required_file_patterns("restricted_file_paths")
    }

    fn judge(patterns: &Self::Parameters, change: &Change<'_>) -> Answer {
        let facts = change.facts;
        let restricted = |file| patterns.iter().find(|pattern| pattern.matches(file));
        let found: Vec<_> = facts
            .files
            .iter()
            .filter_map(|file| restricted(file).map(|pattern| (file.path.as_str(), pattern)))
            .collect();
        if let Some((_, pattern)) = found.first() {
            let paths = sentence::list(found.iter().map(|(path, _)| *path));
            return answer::fail(
                format!(
                    "Files at {} may not be changed, and this changes {paths}.",
                    sentence::quote(pattern.text())
                ),
                "Take these files out of the change (out of every commit), or ask somebody on the ruleset's bypass list.",
            );
        }
        if facts.files_cut && !patterns.is_empty() {
            return answer::fail(
                "The change has more files than can be looked at, so its paths could not be judged.",
                "Split it into smaller changes.",
            );
        }
        answer::pass()
    }
}
