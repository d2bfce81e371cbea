//! Builds a line from the texts of a tree: white space collapsed, links and code kept.

/// A paragraph, a heading or a cell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::page::html) struct TextLine(pub Vec<Inline>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::page::html) enum Inline {
    Text(String),
    Code(String),
    Link { text: String, to: String },
    Break,
}

impl TextLine {
    pub(in crate::page::html) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The line being read.
#[derive(Debug, Default)]
pub(super) struct LineBuilder {
    done: Vec<Inline>,
    text: String,
    space: bool,
    breaks: usize,
    /// The number of open code elements.
    code: usize,
    link: Option<PendingLink>,
    quotes: OpenQuotes,
}

/// The open quotations: a mark is written only where there is something to quote.
#[derive(Debug, Default)]
struct OpenQuotes {
    /// Those without text so far.
    pending: usize,
    /// Those whose first mark is written.
    begun: usize,
}

/// An open link.
#[derive(Debug)]
struct PendingLink {
    /// The number of inline elements before it.
    from: usize,
    to: Option<String>,
}

impl LineBuilder {
    pub(super) fn text(&mut self, text: &str) {
        for letter in text.chars() {
            if letter.is_whitespace() && letter != '\u{a0}' || letter == '\0' {
                self.space = true;
                continue;
            }
            self.push_pending_space();
            self.text.push(if letter == '\u{a0}' { ' ' } else { letter });
        }
    }

    pub(super) fn open_quote(&mut self) {
        self.quotes.pending += 1;
    }

    pub(super) fn close_quote(&mut self) {
        if self.quotes.pending > 0 {
            self.quotes.pending -= 1;
        } else if self.quotes.begun > 0 {
            self.quotes.begun -= 1;
            self.text.push('”');
        }
    }

    /// Writes a pending space or line break, and pending quotation marks.
    fn push_pending_space(&mut self) {
        let first = self.text.is_empty() && self.done.is_empty();
        if self.breaks > 0 && !first {
            self.end_text();
            self.done.push(Inline::Break);
        } else if self.space
            && !first
            && !matches!(self.done.last(), Some(Inline::Break) if self.text.is_empty())
        {
            self.text.push(' ');
        }
        (self.space, self.breaks) = (false, 0);
        self.push_pending_quotes();
    }

    fn push_pending_quotes(&mut self) {
        if self.quotes.pending == 0 {
            return;
        }
        let marks = "“".repeat(self.quotes.pending);
        self.quotes.begun += std::mem::take(&mut self.quotes.pending);
        let begins_link = self.link.as_ref().is_some_and(|link| link.from == self.done.len());
        if !self.text.is_empty() || self.code == 0 && !begins_link {
            self.text.push_str(&marks);
            return;
        }
        // Before the link or the code that begins here.
        self.done.push(Inline::Text(marks));
        if let Some(link) = self.link.as_mut().filter(|_| begins_link) {
            link.from += 1;
        }
    }

    /// Adds a line break. Returns whether it is the second in a row.
    pub(super) fn line_break(&mut self) -> bool {
        self.breaks += 1;
        self.space = false;
        self.breaks > 1
    }

    pub(super) fn open_code(&mut self) {
        if self.code == 0 {
            self.flush_before_mark();
        }
        self.code += 1;
    }

    pub(super) fn close_code(&mut self) {
        self.code = self.code.saturating_sub(1);
        if self.code == 0 && !self.text.is_empty() {
            let code = std::mem::take(&mut self.text);
            self.done.push(Inline::Code(code.trim().to_owned()));
        }
    }

    pub(super) fn open_link(&mut self, to: Option<String>) {
        if self.link.is_none() && self.code == 0 {
            self.flush_before_mark();
            self.link = Some(PendingLink { from: self.done.len(), to });
        }
    }

    pub(super) fn close_link(&mut self) {
        if self.code > 0 {
            return;
        }
        let Some(link) = self.link.take() else { return };
        self.end_text();
        let inner = self.done.split_off(link.from.min(self.done.len()));
        let text: String = inner.iter().map(inline_text).collect();
        let is_anchor = matches!(text.trim(), "" | "¶" | "#" | "§" | "🔗" | "⚓" | "↩" | "^");
        match link.to {
            _ if is_anchor => {}
            Some(to) => self.done.push(Inline::Link { text: text.trim().to_owned(), to }),
            None => self.done.extend(inner),
        }
    }

    /// Ends the text before a link or code, with its space.
    fn flush_before_mark(&mut self) {
        let first = self.text.is_empty() && self.done.is_empty();
        if self.breaks > 0 && !first {
            self.end_text();
            self.done.push(Inline::Break);
        } else if self.space && !first {
            self.text.push(' ');
        }
        (self.space, self.breaks) = (false, 0);
        self.end_text();
    }

    fn end_text(&mut self) {
        if self.text.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.text);
        self.done.push(if self.code > 0 { Inline::Code(text) } else { Inline::Text(text) });
    }

    /// Takes the line and begins a new one. An open link ends here; an open quotation goes on in the next line.
    pub(super) fn take(&mut self) -> TextLine {
        self.text.extend(std::iter::repeat_n('”', self.quotes.begun));
        self.quotes.pending += std::mem::take(&mut self.quotes.begun);
        self.end_text();
        if let Some(link) = &mut self.link {
            *link = PendingLink { from: 0, to: None };
        }
        (self.space, self.breaks) = (false, 0);
        let mut line = std::mem::take(&mut self.done);
        while line.last().is_some_and(|last| inline_text(last).trim().is_empty()) {
            line.pop();
        }
        if let Some(Inline::Text(text)) = line.last_mut() {
            text.truncate(text.trim_end().len());
        }
        let has_text = line.iter().any(|part| !inline_text(part).trim().is_empty());
        TextLine(if has_text { line } else { Vec::new() })
    }
}

/// The text of a part, without markup.
pub(super) fn inline_text(inline: &Inline) -> &str {
    match inline {
        Inline::Text(text) | Inline::Code(text) | Inline::Link { text, .. } => text,
        Inline::Break => " ",
    }
}
