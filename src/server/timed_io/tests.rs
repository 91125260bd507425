#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

use super::*;

const PATIENCE: Patience = Patience {
    head: Duration::from_secs(10),
    idle: Duration::from_mins(2),
    write: Duration::from_secs(30),
    exchanges: Duration::from_mins(1),
};

fn pair() -> (TimedIo<DuplexStream>, Arc<Waiting>, DuplexStream) {
    let (server, client) = duplex(64);
    let (io, waiting) = TimedIo::new(server, PATIENCE);
    (io, waiting, client)
}

/// Reads until the patience ends; says after how many seconds.
async fn patience(io: &mut TimedIo<DuplexStream>) -> u64 {
    let begin = Instant::now();
    let error = loop {
        match io.read(&mut [0; 16]).await {
            Ok(length) => assert!(length > 0, "the other side is there"),
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    begin.elapsed().as_secs()
}

#[tokio::test(start_paused = true)]
async fn a_silent_connection_has_the_head_time() {
    let (mut io, _, _client) = pair();
    assert_eq!(patience(&mut io).await, 10);
}

#[tokio::test(start_paused = true)]
async fn a_head_has_its_time_from_its_first_byte_and_gains_none() {
    let (mut io, waiting, mut client) = pair();
    waiting.answering();
    waiting.answered(0);
    let trickle = async {
        tokio::time::sleep(Duration::from_secs(100)).await;
        for _ in 0..30 {
            let _ = client.write_all(b"G").await;
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    };
    let (waited, ()) = tokio::join!(patience(&mut io), trickle);
    assert_eq!(waited, 110);
}

#[tokio::test(start_paused = true)]
async fn between_requests_there_is_the_idle_time_and_during_an_answer_no_limit() {
    let (mut io, waiting, _client) = pair();
    waiting.answering();
    let work = async {
        tokio::time::sleep(Duration::from_hours(1)).await;
        waiting.answered(0);
    };
    let (waited, ()) = tokio::join!(patience(&mut io), work);
    assert_eq!(waited, 3_600 + 120);
}

#[tokio::test(start_paused = true)]
async fn the_late_end_of_an_answer_does_not_end_the_next_one() {
    let (mut io, waiting, _client) = pair();
    waiting.answering();
    waiting.answering();
    waiting.answered(0);
    assert!(tokio::time::timeout(Duration::from_hours(1), io.read(&mut [0; 16])).await.is_err());
    waiting.answered(0);
    assert_eq!(patience(&mut io).await, 120);
}

fn many() -> (TimedIo<DuplexStream>, Arc<Waiting>, DuplexStream) {
    let (server, client) = duplex(64);
    let (io, waiting) = TimedIo::multiplexed(server, PATIENCE);
    (io, waiting, client)
}

#[tokio::test(start_paused = true)]
async fn what_is_no_request_neither_begins_a_head_nor_keeps_a_multiplexed_connection() {
    let (mut io, waiting, mut client) = many();
    let request = waiting.answering();
    waiting.answered(request);
    let pings = async {
        for _ in 0..9 {
            let _ = client.write_all(b"ping").await;
            tokio::time::sleep(Duration::from_secs(15)).await;
        }
    };
    let (waited, ()) = tokio::join!(patience(&mut io), pings);
    assert_eq!(waited, 120);
}

/// Requests that came one after the other kept an answer that nobody took.
#[tokio::test(start_paused = true)]
async fn a_multiplexed_answer_of_which_nothing_is_taken_is_given_up_whatever_else_goes_on() {
    let (mut io, waiting, mut client) = many();
    let stuck = waiting.answering();
    let others = async {
        waiting.goes_on(stuck);
        for _ in 0..50 {
            let other = waiting.answering();
            let _ = client.write_all(b"x").await;
            tokio::time::sleep(Duration::from_secs(1)).await;
            waiting.goes_on(other);
            waiting.answered(other);
        }
    };
    let (waited, ()) = tokio::join!(patience(&mut io), others);
    assert_eq!(waited, 30);
}

#[tokio::test(start_paused = true)]
async fn a_multiplexed_answer_that_is_taken_bit_by_bit_is_not_given_up() {
    let (mut io, waiting, _client) = many();
    let slow = waiting.answering();
    let reading = async {
        for _ in 0..10 {
            tokio::time::sleep(Duration::from_secs(19)).await;
            waiting.goes_on(slow);
        }
        // The rest of its request has the time of any body.
        waiting.is_out(slow);
    };
    let (waited, ()) = tokio::join!(patience(&mut io), reading);
    assert!((250..=280).contains(&waited), "{waited}");
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_takes_nothing_is_given_up() {
    let (mut io, waiting, _client) = pair();
    waiting.answering();
    let begin = Instant::now();
    let error = io.write_all(&[0; 1_000]).await.unwrap_err();
    assert_eq!((error.kind(), begin.elapsed().as_secs()), (io::ErrorKind::TimedOut, 30));
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_takes_a_little_now_and_then_is_not() {
    let (mut io, waiting, mut client) = pair();
    waiting.answering();
    let reader = async {
        let mut taken = 0;
        while taken < 1_000 {
            tokio::time::sleep(Duration::from_secs(29)).await;
            taken += client.read(&mut [0; 64]).await.unwrap();
        }
    };
    let (written, ()) = tokio::join!(io.write_all(&[0; 1_000]), reader);
    written.unwrap();
}
