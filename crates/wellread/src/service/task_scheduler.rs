//! A task of the Windows Task Scheduler, which starts when the user signs in.

use super::{MARK, ServiceCommand, escape_xml};

pub fn render(command: &ServiceCommand) -> String {
    let program = escape_xml(&command.program);
    let args = command.args.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ");
    let args = escape_xml(&args);
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- {MARK} -->
<Task version="1.3" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Wellread: notes, code and research on this machine</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>5</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>{program}</Command>
      <Arguments>{args}</Arguments>
    </Exec>
  </Actions>
</Task>
"#
    )
}

/// A word as Windows programs take their command line apart: quotes around it, and backslashes doubled where a quote follows.
fn quote(word: &str) -> String {
    if !word.is_empty() && !word.contains([' ', '\t', '"']) {
        return word.to_owned();
    }
    let (mut quoted, mut backslashes) = ("\"".to_owned(), 0);
    for letter in word.chars() {
        match letter {
            '\\' => backslashes += 1,
            '"' => {
                quoted.push_str(&"\\".repeat(2 * backslashes + 1));
                quoted.push('"');
                backslashes = 0;
            }
            other => {
                quoted.push_str(&"\\".repeat(backslashes));
                quoted.push(other);
                backslashes = 0;
            }
        }
    }
    quoted.push_str(&"\\".repeat(2 * backslashes));
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::super::tests::odd_command;
    use super::*;

    #[test]
    fn words_are_quoted_as_windows_reads_them() {
        for (word, quoted) in [
            ("serve", "serve"),
            (r"C:\My notes", r#""C:\My notes""#),
            (r"C:\My notes\", r#""C:\My notes\\""#),
            (r#"a "b" c\"d"#, r#""a \"b\" c\\\"d""#),
            ("", r#""""#),
            (r"C:\100%\x", r"C:\100%\x"),
        ] {
            assert_eq!(quote(word), quoted, "{word}");
        }
        let task = render(&odd_command());
        assert!(task.contains("<Command>/opt/my tools/wellread</Command>"), "{task}");
        assert!(task.contains("&amp; $HOME"), "{task}");
    }
}
