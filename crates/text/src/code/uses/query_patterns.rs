//! The patterns of a query file, one by one, and which of them are plain.

/// `(kind field: (_) @part …) @head`, or several such kinds in brackets.
#[derive(Debug, PartialEq)]
pub(super) struct PlainPattern<'a> {
    pub kinds: Vec<&'a str>,
    /// A field and what it is; without a field it is the first named child.
    pub fields: Vec<(Option<&'a str>, &'a str)>,
    pub head: &'a str,
}

/// The text of each pattern with its captures, without comments.
pub(super) fn split_patterns(text: &str) -> Vec<&str> {
    let (mut forms, mut start, mut depth) = (Vec::new(), None, 0usize);
    let (mut string, mut comment, mut end) = (false, false, 0);
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        if comment {
            comment = letter != '\n';
            continue;
        }
        if string {
            string = escaped || letter != '"';
            escaped = !escaped && letter == '\\';
            end = at + 1;
            continue;
        }
        match letter {
            ';' => comment = true,
            '"' => string = true,
            '(' | '[' => {
                if depth == 0 {
                    if let Some(start) = start {
                        forms.push(&text[start..end]);
                    }
                    start = Some(at);
                }
                depth += 1;
            }
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if !letter.is_whitespace() && letter != ';' {
            end = at + letter.len_utf8();
        }
    }
    forms.extend(start.map(|start| &text[start..end]));
    forms
}

/// The pattern as a plain one, if it is.
pub(super) fn parse_plain_pattern(form: &str) -> Option<PlainPattern<'_>> {
    let (body, head) = form.rsplit_once(" @")?;
    if !is_word(head) || body.contains(['#', '"', ';', '*', '+', '!']) {
        return None;
    }
    if let Some(kinds) = body.strip_prefix('[').and_then(|body| body.strip_suffix(']')) {
        let kinds = kinds.split_whitespace().map(|kind| kind.strip_prefix('(')?.strip_suffix(')'));
        let kinds = kinds.collect::<Option<Vec<_>>>()?;
        return kinds.iter().all(|kind| is_word(kind)).then_some(PlainPattern {
            kinds,
            fields: Vec::new(),
            head,
        });
    }
    let mut words = body.strip_prefix('(')?.strip_suffix(')')?.split_whitespace().peekable();
    let kind = words.next().filter(|kind| is_word(kind) && *kind != "_")?;
    let mut fields = Vec::new();
    while let Some(word) = words.next() {
        let field = word.strip_suffix(':').filter(|field| is_word(field));
        let node = if field.is_some() { words.next()? } else { word };
        if node != "(_)" && node != "(_)?" {
            return None;
        }
        fields.push((field, words.next()?.strip_prefix('@').filter(|part| is_word(part))?));
    }
    // One child without a field is its first; of two the order would count.
    let positional = fields.iter().filter(|(field, _)| field.is_none()).count();
    (positional <= 1).then_some(PlainPattern { kinds: vec![kind], fields, head })
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_.".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_told_apart_and_the_plain_ones_known() {
        let text = "; a (comment)\n(a b: (_) @of\n  c: (_)? @member) @value.path ; more\n[(d) (e)] @own\n((f) @word (#eq? @word \"(\"))\n(g (_) @inner) @through\n";
        let forms = split_patterns(text);
        assert_eq!(forms.len(), 4, "{forms:?}");
        assert_eq!(
            parse_plain_pattern(forms[0]),
            Some(PlainPattern {
                kinds: vec!["a"],
                fields: vec![(Some("b"), "of"), (Some("c"), "member")],
                head: "value.path"
            })
        );
        assert_eq!(parse_plain_pattern(forms[1]).unwrap().kinds, ["d", "e"]);
        assert_eq!(parse_plain_pattern(forms[2]), None);
        assert_eq!(parse_plain_pattern(forms[3]).unwrap().fields, [(None, "inner")]);
        for special in
            ["(a b: (c) @of) @own", "(a . (_) @of) @own", "(a (_) @of (_) @member) @own", "(_) @own"]
        {
            assert_eq!(parse_plain_pattern(special), None, "{special}");
        }
    }
}
