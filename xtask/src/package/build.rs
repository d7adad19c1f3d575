//! What is built: the program for each target, and what it is packed in.
//!
//! The same tree gives the same bytes: paths of the machine are kept out of the program, archives have no times but that
//! of the last commit and no owners, and nothing depends on the order of a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{PackagePart, PackagePlace, copy, failed, fresh, program as tool, read, size, write};
use crate::step::{self, StepFailure};

/// The tools by which packages are made, from Python's index.
const TOOLS: [&str; 2] = ["maturin==1.16.0", "ziglang==0.17.0"];

/// The crates, each after those it uses.
const CRATES: [&str; 6] =
    ["probity-stats", "probity-gate", "probity-core", "probity-engine", "probity-mock", "probity"];

/// Installs the tools where they are missing.
pub(super) fn tools(place: &PackagePlace) -> Result<PackagePart, StepFailure> {
    let python = place.tools.join("bin/python");
    if !python.exists() {
        step::captured(tool("python3", ["-m", "venv"]).arg(&place.tools))?;
    }
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    step::captured(tool(&python, install).args(TOOLS))?;
    Ok(PackagePart::Made(TOOLS.join(" ")))
}

/// Builds the program for `target` and its wheel, and returns where the program is. Everything is packed from this one
/// build: another command would tell the compiler of C otherwise, and compile all of it again.
pub(super) fn program(place: &PackagePlace, target: &str) -> Result<PathBuf, StepFailure> {
    built(place, target, &place.root, &place.out)
}

fn built(place: &PackagePlace, target: &str, root: &Path, out: &Path) -> Result<PathBuf, StepFailure> {
    step::captured(tool("rustup", ["target", "add", target]))?;
    let mut maturin =
        tool(place.tools.join("bin/maturin"), ["build", "--quiet", "--zig", "--target", target]);
    if target.contains("linux") {
        // The program is static: it runs beside either C library.
        maturin.args(["--compatibility", "manylinux2014", "--compatibility", "musllinux_1_1"]);
    }
    maturin.arg("--out").arg(out).current_dir(root.join("python"));
    step::captured(reproducible(maturin, place, root))?;
    let name = if target.contains("windows") { "probity.exe" } else { "probity" };
    Ok(place.root.join("target").join(target).join("dist").join(name))
}

/// The command in an environment that leaves no trace of this machine in what it makes.
fn reproducible(mut command: Command, place: &PackagePlace, root: &Path) -> Command {
    let home = std::env::var("CARGO_HOME").map(PathBuf::from);
    let home =
        home.unwrap_or_else(|_| PathBuf::from(std::env::var("HOME").unwrap_or_default()).join(".cargo"));
    let parts = [(root, "probity"), (home.as_path(), "cargo")];
    let rust = parts.map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
    let c = parts.map(|(from, to)| format!("-ffile-prefix-map={}={to}", from.display()));
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", place.tools.join("bin").display()));
    command.env("RUSTFLAGS", rust.join(" ")).env("CFLAGS", c.join(" "));
    // The allocator names the day on which it was compiled for Windows, which is that of the last commit here.
    command.env("CFLAGS_x86_64_pc_windows_gnu", format!("{} -Wno-date-time", c.join(" ")));
    command.env("CARGO_TARGET_DIR", place.root.join("target")).env("CARGO_INCREMENTAL", "0");
    command.env("SOURCE_DATE_EPOCH", moment(place));
    command
}

/// The time of the last commit, in seconds.
fn moment(place: &PackagePlace) -> String {
    let mut git = tool("git", ["log", "-1", "--format=%ct"]);
    git.current_dir(&place.root);
    step::captured(git).map_or_else(|_| "0".to_owned(), |text| text.trim().to_owned())
}

/// Builds a copy of the tree in another folder: it has to come to the same bytes.
pub(super) fn again(place: &PackagePlace, target: &str, program: &Path) -> Result<PackagePart, StepFailure> {
    let first = digest(program)?;
    let copy = std::env::temp_dir().join(format!("probity-again-{}", std::process::id()));
    fresh(&copy)?;
    let mut archive = tool("sh", ["-c", "git ls-files -z | xargs -0 tar c | tar x -C \"$0\""]);
    step::captured(archive.arg(&copy).current_dir(&place.root))?;
    let second = built(place, target, &copy, &copy.join("wheels")).and_then(|program| digest(&program));
    // A copy that stays among the temporary files does no harm.
    let _ = fs::remove_dir_all(&copy);
    match second? {
        second if second == first => Ok(PackagePart::Made(format!("SHA-256 {first}"))),
        second => Err(failed("building twice", &format!("{first} and then {second}"))),
    }
}

fn digest(file: &Path) -> Result<String, StepFailure> {
    let text = step::captured(tool("sha256sum", []).arg(file))?;
    Ok(text.split(' ').next().unwrap_or_default().to_owned())
}

/// The program with its licences, completions and man pages.
pub(super) fn archive(
    place: &PackagePlace,
    target: &str,
    program: &Path,
) -> Result<PackagePart, StepFailure> {
    let name = format!("probity-{}-{target}", place.version);
    let folder = place.out.join("archive").join(&name);
    fresh(&folder)?;
    copy(program, &folder.join(program.file_name().unwrap_or_default()))?;
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"] {
        copy(&place.root.join(file), &folder.join(file))?;
    }
    fresh(&folder.join("completions"))?;
    let host = place.root.join("target").join(super::TARGET).join("dist/probity");
    if host.exists() {
        for (shell, file) in [("bash", "probity.bash"), ("zsh", "_probity"), ("fish", "probity.fish")] {
            write(
                &folder.join("completions").join(file),
                step::captured(tool(&host, ["completions", shell]))?,
            )?;
        }
        step::captured(tool(&host, ["completions", "--man"]).arg(folder.join("man")))?;
    }
    let packed = place.out.join(format!("{name}.tar.gz"));
    let script =
        "tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=\"@$1\" -c \"$2\" | gzip -9n > \"$0\"";
    let mut tar = tool("sh", ["-c", script]);
    step::captured(tar.arg(&packed).arg(moment(place)).arg(&name).current_dir(place.out.join("archive")))?;
    Ok(PackagePart::Made(size(&packed)))
}

/// The wheel with the program and the Python package, as it was built.
pub(super) fn wheel(place: &PackagePlace, target: &str) -> Result<PackagePart, StepFailure> {
    let wheel = newest(&place.out, |name| name.contains(".whl") && is_for(name, target));
    wheel.map(|wheel| PackagePart::Made(size(&wheel))).ok_or_else(|| failed("maturin build", &"no wheel"))
}

/// Whether the tags of a wheel name the machine of `target`.
fn is_for(wheel: &str, target: &str) -> bool {
    let machine =
        if target.contains("windows") { "win_amd64" } else { target.split('-').next().unwrap_or_default() };
    wheel.contains(machine)
}

/// The last file of `folder` by name that is `wanted`.
pub(super) fn newest(folder: &Path, wanted: impl Fn(&str) -> bool) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    entries.filter(|path| path.file_name().is_some_and(|name| wanted(&name.to_string_lossy()))).max()
}

/// The package for npm that has the program for one system.
pub(super) fn npm(place: &PackagePlace, target: &str, program: &Path) -> Result<PackagePart, StepFailure> {
    let cpu = if target.starts_with("aarch64") { "arm64" } else { "x64" };
    let os = if target.contains("windows") { "win32" } else { "linux" };
    let (name, version) = (format!("probity-eval-{os}-{cpu}"), &place.version);
    let folder = place.out.join("npm").join(&name);
    fresh(&folder)?;
    copy(program, &folder.join("bin").join(program.file_name().unwrap_or_default()))?;
    let manifest = format!(
        "{{\n  \"name\": \"{name}\",\n  \"version\": \"{version}\",\n  \"description\": \"The program of probity-eval\",\n  \
         \"license\": \"MIT OR Apache-2.0\",\n  \"os\": [\"{os}\"],\n  \"cpu\": [\"{cpu}\"],\n  \"files\": [\"bin\"]\n}}\n"
    );
    write(&folder.join("package.json"), manifest)?;
    npm_pack(place, &folder)
}

/// The package that people name, which starts the program of their system.
pub(super) fn npm_wrapper(place: &PackagePlace) -> Result<PackagePart, StepFailure> {
    let folder = place.root.join("npm");
    if !read(&folder.join("package.json"))?.contains(&format!("\"version\": \"{}\"", place.version)) {
        return Err(failed("npm/package.json", &format!("expected version {}", place.version)));
    }
    npm_pack(place, &folder)
}

fn npm_pack(place: &PackagePlace, folder: &Path) -> Result<PackagePart, StepFailure> {
    if !step::has_version(Command::new("npm")) {
        return Ok(PackagePart::Skipped("npm is not installed".to_owned()));
    }
    let mut npm = tool("npm", ["pack", "--silent", "--pack-destination"]);
    let said = step::captured(npm.arg(&place.out).arg(folder))?;
    let packed = said.lines().find(|line| line.contains(".tgz")).unwrap_or_default().to_owned();
    Ok(PackagePart::Made(size(&place.out.join(packed))))
}

/// The image with the program and nothing else.
pub(super) fn image(place: &PackagePlace, program: &Path) -> Result<PackagePart, StepFailure> {
    if !step::has_version(Command::new("buildah")) {
        return Ok(PackagePart::Skipped("buildah is not installed".to_owned()));
    }
    let folder = place.out.join("image");
    fresh(&folder.join("tmp"))?;
    copy(program, &folder.join("probity"))?;
    let certificates = Path::new("/etc/ssl/certs/ca-certificates.crt");
    if !certificates.exists() {
        return Ok(PackagePart::Skipped(
            "there are no certificates of authorities on this machine".to_owned(),
        ));
    }
    copy(certificates, &folder.join("ca-certificates.crt"))?;
    let image = format!("probity:{}", place.version);
    let mut build = buildah(["build", "--quiet", "--isolation", "chroot", "--tag", &image, "--timestamp"]);
    build.arg(moment(place)).arg("--file").arg(place.root.join("container/Containerfile")).arg(&folder);
    step::captured(build)?;
    let packed = place.out.join(format!("probity-{}-image.tar", place.version));
    let to = format!("oci-archive:{}:{image}", packed.display());
    step::captured(buildah(["push", "--quiet", &image, &to]))?;
    Ok(PackagePart::Made(size(&packed)))
}

/// Buildah with the storage that needs nothing of the kernel, so that it works inside containers too.
pub(super) fn buildah<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    tool("buildah", ["--storage-driver", "vfs"].into_iter().chain(arguments))
}

/// The crates as they would be published, each built from what is in its package. They share the folder of all other
/// builds: without it, cargo would build every dependency anew for each.
pub(super) fn crates(place: &PackagePlace) -> Result<PackagePart, StepFailure> {
    let mut cargo = step::cargo(["package", "--locked", "--quiet", "--allow-dirty"]);
    cargo.args(CRATES.iter().flat_map(|name| ["--package", name]));
    step::captured(cargo.env("CARGO_TARGET_DIR", place.root.join("target")))?;
    let mut sizes = Vec::new();
    for name in CRATES {
        let file = format!("{name}-{}.crate", place.version);
        copy(&place.root.join("target/package").join(&file), &place.out.join(&file))?;
        sizes.push(size(&place.out.join(file)));
    }
    Ok(PackagePart::Made(sizes.join(", ")))
}

/// The digests of everything that is published.
pub(super) fn checksums(place: &PackagePlace) -> Result<PackagePart, StepFailure> {
    let script =
        "sha256sum -- *.tar.gz *.whl *.tgz *.crate *.json *.tar 2>/dev/null > SHA256SUMS; wc -l < SHA256SUMS";
    let mut sums = tool("sh", ["-c", script]);
    let n = step::captured(sums.current_dir(&place.out))?;
    Ok(PackagePart::Made(format!("SHA256SUMS, {} files", n.trim())))
}
