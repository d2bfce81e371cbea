//! What servers that call themselves compatible send, each of it seen somewhere: it is read all the same.

use serde_json::{Value, json};
use wellread_adapters::llm::ModelWireFormat;
use wellread_core::ports::{Message, ModelRequest, StopReason, TokenUsage, ToolCall};
use wellread_testkit::Turn;

use crate::language_models::{Answered, ask, ask_for, request};

fn stream(events: &[Value]) -> Turn {
    Turn::stream(&events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>())
}

/// A stream of deltas that ends as it should.
fn deltas(deltas: &[Value]) -> Answered {
    let mut events: Vec<Value> =
        deltas.iter().map(|delta| json!({ "choices": [{ "delta": delta }] })).collect();
    events.push(json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] }));
    ask(ModelWireFormat::OpenAi, vec![stream(&events)])
}

fn whole(message: &Value) -> Answered {
    let body = json!({ "choices": [{ "message": message }] }).to_string();
    ask(ModelWireFormat::OpenAi, vec![Turn::status(200, &body)])
}

fn call(id: &str, name: &str, arguments: Value) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments }
}

#[test]
fn a_stream_may_be_written_carelessly() {
    let piece = |text: &str| json!({ "choices": [{ "index": 0, "delta": { "content": text } }] }).to_string();
    for body in [
        format!("data:{}\r\n\r\n: keep-alive\r\n\r\ndata:{}\r\n\r\n", piece("They "), piece("fly.")),
        format!("\n\ndata: {}\ndata: {}\n", piece("They "), piece("fly.")),
        format!(
            "event: x\nid: 7\ndata: {}\n\nretry: 5\n\ndata: nonsense\n\ndata: {}",
            piece("They "),
            piece("fly.")
        ),
        format!("\u{feff}data: {}\r\rdata: {}\r\rdata: [DONE]\r\r", piece("They "), piece("fly.")),
        format!("{}\n{}\n", piece("They "), piece("fly.")),
        format!("\u{feff} {}", json!({ "choices": [{ "message": { "content": "They fly." } }] })),
    ] {
        for turn in [Turn::stream(&body), Turn::stream(&body).byte_by_byte()] {
            let answered = ask(ModelWireFormat::OpenAi, vec![turn]);
            assert_eq!(answered.reply().text, "They fly.", "{body}");
            assert_eq!(answered.reply().stop, StopReason::End);
        }
    }
}

#[test]
fn content_may_be_a_text_nothing_or_a_list_of_parts() {
    let parts = json!([{ "type": "text", "text": "They " }, { "type": "image" }, "fly."]);
    for message in [json!({ "content": parts }), json!({ "content": "They fly." })] {
        assert_eq!(whole(&message).reply().text, "They fly.");
        assert_eq!(
            deltas(&[json!({ "role": "assistant", "content": null }), message]).reply().text,
            "They fly."
        );
    }
    assert_eq!(whole(&json!({ "content": null })).reply().text, "");
    assert_eq!(whole(&json!({ "content": 7, "reasoning_content": "hm" })).reply().text, "");
    let refused = deltas(&[json!({ "refusal": "I " }), json!({ "refusal": "won't" })]);
    assert_eq!((refused.reply().text.as_str(), &refused.reply().stop), ("I won't", &StopReason::Filtered));
}

#[test]
fn arguments_may_be_an_object_a_text_both_or_none() {
    for (arguments, expected) in [
        (json!("{\"q\": \"x\"}"), json!({ "q": "x" })),
        (json!({ "q": "x" }), json!({ "q": "x" })),
        (json!("\"{\\\"q\\\": \\\"x\\\"}\""), json!({ "q": "x" })),
        (json!(""), json!({})),
        (json!("null"), json!({})),
        (json!(null), json!({})),
        (json!("{\"q\": "), json!("{\"q\": ")),
        (json!("[1]"), json!([1])),
    ] {
        let function = json!({ "name": "search", "arguments": arguments });
        let message = json!({ "tool_calls": [{ "id": "a", "index": 0, "function": function }] });
        assert_eq!(whole(&message).reply().calls, [call("a", "search", expected.clone())], "{arguments}");
        assert_eq!(deltas(&[message]).reply().calls, [call("a", "search", expected)], "{arguments}");
    }
    let bare = whole(&json!({ "tool_calls": [{ "function": { "name": "search" } }] }));
    assert_eq!(bare.reply().calls, [call("1", "search", json!({}))]);
    let flat = whole(&json!({ "tool_calls": [{ "name": "search", "arguments": { "q": 1 } }] }));
    assert_eq!(flat.reply().calls, [call("1", "search", json!({ "q": 1 }))]);
    let older = whole(&json!({ "function_call": { "name": "search", "arguments": "{\"q\":1}" } }));
    assert_eq!((older.reply().calls.len(), &older.reply().stop), (1, &StopReason::Tools));
}

#[test]
fn calls_without_numbers_or_identifiers_are_told_apart() {
    let piece = |call: Value| json!({ "tool_calls": [call] });
    let named = |name: &str| json!({ "function": { "name": name, "arguments": "" } });
    let more = |text: &str| json!({ "function": { "arguments": text } });
    // Neither: a name begins a call.
    let answered = deltas(&[
        piece(named("a")),
        piece(more("{\"x\"")),
        piece(more(":1}")),
        piece(named("b")),
        piece(more("{}")),
    ]);
    assert_eq!(answered.reply().calls, [call("1", "a", json!({ "x": 1 })), call("2", "b", json!({}))]);
    // All with the same number: an identifier of its own begins a call.
    let with = |id: &str, name: &str, arguments: &str| {
        piece(json!({ "index": 0, "id": id, "function": { "name": name, "arguments": arguments } }))
    };
    let answered = deltas(&[with("p", "a", "{\"x\":1}"), with("q", "a", "{\"x\":2}")]);
    assert_eq!(
        answered.reply().calls,
        [call("p", "a", json!({ "x": 1 })), call("q", "a", json!({ "x": 2 }))]
    );
    // The name and the identifier again in each piece.
    let answered = deltas(&[with("p", "a", "{\"x\""), with("p", "a", ":1}")]);
    assert_eq!(answered.reply().calls, [call("p", "a", json!({ "x": 1 }))]);
    // Pieces of two calls, one in the other.
    let at = |index: u64, id: Value, text: &str| {
        piece(json!({ "index": index, "id": id, "function": { "name": "a", "arguments": text } }))
    };
    let answered = deltas(&[
        at(0, json!("p"), "{\"x\""),
        at(1, json!("q"), "{\"y\""),
        at(0, Value::Null, ":1}"),
        at(1, Value::Null, ":2}"),
    ]);
    assert_eq!(
        answered.reply().calls,
        [call("p", "a", json!({ "x": 1 })), call("q", "a", json!({ "y": 2 }))]
    );
    // One identifier for all: the second needs its own, or its answer would have no place.
    let same = json!({ "id": "p", "function": { "name": "a", "arguments": "{}" } });
    let answered = whole(&json!({ "tool_calls": [same, same] }));
    assert_eq!(answered.reply().calls, [call("p", "a", json!({})), call("2", "a", json!({}))]);
}

#[test]
fn a_number_that_was_given_for_want_of_an_identifier_is_not_given_twice_in_a_talk() {
    let earlier = Message::Assistant { text: String::new(), calls: vec![call("1", "a", json!({}))] };
    let request = ModelRequest { messages: vec![earlier], ..request() };
    let body = json!({ "choices": [{ "message": { "tool_calls": [{ "function": { "name": "a" } }] } }] });
    let answered = ask_for(ModelWireFormat::OpenAi, &request, vec![Turn::status(200, &body.to_string())]);
    assert_eq!(answered.reply().calls[0].id, "2");
}

#[test]
fn every_reason_to_stop_is_understood_or_kept() {
    for (reason, stop) in [
        ("stop", StopReason::End),
        ("eos", StopReason::End),
        ("length", StopReason::Length),
        ("content_filter", StopReason::Filtered),
        ("", StopReason::End),
        ("tool_calls", StopReason::End),
        ("flowers", StopReason::Other("flowers".to_owned())),
    ] {
        let answered = ask(ModelWireFormat::OpenAi, vec![Turn::says("x").with_stop_reason(reason)]);
        assert_eq!(answered.reply().stop, stop, "{reason}");
    }
    for (reason, stop) in [
        ("end_turn", StopReason::End),
        ("max_tokens", StopReason::Length),
        ("refusal", StopReason::Filtered),
        ("", StopReason::End),
        ("pause_turn", StopReason::Other("pause_turn".to_owned())),
    ] {
        let answered = ask(ModelWireFormat::Anthropic, vec![Turn::says("x").with_stop_reason(reason)]);
        assert_eq!(answered.reply().stop, stop, "{reason}");
    }
    let answered =
        ask(ModelWireFormat::OpenAi, vec![Turn::calls(&[("a", json!({}))]).with_stop_reason("stop")]);
    assert_eq!(answered.reply().stop, StopReason::Tools);
}

#[test]
fn tokens_that_nobody_counted_are_estimated_and_marked() {
    for wire in [ModelWireFormat::OpenAi, ModelWireFormat::Anthropic] {
        for turn in
            [Turn::says("abcdefgh").without_usage(), Turn::says("abcdefgh").without_usage().without_stream()]
        {
            let usage = ask(wire, vec![turn]).reply().usage;
            assert!(usage.estimated && usage.written == 2 && usage.read > 10, "{usage:?}");
        }
    }
    let begun =
        json!({ "type": "message_start", "message": { "usage": { "input_tokens": 5, "output_tokens": 1 } } });
    let block = json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "abcdefgh" } });
    let usage = ask(ModelWireFormat::Anthropic, vec![stream(&[begun, block])]).reply().usage;
    assert_eq!(
        usage,
        TokenUsage { read: 5, written: 2, estimated: true },
        "what was written by then is not what there is"
    );
    let zeros = json!({ "choices": [{ "message": { "content": "x" } }], "usage": { "prompt_tokens": 0, "completion_tokens": 1 } });
    assert!(
        ask(ModelWireFormat::OpenAi, vec![Turn::status(200, &zeros.to_string())]).reply().usage.estimated
    );
    let other = json!({ "choices": [{ "message": { "content": "x" } }], "usage": { "input_tokens": 5, "output_tokens": 1 } });
    let usage = ask(ModelWireFormat::OpenAi, vec![Turn::status(200, &other.to_string())]).reply().usage;
    assert_eq!(usage, TokenUsage { read: 5, written: 1, estimated: false });
}

#[test]
fn messages_with_thoughts_and_things_to_come_are_read() {
    let events = [
        json!({ "type": "message_start", "message": { "usage": {
            "input_tokens": 3, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 5, "output_tokens": 1,
        } } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "thinking", "thinking": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "thinking_delta", "thinking": "Hm." } }),
        json!({ "type": "content_block_start", "index": 1, "content_block": { "type": "text", "text": "They " } }),
        json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "text_delta", "text": "fly." } }),
        json!({ "type": "hologram", "index": 9 }),
        json!({ "type": "content_block_start", "index": 2, "content_block": {
            "type": "tool_use", "id": "t", "name": "a", "input": { "x": 1 },
        } }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 9 } }),
    ];
    let answered = ask(ModelWireFormat::Anthropic, vec![stream(&events)]);
    let reply = answered.reply();
    assert_eq!((reply.text.as_str(), &reply.stop), ("They fly.", &StopReason::Tools));
    assert_eq!(reply.calls, [call("t", "a", json!({ "x": 1 }))]);
    assert_eq!(reply.usage, TokenUsage { read: 12, written: 9, estimated: false });
    let plain = json!({ "content": "They fly.", "stop_reason": "end_turn" }).to_string();
    assert_eq!(ask(ModelWireFormat::Anthropic, vec![Turn::status(200, &plain)]).reply().text, "They fly.");
}
