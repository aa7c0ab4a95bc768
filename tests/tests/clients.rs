//! Clients that send slowly or ask unusually.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use g1t_tests::Server;
use reqwest::Method;

/// More than the server lets components work on at once.
const MANY: usize = 110;

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_drip_their_bodies_keep_nobody_from_an_answer() {
    let server = Server::start().await;
    let at = server.url.replace("http://", "");
    let head = format!(
        "POST /workspaces HTTP/1.1\r\nHost: {at}\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n",
        server.token
    );
    let mut dripping = Vec::new();
    for _ in 0..MANY {
        let mut stream = TcpStream::connect(&at).expect("a connection");
        stream.write_all(head.as_bytes()).expect("it takes a head");
        dripping.push(stream);
    }
    // The server asks for the body when it begins to read it: each is as far as it gets.
    for stream in &mut dripping {
        use std::io::Read;
        let mut said = [0; 21];
        stream.read_exact(&mut said).expect("it asks for the body");
        assert!(said.starts_with(b"HTTP/1.1 100"));
        stream.write_all(b"{").expect("it takes a part");
    }
    let asked = Instant::now();
    server.get("/user").await.expect(200);
    assert!(asked.elapsed() < Duration::from_secs(4));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_is_answered_like_a_get_without_the_body() {
    let server = Server::start().await;
    let request = server
        .request(Method::HEAD, "/user")
        .bearer_auth(&server.token);
    let answer = request.send().await.expect("the server answers");
    assert_eq!(answer.status().as_u16(), 200);
    assert!(answer.headers().contains_key("content-type"));
    assert!(answer.bytes().await.expect("no body").is_empty());
    let nowhere = server
        .request(Method::HEAD, "/nowhere")
        .bearer_auth(&server.token);
    assert_eq!(nowhere.send().await.expect("answers").status(), 404);
}
