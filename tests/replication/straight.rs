//! Whatever the environment says, a node calls others without anybody between.

use crate::sockets::server::{Server, command, eventually};

use super::cluster::{peers, url};
use super::fake_peer::{FakePeer, Manner};

#[test]
fn a_proxy_in_the_environment_hears_of_no_call() {
    let [proxy, peer, region] = [(); 3].map(|()| FakePeer::start(Manner::Well));
    let dir = tempfile::tempdir().expect("a folder");
    let far = format!("--eureka.server.remote-region-urls-with-name.far={}", url(region.address));
    let mut node = command(dir.path(), &[&peers(&[peer.address]), &far]);
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        node.env(name, format!("http://{}/", proxy.address));
    }
    let _node = Server::run(node, Some(dir));
    eventually("all were called", || {
        // For the first copy, and to be greeted.
        let both = peer.requests() > 1 && region.requests() > 0;
        (both || proxy.requests() > 0).then_some(())
    });
    assert_eq!(proxy.requests(), 0);
}
