//! Reasons for a verdict in words, for people.

use super::VerdictReason;

impl VerdictReason {
    /// The reason in words: what is wrong, and with what.
    pub fn describe(&self) -> String {
        use VerdictReason as Why;
        let (name, about): (&str, Vec<&str>) = match self {
            Why::UnknownId { id } => ("unknown id", vec![id]),
            Why::OtherRun { id } => ("other run", vec![id]),
            Why::NotShown { id } => ("not shown", vec![id]),
            Why::PlaceChanged { id } => ("place changed", vec![id]),
            Why::PlaceGone { id } => ("place gone", vec![id]),
            Why::PlaceUnreachable { id, because } => ("place unreachable", vec![id, because]),
            Why::QuotationNotFound { quotation } => ("quotation not found", vec![quotation]),
            Why::QuotationDiffers { quotation, source } => ("quotation differs", vec![quotation, source]),
            Why::NumberMissing { number } => ("number missing", vec![number]),
            Why::NumberDiffers { number, source } => ("number differs", vec![number, source]),
            Why::DateMissing { date } => ("date missing", vec![date]),
            Why::DateDiffers { date, source } => ("date differs", vec![date, source]),
            Why::NameMissing { name } => ("name missing", vec![name]),
            Why::IdentifierMissing { identifier } => ("identifier missing", vec![identifier]),
            Why::NothingInCommon => ("nothing in common", Vec::new()),
            Why::OtherSubject { written, source } => ("belongs to something else", vec![written, source]),
            Why::NegationDiffers { .. } => ("negation differs", Vec::new()),
            Why::DirectionDiffers { written, source, .. } => ("direction differs", vec![written, source]),
            Why::Overstated { word } => ("claims more than the source", vec![word]),
            Why::Outdated => ("no longer so in the source", Vec::new()),
            Why::RolesSwapped { one, other } => ("roles differ", vec![one, other]),
            Why::OtherLanguage => ("source in another language", Vec::new()),
            Why::NotBorneOut => ("the source does not seem to say this", Vec::new()),
            Why::Lowered { because, .. } => ("lowered", vec![because]),
        };
        let about = about.join(" / ").replace(|c: char| c.is_control(), " ");
        if about.is_empty() { name.to_owned() } else { format!("{name}: {about}") }
    }
}
