//! Tokens and hidden characters, and ordinary text that has neither.

use proptest::prelude::*;

use super::*;

#[test]
fn tokens_of_every_family_are_broken_and_stay_readable() {
    for (text, after) in [
        ("<|im_start|>system", "‹|im_start|>system"),
        ("a<|im_end|>", "a‹|im_end|>"),
        ("<|endoftext|>", "‹|endoftext|>"),
        ("<|eot_id|><|start_header_id|>", "‹|eot_id|>‹|start_header_id|>"),
        ("<|system|>", "‹|system|>"),
        ("<|reserved_special_token_7|>", "‹|reserved_special_token_7|>"),
        ("<|channel|>final<|message|>", "‹|channel|>final‹|message|>"),
        ("[INST] x [/INST]", "⟦INST] x ⟦/INST]"),
        ("<<SYS>> x <</SYS>>", "‹<SYS>> x ‹</SYS>>"),
        ("<s>a</s>", "‹s>a‹/s>"),
        ("<start_of_turn>user", "‹start_of_turn>user"),
        ("<end_of_turn>", "‹end_of_turn>"),
        ("<think>a</think>", "‹think>a‹/think>"),
        ("<THINK>", "‹THINK>"),
        ("<｜begin▁of▁sentence｜>", "‹｜begin▁of▁sentence｜>"),
        ("<｜User｜>", "‹｜User｜>"),
        ("</｜DSML｜invoke>", "‹/｜DSML｜invoke>"),
        ("<|DSML|parameter name=x>", "‹|DSML|parameter name=x>"),
        ("<tool_call>{}</tool_call>", "‹tool_call>{}‹/tool_call>"),
        ("<function=run>", "‹function=run>"),
        ("<function_calls>", "‹function_calls>"),
        ("<invoke name=\"x\">", "‹invoke name=\"x\">"),
        ("<x:invoke name=\"x\">", "‹x:invoke name=\"x\">"),
        ("<parameter=path>", "‹parameter=path>"),
        ("[TOOL_CALLS][{}]", "⟦TOOL_CALLS][{}]"),
        ("a\nHuman: b\n  Assistant: c", "a\nHuman : b\n  Assistant : c"),
        ("<<<BEGIN x>>>", "‹<<BEGIN x>>>"),
        ("<<< end x>>>", "‹<< end x>>>"),
        ("<|im_\u{200b}start|>", "‹|im_start|>"),
        ("<\u{2060}think>", "‹think>"),
    ] {
        let found = neutralize(text);
        assert_eq!(found.text, after, "{text:?}");
        assert!(found.tokens > 0);
        assert_eq!(neutralize(after).text, after, "{text:?}");
    }
}

#[test]
fn what_is_hidden_goes_and_is_counted() {
    for (text, after, hidden) in [
        ("a\u{200b}b\u{feff}", "ab", 2),
        ("pay\u{202e}evil\u{202c}", "payevil", 2),
        ("a\u{2066}b\u{2069}c\u{200e}\u{200f}\u{61c}", "abc", 5),
        ("a\u{e0041}\u{e0042}\u{e007f}", "a", 3),
        ("a\u{fe0f}\u{fe01}\u{e0101}", "a", 3),
        ("😀\u{fe0f}\u{fe0f}\u{fe05}", "😀\u{fe0f}", 2),
        ("a\u{ad}b\u{34f}c\u{3164}", "abc", 3),
        ("a\0b\u{7}c\u{8}d\u{7f}e\u{9c}", "abcde", 5),
        ("\u{1b}[31mred\u{1b}[0m", "red", 2),
        ("\u{9b}1;2Hx", "x", 1),
        ("\u{1b}]8;;http://e\u{7}x\u{1b}]8;;\u{1b}\\", "x", 2),
        ("\u{1b}\u{200b}[31mred", "red", 2),
        ("a\rb\r\nc\r", "ab\r\nc", 2),
        ("a\u{2028}b\u{85}c", "a\nb\nc", 2),
        ("x\u{200d}y\u{200c}z", "xyz", 2),
        ("می\u{200c}\u{200c}\u{200d}خواهم", "می\u{200c}خواهم", 2),
        ("😀\u{200d}", "😀", 1),
        ("😀\u{200d}\u{fe0f}", "😀\u{fe0f}", 1),
        ("😀\u{fe0f}\u{200d}\u{fe0f}😀", "😀\u{fe0f}😀", 2),
    ] {
        let found = neutralize(text);
        assert_eq!((found.text.as_ref(), found.hidden), (after, hidden), "{text:?}");
    }
}

#[test]
fn ordinary_text_stays_byte_for_byte() {
    for text in [
        "",
        "# Bees\r\n\r\n- [ ] `a <| b |> c` and `p <|> q`\t|x|\n",
        "می\u{200c}خواهم کتاب‌ها ه\u{200d}.ش",
        "क्\u{200d}ष र्\u{200d}य ශ්\u{200d}රී",
        "العربية، עברית ושלום",
        "👩\u{200d}👩\u{200d}👧 ❤\u{fe0f} 👩🏽\u{200d}🚀 🏳\u{fe0f}\u{200d}🌈 1\u{fe0f}\u{20e3} ©\u{fe0f} ☎\u{fe0e}",
        "ᠮᠣᠩᠭᠣᠯ\u{180b}",
        "日本語、한국어, ไทย, Tiếng Việt, e\u{301}",
        "Vec<System> List<User> Box<Function> a<b ssh <user>@x <b>x</b> <summary>",
        "cat <<EOF <<END\n<<<<<<< HEAD\n>>>>>>> x\ncat <<< \"$x\"",
        "The human: nature. So Human: no. user: x\nsystem: y\nHumans: z",
        "[x] [INSTALL] [^1] [/a]",
    ] {
        assert_eq!(
            neutralize(text),
            NeutralText { text: Cow::Borrowed(text), hidden: 0, tokens: 0 },
            "{text:?}"
        );
    }
}

fn soup() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        prop::sample::select(vec![
            "<",
            "<|",
            "|>",
            "im_start",
            "｜",
            "[INST]",
            "[/",
            "<<",
            "SYS>>",
            "<s>",
            "think>",
            "/",
            "\n",
            "Human",
            ":",
            "Assistant:",
            "<<<",
            "BEGIN",
            "END ",
            ">>>",
            "\u{200b}",
            "\u{200d}",
            "\u{200c}",
            "\u{202e}",
            "\u{fe0f}",
            "\u{1b}",
            "\u{9b}",
            "[",
            "]",
            "31m",
            "\u{7}",
            "\\",
            "\r",
            "ک",
            "क",
            "्",
            "😀",
            "1",
            "\u{20e3}",
            "ᠮ",
            "\u{180b}",
            "\u{e0041}",
            " ",
            "a",
            "<tool_call>",
            "invoke ",
            "\u{2028}",
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(fragment, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn twice_is_once_and_nothing_hidden_survives(text in soup()) {
        let once = neutralize(&text);
        let twice = neutralize(&once.text);
        prop_assert_eq!(&once.text, &twice.text);
        prop_assert_eq!((twice.hidden, twice.tokens), (0, 0));
        prop_assert!(!once.text.chars().any(is_hidden));
        for token in ["<|im_start|>", "[INST]", "<s>", "<tool_call>", "<think>", "<｜", "\nHuman:", "<<SYS>>", "<<<BEGIN", "<<<END"] {
            prop_assert!(!once.text.contains(token), "{} in {:?}", token, once.text);
        }
    }

    #[test]
    fn letters_and_signs_that_one_sees_stay(text in "[a-zA-Z0-9 .,;()äöüßéñあ漢字한עبक\\n\\t#*_`~|-]{0,80}") {
        prop_assert_eq!(neutralize(&text).text, Cow::Borrowed(text.as_str()));
    }
}
