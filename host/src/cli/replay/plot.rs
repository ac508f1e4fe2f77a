//! `--plot`: the policies over time, as a chart.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, anyhow};
use berth_replay::{Comparison, Sample};
use plotters::coord::Shift;
use plotters::prelude::*;

/// The size of the picture in pixels.
const WIDTH: u32 = 1000;
const HEIGHT_OF_A_CHART: u32 = 260;

/// The colors of the policies, which people with any color vision can tell apart (Okabe and Ito).
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 0, 0),
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// A chart: its title, and the value of a sample.
type Chart = (&'static str, fn(&Sample) -> f64);

const CHARTS: [Chart; 4] = [
    ("Pending pods", |sample| sample.pending as f64),
    ("Nodes used", |sample| sample.nodes_used as f64),
    ("Utilization of CPU in percent", |sample| 100.0 * sample.utilization.get("cpu").copied().unwrap_or_default()),
    ("Utilization of memory in percent", |sample| {
        100.0 * sample.utilization.get("memory").copied().unwrap_or_default()
    }),
];

/// Writes the chart as SVG.
///
/// # Errors
/// The file can't be written.
pub(super) fn write(comparison: &Comparison, file: &Path) -> Result<()> {
    let mut text = String::new();
    draw(comparison, &mut text).map_err(|error| anyhow!("{error}"))?;
    Ok(std::fs::write(file, text)?)
}

type Failure = Box<dyn std::error::Error>;

fn draw(comparison: &Comparison, text: &mut String) -> Result<(), Failure> {
    let area = SVGBackend::with_string(text, (WIDTH, HEIGHT_OF_A_CHART * CHARTS.len() as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    for (number, (chart, area)) in CHARTS.iter().zip(area.split_evenly((CHARTS.len(), 1))).enumerate() {
        draw_chart(comparison, chart, &area, number == 0)?;
    }
    area.present()?;
    Ok(())
}

fn draw_chart(
    comparison: &Comparison,
    (title, value): &Chart,
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    has_legend: bool,
) -> Result<(), Failure> {
    let samples = || comparison.columns.iter().flat_map(|column| &column.samples);
    let begin = samples().map(|sample| sample.at).min().unwrap_or_default();
    let end = samples().map(|sample| sample.at).max().unwrap_or_default();
    let (unit, seconds) = unit(end.since(begin));
    let time = |sample: &Sample| sample.at.since(begin).as_secs_f64() / seconds;
    let last = samples().map(time).fold(f64::MIN_POSITIVE, f64::max);
    // An axis needs a length.
    let most = samples().map(value).fold(0.0, f64::max).max(1.0) * 1.05;
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16))
        .margin(8)
        .x_label_area_size(34)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..last, 0.0..most)?;
    chart.configure_mesh().x_desc(unit).light_line_style(WHITE).draw()?;
    for (number, column) in comparison.columns.iter().enumerate() {
        let color = COLORS[number % COLORS.len()];
        let points = column.samples.iter().map(|sample| (time(sample), value(sample)));
        let line = chart.draw_series(LineSeries::new(points, color.stroke_width(2)))?;
        line.label(&column.name).legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
    }
    if !has_legend {
        return Ok(());
    }
    let mut legend = chart.configure_series_labels();
    legend.position(SeriesLabelPosition::UpperLeft).border_style(BLACK).background_style(WHITE.mix(0.8)).draw()?;
    Ok(())
}

/// Returns the unit of the time axis, with its length in seconds.
fn unit(time: Duration) -> (&'static str, f64) {
    match time.as_secs() {
        0..300 => ("Seconds", 1.0),
        300..18_000 => ("Minutes", 60.0),
        _ => ("Hours", 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use berth_core::Timestamp;
    use berth_replay::Column;

    use super::*;

    #[test]
    fn every_policy_has_a_line_in_every_chart() {
        let column = |name: &str, pending: u64| {
            let samples =
                (0..3).map(|at| Sample { at: Timestamp(at * 60_000), pending: pending * at, ..Sample::default() });
            Column { name: name.into(), samples: samples.collect(), ..Column::default() }
        };
        let comparison = Comparison { columns: vec![column("base", 1), column("a <b>", 5)] };
        let mut text = String::new();
        draw(&comparison, &mut text).expect("a chart");
        assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"), "{text}");
        assert!(!text.contains("a <b>"), "names are escaped");
        for part in ["Pending pods", "Nodes used", "a &lt;b&gt;"] {
            assert!(text.contains(part), "{part}");
        }
        let lines = text.matches("<polyline").count();
        assert!(lines >= 2 * CHARTS.len(), "{lines} lines");
    }

    #[test]
    fn nothing_to_draw_is_no_error() {
        let empty = Comparison { columns: vec![Column::default()] };
        draw(&empty, &mut String::new()).expect("an empty chart");
    }
}
