//! A small internet of two network namespaces, with a canary on every address that must never be reached: this machine's, the
//! next network's, a cloud's. Everything is tried that might lead there, and no canary is touched.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::spelling::INSIDE;
use super::*;

/// Of the other host, which stands for the whole world outside.
const FAR: [&str; 2] = ["93.184.215.14", "2606:2800::14"];
/// This machine's own, which look public.
const NEAR: [&str; 2] = ["93.184.215.1", "2606:2800::1"];
/// Where the canaries outside are: reachable for everybody who does not look.
const INTERNAL: [&str; 13] = [
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "198.18.0.1",
    "192.0.0.192",
    "fd00::1",
    "fd00:ec2::254",
];
/// Where the far side tells how often its canaries were touched.
const TOLD_AT: u16 = 9999;

#[test]
fn no_canary_is_ever_touched() {
    if let Err(why) = namespace(&["true"]) {
        println!("skipped: this system lends no network namespace: {why}");
        return;
    }
    let exe = std::env::current_exe().unwrap().display().to_string();
    let args = [&exe, "--exact", "http::tests::canaries::the_near_side", "--ignored", "--nocapture"];
    let said = namespace(&args).unwrap_or_else(|why| panic!("{why}"));
    assert!(said.contains("1 passed"), "{said}");
}

/// Runs a command in a network of its own.
fn namespace(command: &[&str]) -> Result<String, String> {
    let output = unshare().args(command).output().map_err(|error| error.to_string())?;
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(said) } else { Err(said) }
}

fn unshare() -> Command {
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--net", "--"]);
    command
}

fn ip(args: &str) {
    let output = Command::new("ip").args(args.split(' ')).output().unwrap();
    assert!(output.status.success(), "ip {args}: {}", String::from_utf8_lossy(&output.stderr));
}

fn add(address: &str, device: &str, length: Option<u8>) {
    let is_v6 = address.contains(':');
    let length = length.unwrap_or(if is_v6 { 128 } else { 32 });
    ip(&format!("addr add {address}/{length} dev {device}{}", if is_v6 { " nodad" } else { "" }));
}

/// Answers everybody on ports 80 and 443 of all addresses of a namespace, and counts them.
fn keep_canaries(is_page: fn(IpAddr) -> bool) -> Arc<AtomicUsize> {
    let touched = Arc::new(AtomicUsize::new(0));
    for port in [80, 443] {
        let listener = TcpListener::bind(("::", port)).unwrap();
        let touched = touched.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let here = stream.local_addr().unwrap().ip().to_canonical();
                if !is_page(here) {
                    touched.fetch_add(1, Ordering::SeqCst);
                }
                std::thread::spawn(move || answer(&mut stream, is_page(here)));
            }
        });
    }
    touched
}

/// A page; or, where the path says so, on to somewhere: `/to/302/http://…`.
fn answer(stream: &mut TcpStream, is_page: bool) {
    let mut line = String::new();
    BufReader::new(stream.try_clone().unwrap()).read_line(&mut line).unwrap_or_default();
    let path = line.split(' ').nth(1).unwrap_or_default();
    let on = path.strip_prefix("/to/").and_then(|rest| rest.split_once('/'));
    let head = match on.and_then(|(code, to)| Some((code, unescaped(to)?))) {
        Some((code, to)) if is_page => format!("{code} X\r\nlocation: {to}"),
        _ => "200 OK".to_owned(),
    };
    let body = if is_page { "page" } else { "canary" };
    let _ = write!(
        stream,
        "HTTP/1.1 {head}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
}

fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// Nothing where a page was asked for that only looks so.
fn unescaped(text: &str) -> Option<String> {
    let pairs = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
    let bytes = pairs.map(|pair| u8::from_str_radix(pair?, 16).ok());
    String::from_utf8(bytes.collect::<Option<_>>()?).ok()
}

/// Whether somebody answers a client that asks no questions.
fn plainly(address: &str, port: u16) -> String {
    let mut stream = TcpStream::connect((address.parse::<IpAddr>().unwrap(), port)).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    said.rsplit("\r\n").next().unwrap().to_owned()
}

fn told() -> usize {
    plainly(FAR[0], TOLD_AT).parse().unwrap()
}

/// The other namespace, which ends when this is dropped.
struct FarSide {
    child: Child,
    /// It may go on to say things.
    _said: Box<dyn Iterator<Item = String>>,
}

impl Drop for FarSide {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn far_side() -> FarSide {
    let exe = std::env::current_exe().unwrap();
    let mut command = Command::new("unshare");
    command.args(["--net", "--"]).arg(exe);
    command.args(["--exact", "http::tests::canaries::the_far_side", "--ignored", "--nocapture"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(said.any(|line| line.ends_with("in its namespace")));
    ip(&format!("link add near type veth peer name far netns {}", child.id()));
    child.stdin.as_mut().unwrap().write_all(b"wired\n").unwrap();
    assert!(said.any(|line| line == "ready"));
    FarSide { child, _said: Box::new(said) }
}

#[test]
#[ignore = "a child of the test above, in a namespace"]
fn the_far_side() {
    println!("in its namespace");
    io::stdin().read_line(&mut String::new()).unwrap();
    for device in ["lo", "far"] {
        ip(&format!("link set {device} up"));
    }
    add(FAR[0], "far", Some(24));
    add(FAR[1], "far", Some(64));
    for address in INTERNAL {
        add(address, "lo", None);
    }
    let touched = keep_canaries(|here| FAR.contains(&here.to_string().as_str()));
    let listener = TcpListener::bind((FAR[0], TOLD_AT)).unwrap();
    println!("ready");
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let _ = stream.read(&mut [0; 100]);
        write!(stream, "\r\n{}", touched.load(Ordering::SeqCst)).unwrap();
    }
}

#[test]
#[ignore = "a child of the test above, in a namespace"]
fn the_near_side() {
    let _far = far_side();
    for device in ["lo", "near"] {
        ip(&format!("link set {device} up"));
    }
    add(NEAR[0], "near", Some(24));
    add(NEAR[1], "near", Some(64));
    ip(&format!("route add default via {}", FAR[0]));
    ip(&format!("-6 route add default via {}", FAR[1]));
    let touched = keep_canaries(|_| false);

    // They are there: whoever does not look reaches every one of them.
    for address in INTERNAL.iter().chain(&NEAR).chain(&["127.0.0.1", "::1", "127.0.0.53"]) {
        for port in [80, 443] {
            assert_eq!(plainly(address, port), "canary", "{address}");
        }
    }
    let before = (told(), touched.load(Ordering::SeqCst));
    assert_eq!(before, (INTERNAL.len() * 2, (NEAR.len() + 3) * 2));
    // And what is outside is reached by the guarded client, by its address and by its name.
    let web = Web::new(settings()).unwrap();
    let names = super::spelling::names();
    let named = Web::in_a_world(settings(), Box::new(names.clone()), Box::new(PublicOnly)).unwrap();
    for url in [format!("http://{}/", FAR[0]), format!("http://[{}]/", FAR[1])] {
        assert_eq!(fetch(&web, &url).unwrap().bytes, b"page", "{url}");
    }
    for url in ["http://x.test/", "http://x.test/to/302/2f"] {
        assert_eq!(fetch(&named, url).unwrap().bytes, b"page", "{url}");
    }

    let sockets = |addresses: &[&str]| -> Vec<SocketAddr> {
        addresses.iter().map(|address| SocketAddr::new(address.parse().unwrap(), 80)).collect()
    };
    let mut tried = 0;
    for url in every_way_inside() {
        // The system's resolver knows this machine's own name, and waits long for others.
        let is_a_name = url.contains("test") || url.to_lowercase().contains("lhost");
        for web in [&named, &web].iter().take(if is_a_name && url != "http://localhost/" { 1 } else { 2 }) {
            let answer = fetch(web, &url);
            assert!(answer.is_err(), "{url:?}: {answer:?}");
            tried += 1;
        }
        // Each time another host sends there, since a host is not asked twice in a moment.
        let host = format!("{tried}.test");
        names.add(&host, &[&sockets(&[FAR[0]])]);
        let code = [301, 302, 303, 307, 308][tried % 5];
        match fetch(&named, &format!("http://{host}/to/{code}/{}", escaped(&url))) {
            Err(_) => {}
            // Some spellings lead nowhere but on where they are read on a page: `http:/127.0.0.1/`.
            Ok(got) => assert!(got.bytes == b"page" && got.url.contains(&host), "{url:?}: {got:?}"),
        }
    }
    // A name that is outside when it is checked and inside when it is dialled, and the other way round.
    for (number, inside) in INTERNAL.iter().chain(&NEAR).chain(&["127.0.0.1", "::1"]).enumerate() {
        let turning = |way: &str, answers: &[&[&str]]| {
            let answers: Vec<Vec<SocketAddr>> = answers.iter().map(|answer| sockets(answer)).collect();
            let answers: Vec<&[SocketAddr]> = answers.iter().map(Vec::as_slice).collect();
            let host = format!("{way}{number}.test");
            names.add(&host, &answers);
            host
        };
        let host = turning("late", &[&[FAR[0]], &[inside]]);
        assert_eq!(fetch(&named, &format!("http://{host}/")).unwrap().bytes, b"page");
        assert!(fetch(&named, &format!("http://{host}/")).is_err());
        let host = turning("on-the-way", &[&[FAR[0]], &[inside]]);
        assert!(fetch(&named, &format!("http://{host}/to/302/2f")).is_err());
        for both in [[FAR[0], inside], [inside, FAR[0]]] {
            assert!(fetch(&named, &format!("http://{}/", turning("both", &[&both]))).is_err());
        }
    }
    assert_eq!((told(), touched.load(Ordering::SeqCst)), before, "a canary was touched");
    println!("{tried} addresses tried, and again through a redirect");
}

fn every_way_inside() -> Vec<String> {
    let mut ways: Vec<String> = INSIDE.iter().map(|url| (*url).to_owned()).collect();
    for address in INTERNAL.iter().chain(&NEAR) {
        let host = if address.contains(':') { format!("[{address}]") } else { (*address).to_owned() };
        ways.extend([format!("http://{host}/"), format!("https://{host}/"), format!("http://{host}:443/")]);
        if let Ok(IpAddr::V4(v4)) = address.parse() {
            let number = u32::from(v4);
            ways.extend([
                format!("http://{number}/"),
                format!("http://0x{number:x}/"),
                format!("http://0{number:o}/"),
                format!("http://[::ffff:{address}]/"),
                format!("http://[64:ff9b::{address}]/"),
                format!("http://{address}./"),
            ]);
        }
    }
    ways
}
