//! `Idempotency-Key`: a create that is sent again gives the answer it gave, and makes nothing twice.

use crate::db::Transaction;
use crate::digest::sha256;
use crate::{Fault, Id, Reply, Request, params};

const HEADER: &str = "idempotency-key";
const MAX_KEY_BYTES: usize = 255;

/// The answer this request had before, if it carries a key and was done. Holds other requests of the same key back until
/// the transaction ends, so that two at the same moment do not both create.
///
/// # Errors
/// [`Fault::Validation`] for a key that was used for something else.
pub async fn answered(tx: &Transaction, request: &Request) -> Result<Option<Reply>, Fault> {
    let Some((workspace, key)) = key(request)? else {
        return Ok(None);
    };
    let actor = request.actor().id;
    let lock = format!(
        "idempotency {} {actor} {key}",
        workspace.unwrap_or_default()
    );
    tx.query(include_str!("sql/idempotency_lock.sql"), params![lock])
        .await?;
    let found = tx
        .optional(
            include_str!("sql/idempotency_find.sql"),
            params![workspace, actor, key],
        )
        .await?;
    let Some(row) = found else { return Ok(None) };
    if row.get::<Vec<u8>>("request_digest")? != digest(request) {
        return Err(Fault::field(
            "Request",
            HEADER,
            "this key was used for another request; take a new one",
        ));
    }
    let status = u16::try_from(row.get::<i32>("status")?).unwrap_or_default();
    Reply::kept(status, row.get("body")?).map(Some)
}

/// Keeps the answer of a create for the key the request carries, if any, for a day. What nobody may read later, such as a
/// token, is to be left out of it.
///
/// # Errors
/// As [`crate::db::DbError`] says.
pub async fn keep(tx: &Transaction, request: &Request, reply: &Reply) -> Result<(), Fault> {
    let Some((workspace, key)) = key(request)? else {
        return Ok(());
    };
    let status = i32::from(reply.status().as_u16());
    let params = params![
        workspace,
        request.actor().id,
        key,
        digest(request).to_vec(),
        status,
        reply.body()
    ];
    tx.execute(include_str!("sql/idempotency_keep.sql"), params)
        .await?;
    Ok(())
}

/// The workspace that the path names, if any, and the key.
fn key(request: &Request) -> Result<Option<(Option<Id>, &str)>, Fault> {
    if !request.has_header(HEADER) {
        return Ok(None);
    }
    // One that is no text is refused: passed over, a repeat would be done twice.
    let key = request.header(HEADER).unwrap_or_default();
    if key.is_empty() || key.len() > MAX_KEY_BYTES {
        return Err(Fault::field(
            "Request",
            HEADER,
            format!("a key has 1 to {MAX_KEY_BYTES} characters of ASCII"),
        ));
    }
    let workspace = request.workspace().ok().map(|workspace| workspace.id);
    Ok(Some((workspace, key)))
}

fn digest(request: &Request) -> [u8; 32] {
    let mut bytes = format!("{} {}\n", request.method(), request.path()).into_bytes();
    bytes.extend_from_slice(request.body());
    sha256(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::request;

    #[test]
    fn a_key_that_is_no_text_is_refused() {
        for wrong in ["", "schlüssel", &"k".repeat(256)] {
            let asked = request("POST", "/x").header(HEADER, wrong).build();
            assert!(key(&asked).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_same_key_for_another_body_is_another_request() {
        let one = request("POST", "/x").header(HEADER, "k").json("{}").build();
        let same = request("POST", "/x").header(HEADER, "k").json("{}").build();
        let other = request("POST", "/x")
            .header(HEADER, "k")
            .json("{ }")
            .build();
        assert_eq!(digest(&one), digest(&same));
        assert_ne!(digest(&one), digest(&other));
    }

    #[test]
    fn keys_have_a_length() {
        assert_eq!(key(&request("POST", "/x").build()), Ok(None));
        let long = "k".repeat(256);
        assert!(key(&request("POST", "/x").header(HEADER, &long).build()).is_err());
        assert_eq!(
            key(&request("POST", "/x").header(HEADER, "k").build()),
            Ok(Some((Some(1), "k")))
        );
    }
}
