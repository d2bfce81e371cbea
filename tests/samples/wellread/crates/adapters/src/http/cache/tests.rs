//! What a folder of kept pages does when it fills up, or is damaged.

use super::*;
use crate::http::address::Allowed;

fn hop(url: &str) -> Hop {
    Hop::first(url, &Allowed::of(&[]).unwrap()).unwrap()
}

fn got(bytes: &[u8]) -> Got {
    Got {
        url: String::new(),
        status: 200,
        content_type: Some("text/plain".to_owned()),
        wait: None,
        bytes: bytes.to_vec(),
    }
}

fn wait<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

fn an_hour() -> HeaderMap {
    HeaderMap::from_iter([(reqwest::header::CACHE_CONTROL, HeaderValue::from_static("max-age=3600"))])
}

#[test]
fn a_damaged_file_is_as_if_it_were_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(Some(folder.path().join("pages")));
    let page = hop("http://x.test/a#b");
    wait(cache.keep(&page, &an_hour(), &got(b"Bees and wax.")));
    let kept = wait(cache.find(&page, 1000)).unwrap();
    assert!(kept.is_fresh());
    assert_eq!(kept.page(&page).bytes, b"Bees and wax.");
    assert!(wait(cache.find(&hop("http://x.test/a"), 1000)).is_some());
    assert!(wait(cache.find(&hop("https://x.test/a"), 1000)).is_none());
    assert!(wait(cache.find(&page, 12)).is_none());
    let file = cache.file(&page).unwrap();
    let whole = fs::read(&file).unwrap();
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        fs::write(&file, flipped).unwrap();
        assert!(wait(cache.find(&page, 1000)).is_none(), "byte {at}");
        fs::write(&file, &whole[..at]).unwrap();
        assert!(wait(cache.find(&page, 1000)).is_none(), "cut at {at}");
    }
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert!(wait(cache.find(&page, 1000)).is_none());
    wait(cache.keep(&page, &an_hour(), &got(b"x")));
    assert_eq!(fs::read_dir(folder.path().join("pages")).unwrap().count(), 1, "nothing is left beside it");
}

#[test]
fn what_was_kept_first_makes_room_and_no_more_than_needed() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache { folder: Some(folder.path().to_owned()), most_bytes: 20_000 };
    let page = |number: u64| hop(&format!("http://x.test/{number}"));
    for number in 0..12 {
        wait(cache.keep(&page(number), &an_hour(), &got(&[b'x'; 2000])));
        // Files of one moment have no order: each is made older than the next.
        if let Ok(file) = fs::File::open(cache.file(&page(number)).unwrap()) {
            let moment = std::time::UNIX_EPOCH + Duration::from_secs(1000 + number);
            file.set_modified(moment).unwrap();
        }
    }
    let there: Vec<u64> = (0..12).filter(|number| wait(cache.find(&page(*number), 5000)).is_some()).collect();
    assert_eq!(there, (12 - there.len() as u64..12).collect::<Vec<_>>());
    assert!((5..9).contains(&there.len()), "{there:?}");
}
