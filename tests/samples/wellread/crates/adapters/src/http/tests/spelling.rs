//! How an address can be written, and where it then leads: nothing is dialled here. The same spellings are tried on real
//! servers in `canaries`.

use super::*;
use crate::http::address::Allowed;
use crate::http::hops::Hop;

/// Addresses that lead to nothing public, in every spelling that a parser may take for one.
pub(super) const INSIDE: &[&str] = &[
    // This machine.
    "http://127.0.0.1/",
    "http://127.0.0.1:80/",
    "http://127.0.0.1:443/",
    "https://127.0.0.1/",
    "http://127.1/",
    "http://127.0.1/",
    "http://127.000.000.001/",
    "http://0177.0.0.1/",
    "http://0177.0.0.01/",
    "http://0x7f.0.0.1/",
    "http://0x7f.1/",
    "http://0X7F.0x0.0x0.0x1/",
    "http://2130706433/",
    "http://017700000001/",
    "http://0x7f000001/",
    "http://127.0.0.1./",
    "http://127.0.0.1%2f@x.test/",
    "http://127.0.0.53/",
    "http://127.255.255.254/",
    "http://[::1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[0000::0001]/",
    "http://[::]/",
    "http://0/",
    "http://0.0.0.0/",
    "http://0x0/",
    "http://00000000000/",
    "http://0.0.0.1/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[0:0:0:0:0:ffff:127.0.0.1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b:1::7f00:1]/",
    "http://[::ffff:0:127.0.0.1]/",
    // Digits that are none in ASCII, and dots that are none.
    "http://\u{ff11}\u{ff12}\u{ff17}.0.0.1/",
    "http://\u{2460}\u{2461}\u{2466}.0.0.1/",
    "http://127\u{3002}0\u{3002}0\u{3002}1/",
    "http://127\u{ff0e}0\u{ff0e}0\u{ff0e}1/",
    "http://\u{1d7cf}\u{1d7d0}\u{1d7d5}.0.0.1/",
    "http://127\u{ff61}1/",
    "http://%31%32%37.0.0.1/",
    "http://127.0.0.%31/",
    "http://127%2e0%2e0%2e1/",
    "http:127.0.0.1/",
    "http:/127.0.0.1/",
    "http:////127.0.0.1/",
    "http:\\\\127.0.0.1\\",
    "http://127.0.0.1\\@x.test/",
    "HTTP://127.0.0.1/",
    "hTTp://0x7F.1/",
    "http://127.0.0.1?x",
    "http://127.0.0.1#x",
    "  http://127.0.0.1/  ",
    "http://127.0.0.1:0080/",
    // Networks of one's own, carriers', clouds'.
    "http://10.0.0.1/",
    "http://10.1/",
    "http://167772161/",
    "http://012.0.0.1/",
    "http://0xa.1/",
    "http://10.255.255.255/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://2886729729/",
    "http://192.168.0.1/",
    "http://192.168.1/",
    "http://0xc0a80001/",
    "http://0300.0250.1/",
    "http://169.254.169.254/",
    "http://169.254.169.254/latest/meta-data/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://0251.0376.0251.0376/",
    "http://169.254.43518/",
    "http://[::ffff:169.254.169.254]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[64:ff9b::169.254.169.254]/",
    "http://100.64.0.1/",
    "http://100.100.100.200/",
    "http://100.127.255.255/",
    "http://168.63.129.16/",
    "http://0xa83f8110/",
    "http://192.0.0.192/",
    "http://192.0.0.9/",
    "http://192.0.2.1/",
    "http://198.51.100.1/",
    "http://203.0.113.1/",
    "http://192.88.99.1/",
    "http://198.18.0.1/",
    "http://198.19.255.255/",
    "http://224.0.0.1/",
    "http://239.255.255.250/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://4294967295/",
    "http://[fd00::1]/",
    "http://[fd00:ec2::254]/",
    "http://[fc00::1]/",
    "http://[fe80::1]/",
    "http://[febf::1]/",
    "http://[fec0::1]/",
    "http://[ff02::1]/",
    "http://[2001:db8::1]/",
    "http://[3fff::1]/",
    "http://[3fff:fff::1]/",
    "http://[2001::1]/",
    "http://[2001:0:7f00:1::]/",
    "http://[2002:7f00:1::]/",
    "http://[2002:a9fe:a9fe::1]/",
    "http://[2001:2::1]/",
    "http://[2001:10::1]/",
    "http://[2001:2f:ffff::1]/",
    "http://[2606:2800::5efe:a00:1]/",
    "http://[2606:2800::200:5efe:a00:1]/",
    "http://[100::1]/",
    "http://[5f00::1]/",
    "http://[4000::1]/",
    "http://[1fff:ffff::1]/",
    "http://[::2]/",
    "http://[::ffff:10.0.0.1]/",
    "http://[::ffff:0a00:0001]/",
    "http://[64:ff9b::10.0.0.1]/",
    "http://[64:ff9b::a00:1]/",
    // Names that stand for them: the scripted resolver knows these.
    "http://localhost/",
    "http://LOCALHOST/",
    "http://localhost./",
    "http://loc\u{ff41}lhost/",
    "http://sub.localhost/",
    "http://inside.test/",
    "http://inside.test./",
    "http://mixed.test/",
    "http://mapped.test/",
    "http://metadata.test/",
    "http://ＩＮＳＩＤＥ.test/",
    "http://in%73ide.test/",
    "http://in\u{ad}side.test/",
    "http://x.test@inside.test/",
];

/// Addresses that are refused by their spelling alone, wherever they lead.
const NEVER: &[&str] = &[
    "",
    " ",
    "x.test",
    "//x.test/",
    "/etc/passwd",
    "file:///etc/passwd",
    "ftp://x.test/",
    "gopher://x.test/",
    "data:text/html,x",
    "javascript:alert(1)",
    "about:blank",
    "blob:http://x.test/1",
    "ws://x.test/",
    "wss://x.test/",
    "view-source:http://x.test/",
    "jar:http://x.test/!/",
    "dict://x.test:11211/",
    "unix:/run/docker.sock",
    "http+unix://x/",
    "mailto:a@x.test",
    "httpx://x.test/",
    "http://",
    "http:///",
    "http://.",
    "http://../",
    "http://:80/",
    "http://?x",
    "http://#x",
    "http://user@x.test/",
    "http://user:pass@x.test/",
    "http://:pass@x.test/",
    "http://a@b@x.test/",
    "http://x.test:80@y.test/",
    "https://x.test%40y.test@z.test/",
    "http://user%3apass@x.test/",
    "http://x.test:8080/",
    "http://x.test:22/",
    "http://x.test:25/",
    "http://x.test:0/",
    "https://x.test:8443/",
    "http://x.test:81/",
    "http://x.test:6379/",
    "http://x.test:65535/",
    "http://x.test:65536/",
    "http://x.test:-1/",
    "http://x.test:80a/",
    "http://x.test:８０８０/",
    "http://x.test/\u{0}",
    "http://x.te\u{0}st/",
    "\u{0}http://x.test/",
    "\thttp://x.test/",
    "http://x.test/\t",
    "http://x.test/\n",
    "http://x.te\tst/",
    "ht\ttp://x.test/",
    "ht\ntp://x.test/",
    "http://x.test/a\r\nHost: y.test",
    "http://x.test/\u{7f}",
    "http://x.test/\u{1b}[0m",
    "http://x.test/\u{85}",
    "\u{1}http://x.test/",
    "http://x.test/\u{1f}",
    "http://x.test%00/",
    "http://x.test%0a/",
    "http://x.test%09/",
    "http://x%2ftest%2f/",
    "http://x<y>.test/",
    "http://x y.test/",
    "http://[::1%25eth0]/",
    "http://[::1%eth0]/",
    "http://[fe80::1%251]/",
    "http://[::1/",
    "http://::1/",
    "http://[x.test]/",
    "http://[::127.0.0.1.1]/",
    "http://[v1.x]/",
    "http://[1:2:3:4:5:6:7:8:9]/",
    "http://1.2.3.4.5/",
    "http://256.1.1.1/",
    "http://0x100000000/",
    "http://4294967296/",
    "http://1.2.3.0x/x/..//\u{0}",
    "http://08.1.1.1/",
    "http://xn--/",
    "http://x.test:80:80/",
    "http://xn--a-ecp.test/",
    "http://x\u{202e}.test/\u{0}",
];

/// Addresses that are fine, and what is dialled then.
const OUTSIDE: &[(&str, &str)] = &[
    ("http://x.test/", "93.184.215.14:80"),
    ("https://x.test/", "93.184.215.14:443"),
    ("http://x.test:443/", "93.184.215.14:443"),
    ("https://x.test:80/", "93.184.215.14:80"),
    ("http://X.TEST/", "93.184.215.14:80"),
    ("http://x.test./", "93.184.215.14:80"),
    ("http://\u{ff58}.test/", "93.184.215.14:80"),
    ("http://x.test\\@inside.test/", "93.184.215.14:80"),
    ("http://x.test#@inside.test/", "93.184.215.14:80"),
    ("http://x.test?@inside.test/", "93.184.215.14:80"),
    ("http://x.test/@inside.test/", "93.184.215.14:80"),
    ("http://x.test/?url=http://127.0.0.1/", "93.184.215.14:80"),
    ("http://93.184.215.14/", "93.184.215.14:80"),
    ("http://0x5db8d70e/", "93.184.215.14:80"),
    ("http://1572394766/", "93.184.215.14:80"),
    ("http://[::ffff:93.184.215.14]/", "[::ffff:93.184.215.14]:80"),
    ("http://[64:ff9b::93.184.215.14]/", "[64:ff9b::5db8:d70e]:80"),
    ("http://[2606:2800::14]/", "[2606:2800::14]:80"),
    ("http://x.test/with%20space and%00nul", "93.184.215.14:80"),
];

fn sockets(of: &[&str]) -> Vec<SocketAddr> {
    of.iter().map(|address| SocketAddr::new(address.parse().unwrap(), 80)).collect()
}

/// What the names above stand for.
pub(super) fn names() -> Names {
    let names = Names::default();
    for (name, addresses) in [
        ("x.test", &["93.184.215.14"][..]),
        ("inside.test", &["10.0.0.1"]),
        ("mixed.test", &["93.184.215.14", "10.0.0.1"]),
        ("mapped.test", &["::ffff:10.0.0.1"]),
        ("metadata.test", &["93.184.215.14", "169.254.169.254", "2606:2800::14"]),
        ("localhost", &["127.0.0.1", "::1"]),
        ("sub.localhost", &["127.0.0.1"]),
    ] {
        names.add(name, &[&sockets(addresses)]);
        names.add(&format!("{name}."), &[&sockets(addresses)]);
    }
    names
}

fn judged(names: &Names, url: &str, allow: &[&str]) -> Result<Vec<SocketAddr>, WebFailure> {
    let allow: Vec<String> = allow.iter().map(|entry| (*entry).to_owned()).collect();
    let hop = Hop::first(url, &Allowed::of(&allow).unwrap())?;
    wait(hop.addresses(names, &PublicOnly))
}

#[test]
fn an_address_inside_is_refused_in_every_spelling() {
    let names = names();
    assert!(INSIDE.len() > 120, "{}", INSIDE.len());
    for url in INSIDE {
        let answer = judged(&names, url, &[]);
        assert!(matches!(answer, Err(WebFailure::Refused { .. })), "{url:?}: {answer:?}");
    }
}

#[test]
fn an_address_that_is_spelled_wrong_is_refused_before_anything_is_looked_up() {
    let names = names();
    let long = format!("http://x.test/{}", "a".repeat(8 << 10));
    let grows = format!("http://x.test/{}", "ä".repeat(2 << 10));
    for url in NEVER.iter().copied().chain([long.as_str(), grows.as_str()]) {
        let answer = judged(&names, url, &[]);
        assert!(matches!(answer, Err(WebFailure::Refused { .. })), "{url:?}: {answer:?}");
        assert!(!answer.unwrap_err().message().contains("pass@"), "{url:?}");
    }
    assert_eq!(names.asked(), Vec::<String>::new());
    let longest = format!("http://x.test/{}", "a".repeat((8 << 10) - 14));
    assert!(judged(&names, &longest, &[]).is_ok());
}

#[test]
fn a_public_address_is_dialled_as_it_was_checked() {
    let names = names();
    for (url, dialled) in OUTSIDE {
        let dialled: SocketAddr = dialled.parse().unwrap();
        let found = judged(&names, url, &[]).unwrap_or_else(|failure| panic!("{url:?}: {failure:?}"));
        // The scripted names know no port.
        assert_eq!(found.iter().map(SocketAddr::ip).collect::<Vec<_>>(), [dialled.ip()], "{url:?}");
        let hop = Hop::first(url, &Allowed::of(&[]).unwrap()).unwrap();
        assert_eq!(crate::http::address::port(&hop.url), dialled.port(), "{url:?}");
    }
}

#[test]
fn a_name_that_is_nowhere_is_not_fetched() {
    let names = names();
    names.add("empty.test", &[&[]]);
    names.add("huge.test", &[&vec!["93.184.215.14:80".parse().unwrap(); 100_000]]);
    for url in ["http://nowhere.test/", "http://empty.test/", "http://huge.test/", "http://x.test.x.test/"] {
        let answer = judged(&names, url, &[]);
        assert!(matches!(answer, Err(WebFailure::Unreachable { .. })), "{url}: {answer:?}");
    }
}

#[test]
fn a_named_host_and_port_is_let_through_and_nothing_beside_it() {
    let names = names();
    let allow = ["Inside.test:8080", "[::1]:80", "127.0.0.1:9000", "0x7f.2:9000"];
    for url in [
        "http://inside.test:8080/",
        "http://INSIDE.test:8080/x",
        "https://inside.test:8080/",
        "http://[::1]/",
        "http://[0::1]:80/",
        "http://127.0.0.1:9000/",
        "http://2130706433:9000/",
        "http://127.0.0.2:9000/",
    ] {
        assert!(judged(&names, url, &allow).is_ok(), "{url}");
    }
    for url in [
        "http://inside.test/",
        "http://inside.test:8081/",
        "http://inside.test.:8080/",
        "http://x.inside.test:8080/",
        "http://[::1]:443/",
        "http://127.0.0.1/",
        "http://127.0.0.3:9000/",
        "http://user@inside.test:8080/",
        "ftp://inside.test:8080/",
        "http://localhost:9000/",
        "http://[::ffff:127.0.0.1]:9000/",
        "http://10.0.0.1:8080/",
    ] {
        let answer = judged(&names, url, &allow);
        assert!(matches!(answer, Err(WebFailure::Refused { .. })), "{url}: {answer:?}");
    }
}

#[test]
fn an_entry_that_is_no_host_and_port_is_an_error() {
    for entry in [
        "",
        "x",
        "x.test",
        ":80",
        "x.test:",
        "x.test:0",
        "x.test:65536",
        "x.test:+80",
        "x.test: 80",
        "http://x.test:80",
        "x.test:80/",
        "*.test:80",
        "user@x.test:80",
        "::1:80",
        "x.test:80:90",
        "x y:80",
        "[::1]",
        "[x]:80",
        "x%41.test:80",
        "x?:80",
        "x#:80",
        "\u{0}:80",
    ] {
        let error = Allowed::of(&[entry.to_owned()]).unwrap_err();
        assert!(error.hint_text().is_some(), "{entry}: {error}");
    }
}
