//! Which models a server on this machine offers, for whoever sets Wellread up.

use std::time::Duration;

use serde_json::Value;
use tokio::time::timeout;

use crate::http::{AsyncClient, ClientIdentity};

const LARGEST_LIST: usize = 1 << 20;
const MOST_MODELS: usize = 100;
const LONGEST_NAME: usize = 200;

/// The models that a server offers at `models` below this address, in its order. `None` if the address is not on this machine,
/// or if nobody there answers in time with such a list. No key is sent.
pub async fn list_local_models(base_url: &str, limit: Duration) -> Option<Vec<String>> {
    let client = AsyncClient::new(base_url, &ClientIdentity::default()).ok()?;
    if !client.is_local() {
        return None;
    }
    let listed = async {
        let reply = client.get("models").await.ok().filter(|reply| reply.status == 200)?;
        reply.read_all(LARGEST_LIST).await.ok()
    };
    parse_models(&timeout(limit, listed).await.ok()??)
}

/// The names in a list of models. Names that no setting could hold in one short line are left out.
fn parse_models(body: &[u8]) -> Option<Vec<String>> {
    let list: Value = serde_json::from_slice(body).ok()?;
    let fits = |name: &&str| {
        !name.trim().is_empty() && name.len() <= LONGEST_NAME && !name.contains(char::is_control)
    };
    let names = list.get("data")?.as_array()?.iter().filter_map(|model| model.get("id")?.as_str());
    Some(names.filter(fits).take(MOST_MODELS).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_models_is_read_and_anything_else_is_none() {
        let names = |body: &str| parse_models(body.as_bytes());
        assert_eq!(names(r#"{"object":"list","data":[{"id":"a:1b"},{"id":"b"}]}"#).unwrap(), ["a:1b", "b"]);
        assert_eq!(names(r#"{"data":[{"id":""},{"id":"x\ny"},{"name":"z"},3]}"#).unwrap(), [""; 0]);
        for other in ["", "<html>", "[]", r#"{"data":{}}"#, r#"{"models":[]}"#] {
            assert_eq!(names(other), None, "{other}");
        }
    }
}
