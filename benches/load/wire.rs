//! One connection that is kept: a request goes out, its answer is read to the end and thrown away. Just
//! enough HTTP for that, so that the generator costs little beside the server.

use std::net::SocketAddr;

use anyhow::{Context as _, Result, bail, ensure};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::fleet::Request;

/// A long list is read in pieces of this size.
const BUFFER: usize = 256 * 1024;
const MOST_HEADERS: usize = 48;

/// A connection.
#[derive(Debug)]
pub(crate) struct Line {
    at: SocketAddr,
    stream: TcpStream,
    /// The server said that it closes the connection (Tomcat does after a number of requests).
    closed: bool,
    buffer: Vec<u8>,
}

/// What is kept of an answer.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Bytes of its body.
    pub(crate) length: usize,
    pub(crate) content_type: Option<String>,
    pub(crate) content_encoding: Option<String>,
    /// Its body, where it was to be kept.
    pub(crate) body: Vec<u8>,
}

async fn connect(at: SocketAddr) -> Result<TcpStream> {
    let stream = TcpStream::connect(at).await.context("connecting")?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// What the head of an answer says.
struct Head {
    answer: Answer,
    /// Bytes of the head.
    length: usize,
    ends: Ends,
    /// The connection is closed afterwards.
    closes: bool,
}

/// How the end of a body is known.
enum Ends {
    After(usize),
    Chunked,
}

impl Line {
    pub(crate) async fn open(at: SocketAddr) -> Result<Self> {
        Ok(Self { at, stream: connect(at).await?, closed: false, buffer: vec![0; BUFFER] })
    }

    /// Sends a request and reads the answer, which has to be a good one; gives its length.
    pub(crate) async fn expect(&mut self, request: &Request<'_>) -> Result<usize> {
        let answer = self.ask(&request.bytes, false).await?;
        if !request.good.contains(&answer.status) {
            let line = request.bytes.split(|byte| *byte == b'\r').next().unwrap_or_default();
            bail!("{} to {}", answer.status, String::from_utf8_lossy(line));
        }
        Ok(answer.length)
    }

    /// Sends a request and reads the answer.
    pub(crate) async fn ask(&mut self, request: &[u8], keep: bool) -> Result<Answer> {
        if self.closed {
            self.stream = connect(self.at).await?;
        }
        self.stream.write_all(request).await.context("sending")?;
        let mut filled = 0;
        let Head { mut answer, length: head, ends, closes } = loop {
            filled += self.read(filled).await?;
            if let Some(parsed) = parse(self.buffer.get(..filled).unwrap_or_default(), keep)? {
                break parsed;
            }
        };
        self.closed = closes;
        let first = head..filled;
        match ends {
            Ends::After(length) => {
                self.take(&mut answer, first, keep);
                while answer.length < length {
                    let read = self.read(0).await?;
                    self.take(&mut answer, 0..read, keep);
                }
                ensure!(answer.length == length, "more bytes than the answer has");
            }
            Ends::Chunked => {
                let mut chunks = Chunks::default();
                chunks.feed(self.buffer.get(first).unwrap_or_default(), &mut answer, keep)?;
                while !chunks.done {
                    let read = self.read(0).await?;
                    chunks.feed(self.buffer.get(..read).unwrap_or_default(), &mut answer, keep)?;
                }
            }
        }
        Ok(answer)
    }

    async fn read(&mut self, at: usize) -> Result<usize> {
        let free = self.buffer.get_mut(at..).unwrap_or_default();
        ensure!(!free.is_empty(), "the head of an answer is too long");
        let read = self.stream.read(free).await.context("reading")?;
        ensure!(read > 0, "the server closed the connection");
        Ok(read)
    }

    fn take(&self, answer: &mut Answer, bytes: std::ops::Range<usize>, keep: bool) {
        answer.length += bytes.len();
        if keep {
            answer.body.extend_from_slice(self.buffer.get(bytes).unwrap_or_default());
        }
    }
}

/// The head, if all of it is there.
fn parse(bytes: &[u8], keep: bool) -> Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(length) = response.parse(bytes)? else {
        return Ok(None);
    };
    let mut answer = Answer { status: response.code.unwrap_or_default(), ..Answer::default() };
    let (mut ends, mut closes) = (Ends::After(0), false);
    for header in response.headers.iter() {
        let value = || String::from_utf8_lossy(header.value).into_owned();
        if header.name.eq_ignore_ascii_case("content-length") {
            ends = Ends::After(value().trim().parse()?);
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            ends = Ends::Chunked;
        } else if header.name.eq_ignore_ascii_case("connection") {
            closes = header.value.eq_ignore_ascii_case(b"close");
        } else if keep && header.name.eq_ignore_ascii_case("content-type") {
            answer.content_type = Some(value());
        } else if keep && header.name.eq_ignore_ascii_case("content-encoding") {
            answer.content_encoding = Some(value());
        }
    }
    Ok(Some(Head { answer, length, ends, closes }))
}

/// Reads chunked bodies; trailers are not known.
#[derive(Default)]
struct Chunks {
    /// Bytes that are still to come of this chunk, its line end among them.
    left: usize,
    /// The line with the size of the next chunk, as far as it came.
    line: Vec<u8>,
    /// The last chunk was announced.
    last: bool,
    done: bool,
}

impl Chunks {
    fn feed(&mut self, mut bytes: &[u8], answer: &mut Answer, keep: bool) -> Result<()> {
        const LINE_END: usize = 2;
        while !bytes.is_empty() {
            if self.left > 0 {
                let (now, rest) = bytes.split_at(self.left.min(bytes.len()));
                let data = now.len().min(self.left.saturating_sub(LINE_END));
                answer.length += data;
                if keep {
                    answer.body.extend_from_slice(now.get(..data).unwrap_or_default());
                }
                self.left -= now.len();
                self.done = self.last && self.left == 0;
                bytes = rest;
                continue;
            }
            let (byte, rest) = bytes.split_at(1);
            self.line.extend_from_slice(byte);
            bytes = rest;
            if byte == b"\n" {
                let line = String::from_utf8_lossy(&self.line);
                let size = line.split(';').next().unwrap_or_default().trim();
                let size = usize::from_str_radix(size, 16).context("the size of a chunk")?;
                self.line.clear();
                self.last = size == 0;
                self.left = size + LINE_END;
            }
        }
        Ok(())
    }
}
