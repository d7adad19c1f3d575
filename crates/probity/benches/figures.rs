//! The figures that the engine and the gate must reach, measured in one run and printed as a table and as JSON.
//!
//! Machines differ and are busy, so what counts are ratios taken side by side: the program against a bare
//! loop of the same HTTP client. The gate and calibration are measured by the time of their thread, and the review room by how long people wait for a page.
//! Run with `cargo xtask bench`; a name such as `gate` measures only the figures whose names
//! contain it, and `--quick` makes every job ten times smaller, for a look at the shape only.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark talks to the terminal")]

#[path = "figures/bare_loop.rs"]
mod bare_loop;
#[path = "figures/bench.rs"]
mod bench;
#[path = "figures/calibrate.rs"]
mod calibrate;
#[path = "figures/child.rs"]
mod child;
#[path = "figures/clock.rs"]
mod clock;
#[path = "figures/figure.rs"]
mod figure;
#[path = "figures/gate.rs"]
mod gate;
#[path = "figures/jobs.rs"]
mod jobs;
#[path = "figures/postgres.rs"]
mod postgres;
#[path = "../../probity-engine/tests/support/postgres.rs"]
mod private_server;
#[path = "figures/record.rs"]
mod record;
#[path = "figures/replies.rs"]
mod replies;
#[path = "figures/review.rs"]
mod review;

use std::path::PathBuf;

use bench::Bench;
use figure::Figure;

/// The program's own: what is measured in this process is what is shipped.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Job = fn(&Bench) -> Vec<Figure>;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let scale = if arguments.iter().any(|argument| argument == "--quick") { 10 } else { 1 };
    let only = arguments.iter().find(|argument| !argument.starts_with("--")).cloned();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bench = Bench::new(folder.path(), scale);
    let jobs: [(&str, Job); 16] = [
        ("slow-judge", jobs::slow_judge),
        ("fast-judge", jobs::fast_judge),
        ("slow-disk", jobs::slow_disk),
        ("throughput", jobs::throughput),
        ("first-call", record::first_call),
        ("postgres-calls", postgres::calls),
        ("postgres-first-call", postgres::first_call),
        ("replay", jobs::replay),
        ("report", jobs::report),
        ("plan", jobs::plan),
        ("gate-speed", gate::throughput),
        ("gate-digits", gate::digits),
        ("gate-signs", gate::signs),
        ("calibrate-kappa", calibrate::kappa),
        ("calibrate-alpha", calibrate::alpha),
        ("review", review::room),
    ];
    let mut figures = Vec::new();
    for (name, job) in jobs {
        if only.as_ref().is_none_or(|only| name.contains(only.as_str())) {
            eprintln!("measuring {name}");
            let measured = job(&bench);
            for figure in &measured {
                eprintln!("    {}", figure.cells().join("  "));
            }
            figures.extend(measured);
        }
    }
    print(&figures);
    write_json(&figures, scale);
}

/// Prints a table: figure, seen, bar, met.
fn print(figures: &[Figure]) {
    let header = ["figure", "seen", "bar", "met"].map(str::to_owned);
    let rows: Vec<[String; 4]> = std::iter::once(header).chain(figures.iter().map(Figure::cells)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let [what_width, seen_width, bar_width] = [width(0), width(1), width(2)];
    for [what, seen, bar, met] in &rows {
        println!("{what:<what_width$}  {seen:>seen_width$}  {bar:>bar_width$}  {met}");
    }
}

fn write_json(figures: &[Figure], scale: usize) {
    let rows: Vec<serde_json::Value> = figures.iter().map(Figure::to_json).collect();
    let document = serde_json::json!({ "scale": scale, "figures": rows });
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("figures.json");
    std::fs::write(&path, format!("{document:#}\n")).expect("the figures can be written");
    println!("\nwritten to {}", path.display());
}
