//! Every way in, tried in a clean place: what was packed is installed in an empty folder, with an empty environment, and
//! says what the README shows.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::build::{buildah, newest};
use super::{PackagePart, PackagePlace, copy, failed, fresh, program as tool, write};
use crate::step::{self, StepFailure};

/// A way in: installs and tries what was packed.
type Door = fn(&PackagePlace, &Path) -> Result<PackagePart, StepFailure>;

/// Every way in, by name.
pub(super) const DOORS: [(&str, Door); 6] = [
    ("archive", archive),
    ("pip", pip),
    ("npm", npm),
    ("container", container),
    ("cargo", cargo),
    ("Windows, by Wine", wine),
];

/// A line of the first command's output, as the README shows it.
const FIRST_LINE: &str = "11 replies · 10 scored · 0 unscored · 1 blocked · 1 record skipped";

/// An empty folder with the example in it.
fn clean(name: &str, place: &PackagePlace) -> Result<PathBuf, StepFailure> {
    let folder = std::env::temp_dir().join(format!("probity-door-{name}-{}", std::process::id()));
    fresh(&folder)?;
    copy(&place.root.join("examples/tickets.json"), &folder.join("tickets.json"))?;
    Ok(folder)
}

/// Nothing of this machine's settings and keys.
fn bare(mut command: Command, folder: &Path) -> Command {
    command.current_dir(folder).env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", folder);
    // What Wine says about itself is not what the program says.
    command.env("WINEDEBUG", "-all");
    command
}

/// Runs the first command and looks at what it says.
fn first_command(command: Command, folder: &Path, flags: &[&str]) -> Result<PackagePart, StepFailure> {
    let started = Instant::now();
    let mut command = bare(command, folder);
    let said = step::captured(command.args(["run", "tickets.json"]).args(flags))?;
    let took = started.elapsed().as_secs_f64();
    // A folder that stays among the temporary files does no harm.
    let _ = fs::remove_dir_all(folder);
    match said.lines().find(|line| *line == FIRST_LINE) {
        Some(line) => Ok(PackagePart::Made(format!("first command {took:.2} s: {line}"))),
        None => Err(failed("the first command", &said)),
    }
}

fn archive(place: &PackagePlace, _: &Path) -> Result<PackagePart, StepFailure> {
    let folder = clean("archive", place)?;
    let name = format!("probity-{}-{}", place.version, super::TARGET);
    let packed = place.out.join(format!("{name}.tar.gz"));
    step::captured(tool("tar", ["xzf"]).arg(packed).current_dir(&folder))?;
    first_command(Command::new(folder.join(name).join("probity")), &folder, &[])
}

fn pip(place: &PackagePlace, _: &Path) -> Result<PackagePart, StepFailure> {
    let folder = clean("pip", place)?;
    let wheel = newest(&place.out, |name| name.contains("linux_x86_64") || name.contains("linux_1_1_x86_64"));
    let wheel = wheel.ok_or_else(|| failed("pip install", &"there is no wheel for this machine"))?;
    let python = folder.join("venv/bin/python");
    step::captured(bare(tool("python3", ["-m", "venv", "venv"]), &folder))?;
    let install = ["-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check"];
    step::captured(bare(tool(&python, install), &folder).arg(wheel))?;
    let script =
        "import probity; r = probity.run('tickets.json'); assert len(r.rows) == 11 and r.complete, r";
    step::captured(bare(tool(&python, ["-c", script]), &folder))?;
    first_command(Command::new(folder.join("venv/bin/probity")), &folder, &[])
}

fn npm(place: &PackagePlace, _: &Path) -> Result<PackagePart, StepFailure> {
    let folder = clean("npm", place)?;
    let (of_system, wrapper) = (
        place.out.join(format!("probity-eval-linux-x64-{}.tgz", place.version)),
        place.out.join(format!("probity-eval-{}.tgz", place.version)),
    );
    if !wrapper.exists() {
        return Ok(PackagePart::Skipped("npm is not installed".to_owned()));
    }
    let install = ["install", "--silent", "--no-audit", "--no-fund", "--offline", "--omit=optional"];
    step::captured(bare(tool("npm", install), &folder).arg(wrapper).arg(of_system))?;
    first_command(Command::new(folder.join("node_modules/.bin/probity")), &folder, &[])
}

fn container(place: &PackagePlace, _: &Path) -> Result<PackagePart, StepFailure> {
    let packed = place.out.join(format!("probity-{}-image.tar", place.version));
    if !packed.exists() {
        return Ok(PackagePart::Skipped("there is no image".to_owned()));
    }
    let folder = clean("container", place)?;
    let from = format!("oci-archive:{}", packed.display());
    let container = step::captured(buildah(["from", "--quiet", &from]))?;
    let container = container.trim();
    let mut run = buildah(["run", "--isolation", "chroot", "--user", "0", "--volume"]);
    run.arg(format!("{}:/work", folder.display())).args([container, "/usr/bin/probity"]);
    let ran = first_command(run, &folder, &[]);
    step::captured(buildah(["rm", container]))?;
    ran
}

fn cargo(place: &PackagePlace, _: &Path) -> Result<PackagePart, StepFailure> {
    let folder = clean("cargo", place)?;
    let mut install =
        step::cargo(["install", "--locked", "--quiet", "--debug", "--path", "crates/probity", "--root"]);
    step::captured(install.arg(&folder).env("CARGO_TARGET_DIR", place.root.join("target")))?;
    first_command(Command::new(folder.join("bin/probity")), &folder, &[])
}

/// The program for Windows: a run that is stopped, and the first command, which resumes it.
fn wine(place: &PackagePlace, _: &Path) -> Result<PackagePart, StepFailure> {
    let name = format!("probity-{}-x86_64-pc-windows-gnu", place.version);
    let packed = place.out.join(format!("{name}.tar.gz"));
    if !packed.exists() || !step::has_version(Command::new("wine")) {
        return Ok(PackagePart::Skipped(
            "Wine is not installed, or nothing was built for Windows".to_owned(),
        ));
    }
    let folder = clean("wine", place)?;
    step::captured(tool("tar", ["xzf"]).arg(packed).current_dir(&folder))?;
    let program = folder.join(name).join("probity.exe");
    random_numbers(place, &program)?;
    let mut stopped = bare(tool("wine", []), &folder);
    let stopped = stopped.arg(&program).args(["run", "tickets.json", "--quiet", "--max-calls", "5"]).status();
    match stopped.map(|status| status.code()) {
        Ok(Some(3)) => {}
        other => {
            return Err(failed(
                "a run that is stopped, by Wine",
                &format!("{other:?}, expected exit code 3"),
            ));
        }
    }
    let mut command = Command::new("wine");
    command.arg(&program);
    // The limit belongs to the run, so it is raised to go on.
    first_command(command, &folder, &["--max-calls", "100"])
}

/// Puts the library by which Windows draws random numbers beside the program: Wine before version 9 has none.
fn random_numbers(place: &PackagePlace, program: &Path) -> Result<(), StepFailure> {
    const SOURCE: &str = "#include <windows.h>\nBOOLEAN NTAPI SystemFunction036(PVOID, ULONG);\n\
        __declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE to, SIZE_T n) { return SystemFunction036(to, (ULONG)n); }\n";
    let source = program.with_file_name("prng.c");
    write(&source, SOURCE)?;
    let words = ["-m", "ziglang", "cc", "-target", "x86_64-windows-gnu", "-shared", "-ladvapi32", "-o"];
    let mut zig = tool(place.tools.join("bin/python"), words);
    step::captured(zig.arg(program.with_file_name("bcryptprimitives.dll")).arg(source)).map(drop)
}
