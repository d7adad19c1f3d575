#!/bin/sh
# Once, and again when something of the judge changes: shows what the judge falls for, holds it against what people
# said, and keeps its standing in the store. Exit code 0 when the contract is met.
set -eu
cd "$(dirname "$0")"
probity=${PROBITY:-probity}

"$probity" probe --quiet --output probes.json >/dev/null
"$probity" promote calibration.jsonl --contract contract.toml --labels labels.jsonl --quiet
