//! A name server on 127.0.0.1 whose answers a test holds in its hand: `eurekad.peers.dns-server` leads
//! to it. Over UDP; what it was not told of does not exist.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::thread::JoinHandle;

use hickory_resolver::proto::op::{Message, Query, ResponseCode};
use hickory_resolver::proto::rr::rdata::{A, AAAA, SRV, TXT};
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType};
use parking_lot::Mutex;

/// A running name server; it ends with the test.
pub(crate) struct DnsStub {
    address: SocketAddr,
    zone: Arc<Mutex<Zone>>,
    server: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Zone {
    names: HashMap<String, Vec<RData>>,
    /// What does not go well, by name and perhaps by type.
    troubles: HashMap<(String, Option<RecordType>), Trouble>,
    asked: HashMap<String, usize>,
    closed: bool,
}

/// How a question is not answered.
#[derive(Clone, Copy)]
pub(crate) enum Trouble {
    /// With SERVFAIL.
    Failure,
    /// Not at all.
    Silence,
}

impl DnsStub {
    pub(crate) fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        let address = socket.local_addr().expect("its address");
        let zone = Arc::new(Mutex::new(Zone::default()));
        let shared = Arc::clone(&zone);
        let server = std::thread::spawn(move || serve(&socket, &shared));
        Self { address, zone, server: Some(server) }
    }

    /// As a setting has it.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Has a name lead to these addresses, in this order, and to nothing else.
    pub(crate) fn addresses(&self, name: &str, addresses: &[&str]) {
        let record = |address: &&str| match address.parse().expect("an address") {
            IpAddr::V4(address) => RData::A(A(address)),
            IpAddr::V6(address) => RData::AAAA(AAAA(address)),
        };
        self.set(name, addresses.iter().map(record).collect());
    }

    /// Asks for the addresses of a name, as a client does.
    pub(crate) fn addresses_of(&self, name: &str) -> Vec<IpAddr> {
        let mut question = Message::query();
        question.add_query(Query::query(self::name(name), RecordType::A));
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        socket.send_to(&question.to_vec().expect("a message"), self.address).expect("a question");
        let mut buffer = [0; 4096];
        let length = socket.recv(&mut buffer).expect("an answer");
        let answer = Message::from_vec(&buffer[..length]).expect("a message");
        let address = |record: &Record| record.data.ip_addr();
        answer.answers.iter().filter_map(address).collect()
    }

    /// Has a name have SRV records: priority, weight, port, host.
    pub(crate) fn services(&self, name: &str, services: &[(u16, u16, u16, &str)]) {
        let records = services
            .iter()
            .map(|&(priority, weight, port, host)| RData::SRV(SRV::new(priority, weight, port, self::name(host))));
        self.set(name, records.collect());
    }

    /// Has a name have TXT records.
    pub(crate) fn texts(&self, name: &str, texts: &[&str]) {
        self.set(name, texts.iter().map(|text| RData::TXT(TXT::new(vec![(*text).to_owned()]))).collect());
    }

    /// Takes a name out of the world.
    pub(crate) fn remove(&self, name: &str) {
        self.zone.lock().names.remove(name);
    }

    /// Has questions for a name go wrong, of one type or all.
    pub(crate) fn trouble(&self, name: &str, kind: Option<RecordType>, trouble: Trouble) {
        self.zone.lock().troubles.insert((name.to_owned(), kind), trouble);
    }

    /// All troubles are over.
    pub(crate) fn recover(&self) {
        self.zone.lock().troubles.clear();
    }

    /// How many questions came for a name.
    pub(crate) fn asked(&self, name: &str) -> usize {
        self.zone.lock().asked.get(name).copied().unwrap_or_default()
    }

    fn set(&self, name: &str, records: Vec<RData>) {
        self.zone.lock().names.insert(name.to_owned(), records);
    }
}

impl Drop for DnsStub {
    fn drop(&mut self) {
        self.zone.lock().closed = true;
        // Wakes it.
        let woken = UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.send_to(&[], self.address));
        if let (Ok(_), Some(server)) = (woken, self.server.take()) {
            drop(server.join());
        }
    }
}

fn name(text: &str) -> Name {
    let mut name: Name = text.parse().expect("a name");
    name.set_fqdn(true);
    name
}

fn serve(socket: &UdpSocket, zone: &Mutex<Zone>) {
    let mut buffer = [0; 4096];
    while let Ok((length, asker)) = socket.recv_from(&mut buffer) {
        if zone.lock().closed {
            return;
        }
        let answer = Message::from_vec(&buffer[..length]).ok().and_then(|question| zone.lock().answer(question));
        if let Some(answer) = answer {
            drop(socket.send_to(&answer.to_vec().expect("a message"), asker));
        }
    }
}

impl Zone {
    fn answer(&mut self, question: Message) -> Option<Message> {
        let query = question.queries.first()?.clone();
        let asked = query.name().to_ascii().trim_end_matches('.').to_ascii_lowercase();
        *self.asked.entry(asked.clone()).or_default() += 1;
        let mut answer = question.into_response();
        let of_type = |kind| self.troubles.get(&(asked.clone(), kind));
        match (of_type(Some(query.query_type())).or_else(|| of_type(None)), self.names.get(&asked)) {
            (Some(Trouble::Silence), _) => return None,
            (Some(Trouble::Failure), _) => answer.metadata.response_code = ResponseCode::ServFail,
            (None, None) => answer.metadata.response_code = ResponseCode::NXDomain,
            (None, Some(records)) => {
                // A time to live that would hide every change.
                let records = records.iter().filter(|record| record.record_type() == query.query_type());
                answer
                    .add_answers(records.map(|record| Record::from_rdata(query.name().clone(), 3600, record.clone())));
            }
        }
        Some(answer)
    }
}
