#!/bin/sh
# Once, and again when something of the judge changes: shows what the judge falls for, holds it against what people
# said, and keeps its standing in the store. Exit code 0 when the contract is met. A standing rests on the store alone,
# so the labels go into it first; bringing in the same file again changes nothing.
set -eu
cd "$(dirname "$0")"
probity=${PROBITY:-probity}

"$probity" import labels labels.jsonl --quiet >/dev/null
"$probity" probe --quiet --output probes.json >/dev/null
"$probity" promote calibration.jsonl --contract contract.toml --quiet
