//! The programs that are measured: how each is started, when it is ready, what memory it holds.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;

/// A server that is not ready by then never is; a JVM on a busy machine needs half a minute.
const READY_WITHIN: Duration = Duration::from_mins(3);

/// Who it is, as far as that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The server that is measured.
    Ours,
    /// See `floor`.
    Floor,
    /// Another one, to compare with.
    Other,
}

/// A program and its arguments, with `{port}` where the port belongs, and `{spring}` where [`SPRING_WORDS`] do.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) command: Vec<String>,
    /// Words beside [`SPRING_WORDS`].
    pub(crate) more: Vec<String>,
}

/// The place of the words that Spring's servers understand.
const SPRING: &str = "{spring}";

/// What Spring's servers are told, ours among them.
const SPRING_WORDS: [&str; 5] = [
    "--server.port={port}",
    "--eureka.server.use-read-only-response-cache=false",
    "--eureka.client.register-with-eureka=false",
    "--eureka.client.fetch-registry=false",
    "--eureka.client.service-url.defaultZone=http://localhost:{port}/eureka/",
];

impl Subject {
    pub(crate) fn ours(binary: &Path) -> Self {
        Self::new("eurekad", Kind::Ours, vec![binary.display().to_string(), SPRING.into()])
    }

    pub(crate) fn floor() -> Result<Self> {
        let own = std::env::current_exe().context("the path of this program")?;
        let command = vec![own.display().to_string(), "--floor".into(), "{port}".into()];
        Ok(Self::new("floor", Kind::Floor, command))
    }

    /// A Spring Cloud server, packed as a jar that can be run.
    pub(crate) fn java(jar: &Path) -> Self {
        let jar = jar.display().to_string();
        // Tomcat closes a connection after 100 requests otherwise, and opening new ones would be measured.
        let keep_alive = "--server.tomcat.max-keep-alive-requests=-1";
        Self::new("Java", Kind::Other, ["java", "-Xmx2g", "-jar", &jar, SPRING, keep_alive].map(str::to_owned).into())
    }

    /// From `name=command with {port}`.
    pub(crate) fn also(words: &str) -> Result<Self> {
        let (name, command) = words.split_once('=').context("it has to be name=command")?;
        let command = command.split_whitespace().map(str::to_owned).collect();
        Ok(Self::new(name, Kind::Other, command))
    }

    fn new(name: &str, kind: Kind, command: Vec<String>) -> Self {
        Self { name: name.into(), kind, command, more: Vec::new() }
    }

    /// With more words beside Spring's.
    pub(crate) fn with(self, more: Vec<String>) -> Self {
        Self { more, ..self }
    }

    /// Its command on this port.
    fn words(&self, port: u16) -> Vec<String> {
        let spring = || SPRING_WORDS.map(str::to_owned).into_iter().chain(self.more.iter().cloned());
        let expand = |word: &String| if word == SPRING { spring().collect() } else { vec![word.clone()] };
        let words = self.command.iter().flat_map(expand);
        words.map(|word| word.replace("{port}", &port.to_string())).collect()
    }

    /// Starts it on a free port and waits for its first good answer.
    pub(crate) fn start(&self) -> Result<Running> {
        let dir = tempfile::tempdir()?;
        // Free a moment ago; nobody else here asks for ports.
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let words = self.words(port);
        let (program, arguments) = words.split_first().context("an empty command")?;
        let log = File::create(dir.path().join("log"))?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(dir.path()).stdin(Stdio::null());
        command.stdout(log.try_clone()?).stderr(log);
        let began = Instant::now();
        let child = command.spawn().with_context(|| format!("starting {program}"))?;
        let mut running = Running { child, at: (Ipv4Addr::LOCALHOST, port).into(), ready: Duration::ZERO, dir };
        while !answers(running.at) {
            if running.child.try_wait()?.is_some() || began.elapsed() > READY_WITHIN {
                bail!("{} does not answer; its log:\n{}", self.name, running.log());
            }
            std::thread::sleep(Duration::from_micros(300));
        }
        running.ready = began.elapsed();
        Ok(running)
    }
}

/// Whether lists may be read.
fn answers(at: SocketAddr) -> bool {
    let ask = || {
        let mut stream = TcpStream::connect_timeout(&at, Duration::from_secs(1))?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        stream.write_all(b"GET /eureka/apps/ HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n")?;
        let mut start = [0; 12];
        stream.read_exact(&mut start)?;
        std::io::Result::Ok(start)
    };
    ask().is_ok_and(|start| &start == b"HTTP/1.1 200")
}

/// A process; it ends with this.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    pub(crate) at: SocketAddr,
    /// From its start to its first good answer.
    pub(crate) ready: Duration,
    dir: TempDir,
}

impl Running {
    /// Bytes that it holds in memory now.
    pub(crate) fn resident(&self) -> Result<u64> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(&path).with_context(|| path)?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
        Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? * 1024)
    }

    /// Asks it to end, and waits until it has.
    pub(crate) fn finish(mut self) -> Result<()> {
        let pid = self.child.id().to_string();
        Command::new("kill").args(["-TERM", &pid]).status().context("kill")?;
        self.child.wait()?;
        Ok(())
    }

    /// The end of what it wrote.
    fn log(&self) -> String {
        let log = std::fs::read_to_string(self.dir.path().join("log")).unwrap_or_default();
        let lines: Vec<_> = log.lines().collect();
        lines.get(lines.len().saturating_sub(20)..).unwrap_or_default().join("\n")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
