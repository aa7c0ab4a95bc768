//! What a ruleset may hold. A limit is checked when a ruleset is written, and again where going past it would cost time.

/// Characters of one pattern. GitHub allows 200 for a restricted path; git refuses refs near this length.
pub(crate) const PATTERN_CHARS: usize = 255;

/// Patterns in one list (includes, excludes, repositories, paths). GitHub allows 200 restricted paths.
pub(crate) const PATTERNS: usize = 200;

/// Rules of one ruleset.
pub(crate) const RULES: usize = 100;

/// Entries of one bypass list.
pub(crate) const BYPASSES: usize = 100;

/// Bytes of one rule's parameters as JSON.
pub(crate) const PARAMETERS_BYTES: usize = 64 * 1024;

/// Characters of a ruleset's name.
pub(crate) const NAME_CHARS: usize = 100;

/// Characters of a check's name: what a status's `context` may have.
pub(crate) const CHECK_NAME_CHARS: usize = 100;

/// Checks that one rule may require.
pub(crate) const REQUIRED_CHECKS: usize = 100;

/// Characters of a plugin's name and of a rule's name in `plugin:<plugin>/<rule>`.
pub(crate) const PLUGIN_NAME_CHARS: usize = 50;

/// Characters of a name (path, check, branch) that a sentence quotes.
pub(crate) const QUOTED_CHARS: usize = 120;

/// Names that a sentence lists before it says how many more there are.
pub(crate) const LISTED_NAMES: usize = 3;
