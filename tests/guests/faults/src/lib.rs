//! Does everything a component can do wrong, by path, and uses the database as the host's tests ask.

mod database;
mod types;

use spin_sdk::http::body::{IncomingBodyExt, stream};
use spin_sdk::http::{IntoResponse, Request, StatusCode};
use spin_sdk::http_service;
use spin_sdk::wasip3::http::types::{ErrorCode, Response};

/// What came of a path: text for the test to read, also when it is an error's.
type Said = Result<String, String>;

#[http_service]
async fn handle(request: Request) -> Result<Response, ErrorCode> {
    let path = request.uri().path().to_owned();
    let query = request.uri().query().unwrap_or_default().to_owned();
    let Ok(body) = request.into_body().bytes().await else {
        return (StatusCode::BAD_REQUEST, "the body broke off".to_owned()).into_response();
    };
    let body = String::from_utf8_lossy(&body).into_owned();
    if path == "/answer-then-sql" {
        return answer_then_sql(body);
    }
    let answer = match said(&path, &query, &body).await {
        Ok(text) => (StatusCode::OK, text),
        Err(text) => (StatusCode::CONFLICT, text),
    };
    answer.into_response()
}

/// Answers, and only then uses the database: each line on a connection of its own, the last one's result is the body.
fn answer_then_sql(body: String) -> Result<Response, ErrorCode> {
    let (mut sender, answer) = stream::<String>();
    spin_sdk::wasip3::spawn(async move {
        let mut last = String::new();
        for statement in body.lines() {
            last = match database::run(statement).await {
                Ok((_, text)) => text,
                Err(text) => text,
            };
        }
        sender.try_send(last).ok();
    });
    (StatusCode::OK, answer).into_response()
}

async fn said(path: &str, query: &str, body: &str) -> Said {
    match path {
        "/ok" => Ok("ok".into()),
        "/loop" => compute_for_ever(),
        "/alloc" => allocate_for_ever(),
        "/trap" => std::process::abort(),
        "/hang" => database::sleep(60).await,
        "/hang-holding-the-store" => database::sleep_holding_the_store(60),
        "/sql" => database::run(body).await.map(|(_, text)| text),
        "/open-transaction-and-trap" => {
            let _open = database::run(body).await?;
            std::process::abort()
        }
        "/open-transaction-and-loop" => {
            let _open = database::run(body).await?;
            compute_for_ever()
        }
        "/rows" => database::count_rows(number(query, "n")?).await,
        "/drop-rows" => database::drop_rows(number(query, "n")?).await,
        "/types" => types::round_trip().await,
        "/bad-parameters" => types::bad_parameters().await,
        "/variables" => variable(query).await,
        _ => Err(format!("no path {path}")),
    }
}

fn compute_for_ever() -> ! {
    let mut number = 0u64;
    loop {
        number = std::hint::black_box(number.wrapping_add(1));
    }
}

fn allocate_for_ever() -> ! {
    let mut kept = Vec::new();
    loop {
        kept.push(std::hint::black_box(vec![1u8; 1 << 20]));
    }
}

fn number(query: &str, name: &str) -> Result<i64, String> {
    query
        .split('&')
        .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
        .and_then(|value| value.parse().ok())
        .ok_or_else(|| format!("no number {name}"))
}

/// The query string is the variable's name.
async fn variable(name: &str) -> Said {
    spin_sdk::variables::get(name)
        .await
        .map_err(|error| format!("{error:?}"))
}
