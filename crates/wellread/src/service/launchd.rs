//! An agent of launchd: a property list in the user's library.

use super::{MARK, ServiceCommand, escape_xml};

pub const LABEL: &str = "wellread.serve";

pub fn render(command: &ServiceCommand) -> String {
    let words = [&command.program].into_iter().chain(&command.args);
    let words: String =
        words.map(|word| format!("        <string>{}</string>\n", escape_xml(word))).collect();
    let log = escape_xml(&command.log.display().to_string());
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- {MARK} -->
<plist version="1.0">
<dict>
    <key>Label</key>
    <string>{LABEL}</string>
    <key>ProgramArguments</key>
    <array>
{words}    </array>
    <key>RunAtLoad</key>
    <true/>
    <key>KeepAlive</key>
    <dict>
        <key>SuccessfulExit</key>
        <false/>
    </dict>
    <key>ThrottleInterval</key>
    <integer>5</integer>
    <key>ProcessType</key>
    <string>Background</string>
    <key>Umask</key>
    <integer>63</integer>
    <key>StandardOutPath</key>
    <string>{log}</string>
    <key>StandardErrorPath</key>
    <string>{log}</string>
</dict>
</plist>
"#
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::odd_command;
    use super::*;

    #[test]
    fn words_are_escaped_as_xml() {
        let list = render(&odd_command());
        assert!(list.contains("<string>/opt/my tools/wellread</string>"), "{list}");
        assert!(list.contains("<string>/home/me/100% &quot;notes&quot; &amp; $HOME\\x</string>"), "{list}");
        assert!(list.contains("<string>/home/me/a &amp; b.log</string>"), "{list}");
    }
}
