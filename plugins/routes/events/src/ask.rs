//! Which events are asked for.

use g1t_kit::{Fault, Request};

const DEFAULT_PER_PAGE: i64 = 30;
const MAX_PER_PAGE: i64 = 100;
const MAX_KINDS: usize = 50;

/// In which order events come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Newest first.
    Descending,
    /// Oldest first: what a program reads that comes again with the last cursor it saw.
    Ascending,
}

/// Which events are asked for.
#[derive(Debug, PartialEq, Eq)]
pub struct Ask {
    /// Oldest or newest first.
    pub order: Order,
    /// Kinds, or none for all.
    pub kinds: Option<Vec<String>>,
    /// Cursor of the last event the asker has.
    pub after: Option<i64>,
    /// How many are shown at most.
    pub per_page: i64,
}

impl Ask {
    /// From `kind` (several with commas), `after`, `per_page` (30, at most 100) and `order` (`desc`, `asc`).
    ///
    /// # Errors
    /// [`Fault::Validation`] naming the parameter.
    pub fn of(request: &Request) -> Result<Self, Fault> {
        let wrong = |field: &str, why: String| Fault::field("Event", field, why);
        let order = match request.query("order") {
            None | Some("desc") => Order::Descending,
            Some("asc") => Order::Ascending,
            Some(_) => return Err(wrong("order", "must be `asc` or `desc`".to_owned())),
        };
        let number = |name: &str, why: &str| {
            let parse = |text: &str| text.parse::<i64>().map_err(|_| wrong(name, why.to_owned()));
            request.query(name).map(parse).transpose()
        };
        let per_page = number("per_page", "a whole number is needed")?.unwrap_or(DEFAULT_PER_PAGE);
        let kinds = request
            .query("kind")
            .map(kinds)
            .filter(|kinds| !kinds.is_empty());
        if kinds.as_ref().is_some_and(|kinds| kinds.len() > MAX_KINDS) {
            return Err(wrong(
                "kind",
                format!("at most {MAX_KINDS} kinds are taken"),
            ));
        }
        Ok(Self {
            order,
            kinds,
            after: number("after", "this is no cursor; take the `cursor` of an event")?,
            per_page: per_page.clamp(1, MAX_PER_PAGE),
        })
    }
}

fn kinds(text: &str) -> Vec<String> {
    text.split(',')
        .map(str::trim)
        .filter(|kind| !kind.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use g1t_kit::testing::request;

    fn ask(query: &str) -> Result<Ask, Fault> {
        Ask::of(&request("GET", &format!("/workspaces/acme/events{query}")).build())
    }

    #[test]
    fn newest_come_first_unless_a_program_asks_otherwise() {
        let plain = ask("").expect("it is right");
        assert_eq!(plain.order, Order::Descending);
        assert_eq!((plain.kinds, plain.after, plain.per_page), (None, None, 30));
        let polled = ask("?order=asc&after=17&per_page=500").expect("it is right");
        assert_eq!(polled.order, Order::Ascending);
        assert_eq!((polled.after, polled.per_page), (Some(17), 100));
    }

    #[test]
    fn several_kinds_come_with_commas() {
        let asked = ask("?kind=git.push,%20pull.merged,").expect("it is right");
        let kinds = ["git.push", "pull.merged"].map(str::to_owned).to_vec();
        assert_eq!(asked.kinds, Some(kinds));
        assert_eq!(ask("?kind=").expect("it is right").kinds, None);
        assert!(ask(&format!("?kind={}", "a.b,".repeat(51))).is_err());
    }

    #[test]
    fn a_wrong_parameter_is_named() {
        for (query, field) in [
            ("?order=up", "order"),
            ("?after=x", "after"),
            ("?per_page=x", "per_page"),
        ] {
            let fault = ask(query).expect_err("it is wrong");
            assert_eq!(fault.errors()[0].field, field);
        }
    }
}
