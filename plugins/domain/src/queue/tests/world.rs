//! A repository, a queue and a CI system in memory: carries out what is decided, as the handler does with the real ones.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::ids::{AttemptId, EntryId, Oid, PullNumber, Time};
use crate::merge_method::MergeMethod;
use crate::queue::{
    Action, Admission, Attempt, AttemptState, Ejection, Entry, EntryState, Obstacle, Onto,
    PullState, Question, Settings, Snapshot, Verdict, decide, questions,
};

/// `[(name, passed)]` as reported on one commit.
type Reports = Vec<(String, bool)>;

pub struct World {
    pub now: Time,
    pub settings: Settings,
    pub required: Vec<String>,
    /// What the rules say of a pull request when they are asked.
    pub admission: BTreeMap<u64, Admission>,
    base: Option<Oid>,
    commits: u64,
    heads: BTreeMap<u64, Oid>,
    /// Pull requests that cannot be landed on a state that holds the other one.
    conflicts: BTreeSet<(u64, u64)>,
    /// Pull requests that cannot be built at all.
    obstacles: BTreeMap<u64, Obstacle>,
    /// What a commit is made of.
    content: BTreeMap<Oid, Vec<u64>>,
    reports: BTreeMap<Oid, Reports>,
    pub entries: Vec<Entry>,
    /// What happened, one line each.
    pub log: Vec<String>,
    /// What entries that passed were shown with.
    pub shown: Vec<String>,
    pub wake: Option<Time>,
    /// The process dies before it does the next git work of this kind.
    pub dies: Option<Dies>,
    /// Every commit the base branch has been at.
    pub history: Vec<Oid>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Dies {
    BeforeBuilding,
    BeforeLanding,
    AfterLanding,
}

impl World {
    /// A base branch at `M0`, with `ci` required.
    pub fn new() -> Self {
        let mut world = Self {
            now: Time(0),
            settings: Settings::default(),
            required: vec!["ci".to_owned()],
            admission: BTreeMap::new(),
            base: None,
            commits: 0,
            heads: BTreeMap::new(),
            conflicts: BTreeSet::new(),
            obstacles: BTreeMap::new(),
            content: BTreeMap::new(),
            reports: BTreeMap::new(),
            entries: Vec::new(),
            log: Vec::new(),
            shown: Vec::new(),
            wake: None,
            dies: None,
            history: Vec::new(),
        };
        world.outside_push();
        world.log.clear();
        world
    }

    /// With `pulls` queued in this order, and everything built that can be.
    pub fn with_queue(pulls: &[u64]) -> Self {
        let mut world = Self::new();
        for pull in pulls {
            world.enqueue(*pull);
        }
        world.tick();
        world
    }

    fn commit(&mut self) -> Oid {
        self.commits += 1;
        Oid::parse(&format!("{:040x}", self.commits)).expect("40 hex digits")
    }

    pub fn base(&self) -> Oid {
        self.base
            .clone()
            .expect("the story did not delete the base branch")
    }

    pub fn delete_base(&mut self) {
        self.base = None;
    }

    /// Somebody moves the base branch without the queue.
    pub fn outside_push(&mut self) -> Oid {
        let pushed = self.commit();
        let held = self
            .base
            .as_ref()
            .map(|base| self.content[base].clone())
            .unwrap_or_default();
        self.content.insert(pushed.clone(), held);
        self.base = Some(pushed.clone());
        self.history.push(pushed.clone());
        pushed
    }

    pub fn enqueue(&mut self, pull: u64) {
        let is_live = self
            .entries
            .iter()
            .any(|entry| entry.pull == PullNumber(pull));
        if is_live {
            return;
        }
        let head = match self.heads.get(&pull) {
            Some(head) => head.clone(),
            None => self.push(pull),
        };
        let serial = self.log.len() + self.entries.len();
        self.entries.push(Entry {
            id: EntryId::new(format!("qe_{pull}_{serial}")),
            pull: PullNumber(pull),
            head_now: Some(head.clone()),
            head,
            pull_state: PullState::Open,
            method: MergeMethod::Merge,
            queued_at: self.now,
            is_gathered: false,
            state: EntryState::Waiting,
            reason_code: String::new(),
            reason: String::new(),
            admission: Admission::NotAsked,
            attempts: Vec::new(),
        });
    }

    /// A push to the pull request's branch; nobody tells the queue.
    pub fn push(&mut self, pull: u64) -> Oid {
        let head = self.commit();
        self.heads.insert(pull, head.clone());
        if let Some(entry) = self
            .entries
            .iter_mut()
            .find(|entry| entry.pull == PullNumber(pull))
        {
            entry.head_now = Some(head.clone());
        }
        head
    }

    pub fn delete_branch(&mut self, pull: u64) {
        self.heads.remove(&pull);
        self.entry_mut(pull).head_now = None;
    }

    pub fn set_pull(&mut self, pull: u64, state: PullState) {
        self.entry_mut(pull).pull_state = state;
    }

    pub fn put_first(&mut self, pull: u64) {
        let from = self.index(pull);
        let entry = self.entries.remove(from);
        self.entries.insert(0, entry);
    }

    pub fn conflict(&mut self, one: u64, other: u64) {
        self.conflicts.extend([(one, other), (other, one)]);
    }

    pub fn obstruct(&mut self, pull: u64, obstacle: Obstacle) {
        self.obstacles.insert(pull, obstacle);
    }

    /// A report on any commit.
    pub fn report(&mut self, commit: &Oid, name: &str, passed: bool) {
        self.reports
            .entry(commit.clone())
            .or_default()
            .push((name.to_owned(), passed));
    }

    /// `ci` passes on the pull request's candidate; the queue looks.
    pub fn ci_passes(&mut self, pull: u64) {
        let candidate = self.candidate(pull);
        self.report(&candidate, "ci", true);
        self.tick();
    }

    /// `ci` fails on the pull request's candidate; the queue looks.
    pub fn ci_fails(&mut self, pull: u64) {
        let candidate = self.candidate(pull);
        self.report(&candidate, "ci", false);
        self.tick();
    }

    pub fn minutes_pass(&mut self, minutes: u64) {
        self.now = self.now.plus(Duration::from_secs(minutes * 60));
    }

    fn index(&self, pull: u64) -> usize {
        self.entries
            .iter()
            .position(|entry| entry.pull == PullNumber(pull))
            .expect("the entry is in the queue")
    }

    pub fn entry(&self, pull: u64) -> &Entry {
        &self.entries[self.index(pull)]
    }

    fn entry_mut(&mut self, pull: u64) -> &mut Entry {
        let index = self.index(pull);
        &mut self.entries[index]
    }

    /// The commit that is tested for the pull request.
    #[track_caller]
    pub fn candidate(&self, pull: u64) -> Oid {
        self.candidate_if_any(pull)
            .unwrap_or_else(|| panic!("#{pull} has no candidate"))
    }

    pub fn candidate_if_any(&self, pull: u64) -> Option<Oid> {
        match &self.entry(pull).live()?.state {
            AttemptState::Built { candidate, .. } | AttemptState::Landing { candidate, .. } => {
                Some(candidate.clone())
            }
            _ => None,
        }
    }

    /// Looks at the queue until nothing is left to do, or the process dies.
    pub fn tick(&mut self) {
        for _ in 0..200 {
            let snapshot = self.snapshot();
            let actions = decide(&snapshot, self.now);
            assert_eq!(
                actions,
                decide(&snapshot, self.now),
                "the same snapshot gives the same actions"
            );
            self.wake = None;
            let mut is_done = true;
            for action in actions {
                is_done &= matches!(action, Action::WakeAt(_));
                if !self.apply(action) {
                    return;
                }
            }
            if is_done {
                return;
            }
        }
        panic!("the queue never comes to rest: {:?}", self.log);
    }

    pub fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot {
            base: "main".to_owned(),
            base_head: self.base.clone(),
            settings: self.settings.clone(),
            entries: self.entries.clone(),
        };
        let history = self.history.clone();
        for attempt in snapshot
            .entries
            .iter_mut()
            .flat_map(|entry| &mut entry.attempts)
        {
            attempt.onto_base = history.contains(&attempt.onto);
            match &mut attempt.state {
                AttemptState::Built {
                    candidate, verdict, ..
                } => *verdict = self.verdict(candidate),
                AttemptState::Landing { candidate, in_base } => {
                    *in_base = history.contains(candidate)
                }
                _ => {}
            }
        }
        for (id, question) in questions(&snapshot) {
            let entry = snapshot
                .entries
                .iter_mut()
                .find(|entry| entry.id == id)
                .expect("asked about an entry");
            let said = self
                .admission
                .get(&entry.pull.0)
                .cloned()
                .unwrap_or(Admission::Pass);
            // The pull request's own checks do not count at landing.
            entry.admission = match (question, said) {
                (Question::Landing, Admission::Waiting(_)) => Admission::Pass,
                (_, said) => said,
            };
        }
        snapshot
    }

    fn verdict(&self, candidate: &Oid) -> Verdict {
        if self.required.is_empty() {
            return Verdict::NothingRequired;
        }
        let none = Reports::new();
        let reports = self.reports.get(candidate).unwrap_or(&none);
        let says = |name: &String| {
            reports
                .iter()
                .rev()
                .find(|(reported, _)| reported == name)
                .map(|(_, passed)| *passed)
        };
        let failed: Vec<String> = self
            .required
            .iter()
            .filter(|name| says(name) == Some(false))
            .cloned()
            .collect();
        let missing: Vec<String> = self
            .required
            .iter()
            .filter(|name| says(name).is_none())
            .cloned()
            .collect();
        match (failed.is_empty(), missing.is_empty()) {
            (false, _) => Verdict::Fail(failed),
            (true, false) => Verdict::Waiting(missing),
            (true, true) => Verdict::Pass,
        }
    }

    /// False when the process died.
    fn apply(&mut self, action: Action) -> bool {
        match action {
            Action::Intend { entry, head, onto } => {
                let pull = self.intend(&entry, head, onto);
                return self.build(pull);
            }
            Action::Build { entry, .. } => return self.build(self.pull_of(&entry)),
            Action::Void { entry, attempt, .. } => {
                let pull = self.pull_of(&entry);
                let newest = &mut self.entry_mut(pull).attempts[0];
                assert_eq!(newest.id, attempt, "only the newest attempt is ever voided");
                assert!(
                    !matches!(newest.state, AttemptState::Void | AttemptState::Landed),
                    "voided twice"
                );
                newest.state = AttemptState::Void;
            }
            Action::Show { entry, standing } => {
                let pull = self.pull_of(&entry);
                let entry = self.entry_mut(pull);
                entry.state = standing.state;
                entry.reason_code = standing.note.code().to_owned();
                entry.reason = standing.note.text("main");
                if standing.state == EntryState::Passed {
                    let said = format!("#{pull}: {}", standing.note.text("main"));
                    self.shown.push(said);
                }
            }
            Action::Gather { entries } => {
                for id in entries {
                    let pull = self.pull_of(&id);
                    let entry = self.entry_mut(pull);
                    assert!(!entry.is_gathered, "gathered twice");
                    entry.is_gathered = true;
                }
            }
            Action::Land { entry, .. } => return self.land(self.pull_of(&entry)),
            Action::Eject { entry, ejection } => self.eject(&entry, &ejection),
            Action::Remove { entry, why } => {
                let pull = self.pull_of(&entry);
                self.log.push(format!("#{pull} removed: {}", why.code()));
                self.entries.retain(|other| other.id != entry);
            }
            Action::WakeAt(when) => self.wake = Some(when),
        }
        true
    }

    fn pull_of(&self, id: &EntryId) -> u64 {
        self.entries
            .iter()
            .find(|entry| entry.id == *id)
            .expect("acts on an entry")
            .pull
            .0
    }

    fn intend(&mut self, id: &EntryId, head: Oid, onto: Onto) -> u64 {
        let pull = self.pull_of(id);
        let ahead: Vec<PullNumber> = match &onto.attempt {
            None => Vec::new(),
            Some(attempt) => {
                let stood_on = self
                    .entries
                    .iter()
                    .find(|entry| entry.live().is_some_and(|live| live.id == *attempt))
                    .expect("stands on a live attempt");
                let under = stood_on.attempts[0].ahead.iter().copied();
                under.chain([stood_on.pull]).collect()
            }
        };
        let entry = self.entry_mut(pull);
        assert!(
            entry
                .live()
                .is_none_or(|live| matches!(live.state, AttemptState::Unbuildable(_))),
            "built twice"
        );
        entry.head = head.clone();
        let number = entry.attempts.len() + 1;
        let attempt = Attempt {
            id: AttemptId::new(format!("qa_{}_{number}", entry.id)),
            head,
            onto: onto.commit,
            onto_base: false,
            ahead,
            state: AttemptState::Intended,
        };
        entry.attempts.insert(0, attempt);
        pull
    }

    fn build(&mut self, pull: u64) -> bool {
        if self.dies == Some(Dies::BeforeBuilding) {
            return false;
        }
        let onto = self.entry(pull).attempts[0].onto.clone();
        let mut held = self.content[&onto].clone();
        let conflict = held
            .iter()
            .any(|other| self.conflicts.contains(&(pull, *other)));
        let state = if let Some(obstacle) = self.obstacles.get(&pull) {
            AttemptState::Unbuildable(obstacle.clone())
        } else if conflict {
            AttemptState::Unbuildable(Obstacle::Conflict(vec!["f".to_owned()]))
        } else {
            let candidate = self.commit();
            held.push(pull);
            self.content.insert(candidate.clone(), held);
            AttemptState::Built {
                candidate,
                built_at: self.now,
                verdict: Verdict::Waiting(Vec::new()),
            }
        };
        self.entry_mut(pull).attempts[0].state = state;
        true
    }

    fn land(&mut self, pull: u64) -> bool {
        let attempt = self.entry(pull).attempts[0].clone();
        let candidate = match attempt.state {
            AttemptState::Built { candidate, .. } => {
                let verdict = self.verdict(&candidate);
                assert!(
                    matches!(verdict, Verdict::Pass | Verdict::NothingRequired),
                    "#{pull} would land untested"
                );
                candidate
            }
            AttemptState::Landing { candidate, .. } => candidate,
            other => panic!("#{pull} would land as {other:?}"),
        };
        let in_base = self.history.contains(&candidate);
        self.entry_mut(pull).attempts[0].state = AttemptState::Landing {
            candidate: candidate.clone(),
            in_base,
        };
        if self.dies == Some(Dies::BeforeLanding) {
            return false;
        }
        if !in_base {
            assert_eq!(
                self.base,
                Some(attempt.onto),
                "landing moves the base from the state that was tested"
            );
            self.base = Some(candidate.clone());
            self.history.push(candidate);
        }
        if self.dies == Some(Dies::AfterLanding) {
            return false;
        }
        self.log.push(format!("#{pull} landed"));
        let at = self.index(pull);
        self.entries.remove(at);
        true
    }

    fn eject(&mut self, id: &EntryId, ejection: &Ejection) {
        let pull = self.pull_of(id);
        self.log
            .push(format!("#{pull} ejected: {}", ejection.text("main")));
        self.entries.retain(|entry| entry.id != *id);
    }

    /// Looks at the queue, and gives what the entry that leaves is told.
    #[track_caller]
    pub fn next_ejection(&mut self) -> Ejection {
        for _ in 0..20 {
            for action in decide(&self.snapshot(), self.now) {
                if let Action::Eject { ejection, .. } = action {
                    return ejection;
                }
                self.apply(action);
            }
        }
        panic!("nobody leaves: {:?}", self.log);
    }

    /// Pull requests that the base branch holds, in the order they came.
    pub fn landed(&self) -> Vec<u64> {
        self.content[&self.base()].clone()
    }

    #[track_caller]
    pub fn expect_log(&self, expected: &[&str]) {
        assert_eq!(self.log, expected);
    }

    #[track_caller]
    pub fn expect_state(&self, pull: u64, state: EntryState, code: &str) {
        let entry = self.entry(pull);
        assert_eq!(
            (entry.state, entry.reason_code.as_str()),
            (state, code),
            "#{pull}"
        );
    }

    /// Which pull requests the candidate is made of.
    #[track_caller]
    pub fn expect_candidate_of(&self, pull: u64, made_of: &[u64]) {
        assert_eq!(
            self.content[&self.candidate(pull)],
            made_of,
            "candidate of #{pull}"
        );
    }
}
