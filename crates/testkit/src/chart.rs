//! A line chart with two logarithmic axes, as SVG.

use std::fmt::Write as _;

/// A line: its label and its points, as sizes and milliseconds.
#[derive(Debug, Clone)]
pub struct ChartLine {
    pub name: &'static str,
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 555.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 415.0;
/// Colors that color-blind readers can distinguish, and shapes for readers who see no color.
const COLORS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#4d4d4d"];

/// An axis from one power of ten to another.
struct Axis {
    low: i32,
    high: i32,
    from: f64,
    to: f64,
}

impl Axis {
    fn around(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Self {
        let least = values.clone().fold(f64::INFINITY, f64::min).log10();
        let most = values.fold(0.0, f64::max).log10();
        let low = (least + 1e-9).floor() as i32;
        Self { low, high: ((most - 1e-9).ceil() as i32).max(low + 1), from, to }
    }

    fn at(&self, value: f64) -> f64 {
        let share = (value.log10() - f64::from(self.low)) / f64::from(self.high - self.low);
        self.from + share * (self.to - self.from)
    }

    fn powers(&self) -> impl Iterator<Item = (i32, f64)> + '_ {
        (self.low..=self.high).map(|power| (power, self.at(10_f64.powi(power))))
    }
}

/// Draws how times grow with a number of things.
pub fn draw_chart(title: &str, things: &str, lines: &[ChartLine]) -> String {
    let points = lines.iter().flat_map(|line| &line.points);
    let x = Axis::around(points.clone().map(|point| point.0), LEFT + 15.0, RIGHT - 15.0);
    let y = Axis::around(points.map(|point| point.1), BOTTOM, TOP);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-size=\"13\" fill=\"#333\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"8\" fill=\"#fbfbf8\"/>\n\
         <text x=\"{LEFT}\" y=\"30\" font-size=\"16\" font-weight=\"600\">{title}</text>\n"
    );
    for (power, at) in y.powers() {
        let label = time(power);
        let _ = writeln!(svg, "<path d=\"M{LEFT} {at:.1}H{RIGHT}\" stroke=\"#ddd\"/>");
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            LEFT - 8.0,
            at + 4.5
        );
    }
    for (power, at) in x.powers() {
        let label = group_thousands(10_u64.pow(power.unsigned_abs()));
        let _ = writeln!(svg, "<path d=\"M{at:.1} {TOP}V{BOTTOM}\" stroke=\"#ddd\"/>");
        let _ = writeln!(
            svg,
            "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
            BOTTOM + 20.0
        );
    }
    let middle = f64::midpoint(LEFT, RIGHT);
    let _ =
        writeln!(svg, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{things}</text>", BOTTOM + 45.0);
    let mut order: Vec<usize> = (0..lines.len()).collect();
    // The legend has the order of the line ends.
    order.sort_by(|one, other| last(&lines[*other]).total_cmp(&last(&lines[*one])));
    for (place, number) in order.into_iter().enumerate() {
        let (line, color) = (&lines[number], COLORS[number % COLORS.len()]);
        let path: Vec<String> =
            line.points.iter().map(|point| format!("{:.1} {:.1}", x.at(point.0), y.at(point.1))).collect();
        let _ = writeln!(
            svg,
            "<path d=\"M{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
            path.join("L")
        );
        for point in &line.points {
            svg.push_str(&mark(number, x.at(point.0), y.at(point.1), color));
        }
        let row = TOP + 30.0 + 34.0 * place as f64;
        let start = RIGHT + 20.0;
        let _ = writeln!(
            svg,
            "<path d=\"M{start} {row}h24\" stroke=\"{color}\" stroke-width=\"2\"/><text x=\"{}\" y=\"{}\">{}</text>",
            start + 32.0,
            row + 4.5,
            line.name
        );
        svg.push_str(&mark(number, start + 12.0, row, color));
    }
    svg + "</svg>\n"
}

fn last(line: &ChartLine) -> f64 {
    line.points.last().map_or(0.0, |point| point.1)
}

fn mark(number: usize, x: f64, y: f64, color: &str) -> String {
    let (shape, filled) = match number % 3 {
        0 => ("m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", number < 3),
        1 => ("m-4 -4h8v8h-8z", number < 3),
        _ => ("m0 -5l5 9h-10z", number < 3),
    };
    let fill = if filled { color } else { "#fbfbf8" };
    format!("<path d=\"M{x:.1} {y:.1}{shape}\" fill=\"{fill}\" stroke=\"{color}\" stroke-width=\"2\"/>\n")
}

fn time(power: i32) -> String {
    match power {
        ..0 => format!("{} ms", 10_f64.powi(power)),
        0..3 => format!("{} ms", 10_u64.pow(power.unsigned_abs())),
        _ => format!("{} s", 10_u64.pow(power.unsigned_abs() - 3)),
    }
}

/// A number with commas between its thousands.
pub fn group_thousands(number: u64) -> String {
    if number < 1000 {
        return number.to_string();
    }
    format!("{},{:03}", group_thousands(number / 1000), number % 1000)
}
