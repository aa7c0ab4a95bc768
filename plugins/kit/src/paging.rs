//! Pages of lists: `per_page`, an opaque cursor in the next address, and `page` for the first thousand rows.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::{Fault, Id, Request};

const DEFAULT_PER_PAGE: i64 = 30;
const MAX_PER_PAGE: i64 = 100;
/// Rows that `page` reaches; further on only the cursor leads.
const MAX_ROWS_BY_PAGE: i64 = 1_000;

/// Which part of a list is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    per_page: i64,
    offset: i64,
    after: Option<String>,
}

impl Page {
    /// From `per_page` (30, at most 100), `page` and `after`.
    ///
    /// # Errors
    /// [`Fault::Validation`] for what is no number, no cursor of ours, or a page beyond the first thousand rows.
    pub fn of(request: &Request) -> Result<Self, Fault> {
        let per_page = number(request, "per_page")?
            .unwrap_or(DEFAULT_PER_PAGE)
            .clamp(1, MAX_PER_PAGE);
        let page = number(request, "page")?.unwrap_or(1).max(1);
        let after = request.query("after").map(decode).transpose()?;
        let offset = if after.is_some() {
            0
        } else {
            (page - 1).saturating_mul(per_page)
        };
        if offset >= MAX_ROWS_BY_PAGE {
            let why = format!(
                "`page` reaches the first {MAX_ROWS_BY_PAGE} rows; follow the `Link` header instead"
            );
            return Err(Fault::field("Page", "page", why));
        }
        Ok(Self {
            per_page,
            offset,
            after,
        })
    }

    /// How many rows to ask the database for: one more than are shown, to know whether there is a next page.
    pub fn limit(&self) -> i64 {
        self.per_page + 1
    }

    /// How many rows are shown at most.
    pub fn per_page(&self) -> i64 {
        self.per_page
    }

    /// How many rows to skip.
    pub fn offset(&self) -> i64 {
        self.offset
    }

    /// Key of the last row of the page before.
    pub fn after(&self) -> Option<&str> {
        self.after.as_deref()
    }

    /// As [`Page::after`], for lists whose key is a number.
    ///
    /// # Errors
    /// [`Fault::Validation`] for a cursor of another list.
    pub fn after_id(&self) -> Result<Option<Id>, Fault> {
        self.after
            .as_deref()
            .map(|key| key.parse().map_err(|_| no_cursor()))
            .transpose()
    }

    /// Cuts what was read by [`Page::limit`] down to the page, and gives the cursor to the next one.
    pub fn cut<T>(
        &self,
        mut rows: Vec<T>,
        key: impl FnOnce(&T) -> String,
    ) -> (Vec<T>, Option<String>) {
        let shown = usize::try_from(self.per_page).unwrap_or(usize::MAX);
        if rows.len() <= shown {
            return (rows, None);
        }
        rows.truncate(shown);
        let next = rows.last().map(|last| URL_SAFE_NO_PAD.encode(key(last)));
        (rows, next)
    }
}

fn number(request: &Request, name: &str) -> Result<Option<i64>, Fault> {
    let parse = |text: &str| {
        text.parse()
            .map_err(|_| Fault::field("Page", name, "a whole number is needed"))
    };
    request.query(name).map(parse).transpose()
}

fn decode(cursor: &str) -> Result<String, Fault> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| no_cursor())?;
    String::from_utf8(bytes).map_err(|_| no_cursor())
}

fn no_cursor() -> Fault {
    Fault::field(
        "Page",
        "after",
        "this is no cursor of this list; take it from a `Link` header",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::request;

    fn page(query: &str) -> Result<Page, Fault> {
        Page::of(&request("GET", &format!("/x?{query}")).build())
    }

    #[test]
    fn thirty_unless_asked_and_a_hundred_at_most() {
        assert_eq!(page("").expect("it is right").limit(), 31);
        assert_eq!(page("per_page=1000").expect("it is cut").limit(), 101);
        assert!(page("per_page=many").is_err());
    }

    #[test]
    fn page_reaches_the_first_thousand_rows() {
        assert_eq!(page("page=10&per_page=100").expect("row 900").offset(), 900);
        assert!(page("page=11&per_page=100").is_err());
    }

    #[test]
    fn a_cursor_leads_on_and_ends() {
        let first = page("per_page=2").expect("it is right");
        let (rows, next) = first.cut(vec![9, 8, 7], |row| row.to_string());
        assert_eq!(rows, [9, 8]);
        let second = page(&format!(
            "per_page=2&after={}",
            next.expect("there is more")
        ))
        .expect("it is ours");
        assert_eq!(second.after_id().expect("it is a number"), Some(8));
        assert_eq!(second.cut(vec![7], |row| row.to_string()), (vec![7], None));
        assert!(page("after=!!!").is_err());
        assert!(page("after=YQ").expect("it decodes").after_id().is_err());
    }
}
