//! A node knows itself and others by what they answer, whatever URL leads there.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;

use crate::sockets::server::{Server, eventually};
use crate::sockets::wire::register;

use super::cluster::{Replicas, address, addresses, ask, holds, ids, is_open, node, replicas, state, troubles, url};

/// Hands every byte on to a server, as a port mapping or a load balancer does. Counts the bytes that it
/// takes there.
fn forward(to: SocketAddr) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind(address()).expect("an address");
    let (own, bytes) = (listener.local_addr().expect("an address"), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&bytes);
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let Ok(server) = TcpStream::connect(to) else { continue };
            let (Ok(there), Ok(back)) = (client.try_clone(), server.try_clone()) else { continue };
            let counted = Arc::clone(&counted);
            thread::spawn(move || {
                let mut piece = [0; 4096];
                while let Ok(length @ 1..) = (&there).read(&mut piece) {
                    counted.fetch_add(length, Ordering::Relaxed);
                    if (&server).write_all(&piece[..length]).is_err() {
                        break;
                    }
                }
                let _ = server.shutdown(Shutdown::Write);
            });
            thread::spawn(move || io::copy(&mut &back, &mut &client));
        }
    });
    (own, bytes)
}

/// A load balancer that has one server at a time.
struct Balancer {
    own: SocketAddr,
    to: Arc<Mutex<SocketAddr>>,
    connections: Arc<Mutex<Vec<(SocketAddr, TcpStream)>>>,
}

impl Balancer {
    fn start(to: SocketAddr) -> Self {
        let listener = TcpListener::bind(address()).expect("an address");
        let own = listener.local_addr().expect("an address");
        let (to, connections) = (Arc::new(Mutex::new(to)), Arc::new(Mutex::new(Vec::new())));
        let (target, open) = (Arc::clone(&to), Arc::clone(&connections));
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let to = *target.lock();
                let Ok(server) = TcpStream::connect(to) else { continue };
                let (Ok(there), Ok(back), Ok(kept)) = (client.try_clone(), server.try_clone(), client.try_clone())
                else {
                    continue;
                };
                open.lock().push((to, kept));
                thread::spawn(move || {
                    let _ = io::copy(&mut &there, &mut &server);
                    let _ = server.shutdown(Shutdown::Write);
                });
                thread::spawn(move || {
                    let _ = io::copy(&mut &back, &mut &client);
                    let _ = client.shutdown(Shutdown::Both);
                });
            }
        });
        Self { own, to, connections }
    }

    /// Leads elsewhere from now on, and closes what is open.
    fn lead_to(&self, to: SocketAddr) {
        *self.to.lock() = to;
        for (_, connection) in self.connections.lock().drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
    }

    /// Connections to a server since it was led elsewhere last.
    fn led_to(&self, to: SocketAddr) -> usize {
        self.connections.lock().iter().filter(|(led, _)| *led == to).count()
    }
}

/// A port that nobody is given by chance: below those that the kernel hands out.
fn own_port() -> u16 {
    let mut port = 10_000 + u16::try_from(std::process::id() % 20_000).expect("small");
    while TcpListener::bind(("::", port)).is_err() {
        port += 1;
    }
    port
}

#[test]
fn a_node_finds_itself_behind_every_alias() {
    let port = own_port();
    let (forwarded, _) = forward(SocketAddr::from(([127, 0, 0, 1], port)));
    let urls = format!(
        "http://localhost:{port}/eureka/,http://127.0.0.1:{port}/eureka/,http://[::1]:{port}/eureka/,\
         http://127.0.0.9:{port}/eureka/,http://{forwarded}/eureka/"
    );
    let dir = tempfile::tempdir().expect("a folder");
    let words = [format!("--server.port={port}"), format!("--eureka.client.service-url.defaultZone={urls}")];
    let node = Server::everywhere(dir, &words.each_ref().map(String::as_str));
    is_open(&node);
    let nobody = Replicas { registered: vec![], available: vec![], unavailable: vec![] };
    eventually("no URL is left", || (replicas(&node) == nobody).then_some(()));
    assert_eq!(troubles(&node), [""; 0]);
}

#[test]
fn two_urls_of_one_node_are_told_once() {
    let [own, other] = addresses();
    let (forwarded, through) = forward(other);
    let b = node(other, &[], &[]);
    let a = node(own, &[other, forwarded], &[]);
    is_open(&a);
    let one = Replicas { registered: vec![url(other)], available: vec![url(other)], unavailable: vec![] };
    eventually("one of them is left", || {
        // Whoever answers second is recognised, and that may be with the next exchange.
        ask(&a, register("ORDERS", "ord-0"));
        (replicas(&a) == one).then_some(())
    });
    // What was on its way arrives.
    thread::sleep(Duration::from_millis(300));
    let before = through.load(Ordering::Relaxed);
    a.fill("ORDERS", ids("ord", 50));
    eventually("it is told", || state(&b, "ORDERS", "ord-49"));
    // Who is there is asked again now and then, in some hundred bytes; these registrations have fifty times that.
    let more = through.load(Ordering::Relaxed) - before;
    assert!(more < 10 << 10, "by one URL only, not {more} bytes by the other");
}

#[test]
fn a_url_that_led_here_is_told_once_it_leads_elsewhere_and_what_came_back_is_told_again() {
    let [own, other] = addresses();
    let balancer = Balancer::start(own);
    let b = node(other, &[], &[]);
    let a = node(own, &[balancer.own], &["--eureka.server.registry-sync-retry-wait-ms=10"]);
    is_open(&a);
    eventually("it finds itself", || a.log().contains("this node itself, it is no peer").then_some(()));
    assert_eq!(replicas(&a).registered, [""; 0]);

    balancer.lead_to(other);
    eventually("it finds the other", || (replicas(&a).available == [url(balancer.own)]).then_some(()));
    assert_eq!(ask(&a, register("ORDERS", "ord-1")), 204);
    eventually("it is told", || holds(&b, "ORDERS", "ord-1").then_some(()));

    balancer.lead_to(own);
    assert_eq!(ask(&a, register("ORDERS", "ord-2")), 204);
    eventually("it tells itself", || (balancer.led_to(own) > 1).then_some(()));
    assert!(!holds(&b, "ORDERS", "ord-2"));
    balancer.lead_to(other);
    eventually("it tells the other", || holds(&b, "ORDERS", "ord-2").then_some(()));
}
