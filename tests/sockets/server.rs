//! The binary, running.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tempfile::TempDir;

use super::wire::{Wire, get, register};

/// Within this everything that should happen has happened, on a slow machine too.
pub(crate) const SOON: Duration = Duration::from_secs(20);

/// A process of the binary on a free port of 127.0.0.1, in an empty folder and with an empty
/// environment; killed at the end of the test.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    log: Arc<Mutex<String>>,
    /// Reads the log until the process has closed it.
    reader: Option<JoinHandle<()>>,
    _dir: Option<TempDir>,
}

impl Server {
    pub(crate) fn start(words: &[&str]) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        Self::run(command(dir.path(), words), Some(dir))
    }

    /// At an address that is known before it starts.
    pub(crate) fn start_at(address: SocketAddr, words: &[&str]) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let place = [format!("--server.port={}", address.port()), format!("--server.address={}", address.ip())];
        let mut server =
            Self::run(program(dir.path(), place.iter().map(String::as_str).chain(words.iter().copied())), Some(dir));
        server.address.set_ip(address.ip());
        server
    }

    /// On all addresses of the machine; the words name the port.
    pub(crate) fn everywhere(dir: TempDir, words: &[&str]) -> Self {
        Self::run(program(dir.path(), words.iter().copied()), Some(dir))
    }

    /// With so many open files allowed at most.
    pub(crate) fn start_with_few_files(files: u64, words: &[&str]) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let inner = command(dir.path(), words);
        let mut limited = Command::new("/bin/sh");
        limited.args(["-c", &format!("ulimit -n {files}; exec \"$0\" \"$@\"")]);
        limited.arg(inner.get_program()).args(inner.get_args()).current_dir(dir.path()).env_clear();
        Self::run(limited, Some(dir))
    }

    /// Runs a command that becomes the binary.
    pub(crate) fn run(command: Command, dir: Option<TempDir>) -> Self {
        Self::run_with(command, Stdio::null(), dir)
    }

    /// The same with something for its standard input.
    pub(crate) fn run_with(mut command: Command, input: Stdio, dir: Option<TempDir>) -> Self {
        let mut child = command.stdin(input).stdout(Stdio::piped()).spawn().expect("the binary");
        let log = Arc::new(Mutex::new(String::new()));
        let (lines, written) = (BufReader::new(child.stdout.take().expect("its output")), Arc::clone(&log));
        let reader = std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                let mut log = written.lock();
                log.push_str(&line);
                log.push('\n');
            }
        });
        let mut server = Self { child, address: ([127, 0, 0, 1], 0).into(), log, reader: Some(reader), _dir: dir };
        let port = eventually("the server listens", || {
            let log = server.log();
            let address = log.split_once("address=")?.1.split_whitespace().next()?;
            address.rsplit_once(':')?.1.parse().ok()
        });
        server.address.set_port(port);
        server
    }

    pub(crate) fn connect(&self) -> Wire {
        Wire::open(self.address)
    }

    /// Registers instances with an id each, on one connection.
    pub(crate) fn fill(&self, app: &str, ids: impl IntoIterator<Item = String>) {
        let mut wire = self.connect();
        for id in ids {
            assert_eq!(wire.ask(register(app, &id)).status, 204);
        }
    }

    /// The registry's hash code: how many instances have which status.
    pub(crate) fn hash_code(&self) -> String {
        let list = self.connect().ask(get("/eureka/apps", "Accept: application/json\r\n")).text();
        let (_, rest) = list.split_once("apps__hashcode\":\"").expect("a hash code");
        rest.split('"').next().unwrap_or_default().to_owned()
    }

    /// What was logged so far.
    pub(crate) fn log(&self) -> String {
        self.log.lock().clone()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.pid());
        assert!(Command::new("/bin/sh").args(["-c", &kill]).status().expect("a shell").success());
    }

    /// The exit code, once it has ended by itself; the log is whole then.
    pub(crate) fn exit_code(&mut self) -> Option<i32> {
        self.exit_code_within(SOON)
    }

    /// The same after much work.
    pub(crate) fn exit_code_within(&mut self, time: Duration) -> Option<i32> {
        let code = within(time, "the server ends", || self.child.try_wait().expect("a child")).code();
        if let Some(reader) = self.reader.take() {
            reader.join().expect("its log is read");
        }
        code
    }

    /// How many descriptors it has open.
    #[cfg(target_os = "linux")]
    pub(crate) fn open_files(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.pid())).expect("its descriptors").count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The binary with these words, in this folder, and nothing from this process's environment.
pub(crate) fn command(dir: &Path, words: &[&str]) -> Command {
    program(dir, ["--server.port=0", "--server.address=127.0.0.1"].into_iter().chain(words.iter().copied()))
}

fn program<'a>(dir: &Path, words: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_eurekad"));
    command.args(words).current_dir(dir).env_clear();
    command
}

/// Runs a command that is to end by itself.
pub(crate) fn output(mut command: Command) -> Output {
    output_of(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary"))
}

/// Waits for one that is to end by itself.
pub(crate) fn output_of(mut child: Child) -> Output {
    let begin = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if begin.elapsed() > SOON {
            let _ = child.kill();
            panic!("it does not end: {:?}", child.wait_with_output());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().expect("its output")
}

/// Waits until there is something.
pub(crate) fn eventually<T>(what: &str, there: impl FnMut() -> Option<T>) -> T {
    within(SOON, what, there)
}

fn within<T>(time: Duration, what: &str, mut there: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(value) = there() {
            return value;
        }
        assert!(begin.elapsed() < time, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
