//! The bill of materials: every crate that is in the program for a target, with version, licence and digest, as
//! `CycloneDX` has it. It is made of what cargo itself says, so it has what was built and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use super::{PackagePart, PackagePlace, read};
use crate::step::{self, StepFailure};

/// Writes the bill for `target`.
pub(super) fn write_bill(tree: &str, lock: &str, version: &str) -> String {
    let digests = digests(lock);
    let crates: BTreeSet<(String, String, String)> = tree.lines().filter_map(entry).collect();
    let component = |(name, version, licence): &(String, String, String)| {
        let hash = digests
            .get(&(name.as_str(), version.as_str()))
            .map(|digest| format!(", \"hashes\": [{{ \"alg\": \"SHA-256\", \"content\": \"{digest}\" }}]"));
        format!(
            "    {{ \"type\": \"library\", \"name\": \"{name}\", \"version\": \"{version}\", \
             \"purl\": \"pkg:cargo/{name}@{version}\", \"licenses\": [{{ \"expression\": \"{licence}\" }}]{} }}",
            hash.unwrap_or_default()
        )
    };
    let components: Vec<String> = crates.iter().map(component).collect();
    format!(
        "{{\n  \"bomFormat\": \"CycloneDX\",\n  \"specVersion\": \"1.6\",\n  \"version\": 1,\n  \"metadata\": {{ \
         \"component\": {{ \"type\": \"application\", \"name\": \"probity\", \"version\": \"{version}\" }} }},\n  \
         \"components\": [\n{}\n  ]\n}}\n",
        components.join(",\n")
    )
}

pub(super) fn write(place: &PackagePlace, target: &str) -> Result<PackagePart, StepFailure> {
    let arguments =
        ["tree", "--locked", "--quiet", "--package", "probity", "--edges", "normal", "--prefix", "none"];
    let tree = step::captured(step::cargo(arguments).args(["--format", "{p}|{l}", "--target", target]))?;
    let bill = write_bill(&tree, &read(&place.root.join("Cargo.lock"))?, &place.version);
    let name = format!("probity-{}-{target}.cdx.json", place.version);
    super::write(&place.out.join(&name), &bill)?;
    Ok(PackagePart::Made(format!("{name}, {} crates", bill.matches("\"purl\"").count())))
}

/// A line of the tree: name, version and licence. A crate that was listed before ends with `(*)`.
fn entry(line: &str) -> Option<(String, String, String)> {
    let (package, licence) = line.trim_end_matches(" (*)").split_once('|')?;
    let mut words = package.split(' ');
    let (name, version) = (words.next()?, words.next()?.trim_start_matches('v'));
    Some((name.to_owned(), version.to_owned(), licence.trim().replace('/', " OR ")))
}

/// The digests of the lock file, by name and version.
fn digests(lock: &str) -> BTreeMap<(&str, &str), &str> {
    let value = |package: &'_ str, key: &str| -> Option<(usize, usize)> {
        let start = package.find(&format!("\n{key} = \""))? + key.len() + 5;
        Some((start, start + package[start..].find('"')?))
    };
    let mut found = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        let text = |key| value(package, key).map(|(start, end)| &package[start..end]);
        if let (Some(name), Some(version), Some(digest)) = (text("name"), text("version"), text("checksum")) {
            found.insert((name, version), digest);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crate_is_listed_once_with_its_digest() {
        let tree = "probity v0.1.0 (/home)|MIT OR Apache-2.0\nserde v1.0.2|MIT/Apache-2.0\nserde v1.0.2|MIT/Apache-2.0 (*)\n";
        let lock = "[[package]]\nname = \"serde\"\nversion = \"1.0.2\"\nchecksum = \"ab\"\n";
        let bill = write_bill(tree, lock, "0.1.0");
        assert_eq!(bill.matches("\"purl\"").count(), 2, "{bill}");
        assert!(bill.contains("pkg:cargo/serde@1.0.2\", \"licenses\": [{ \"expression\": \"MIT OR Apache-2.0\" }], \"hashes\": [{ \"alg\": \"SHA-256\", \"content\": \"ab\" }]"), "{bill}");
    }
}
