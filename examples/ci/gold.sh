#!/bin/sh
# The gold set in CI. The exit code is that of `probity run --enforce`:
#   0  the targets are met by a judge that has earned its standing
#   1  they are not: the change makes replies worse
#   3  nobody knows: the judge could not be asked; the same call again goes on where this one stopped
set -u
cd "$(dirname "$0")"
probity=${PROBITY:-probity}

"$probity" run gold.jsonl --enforce --output results.json \
    --report report.html --report junit.xml --report summary.md
code=$?
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f summary.md ]; then
    cat summary.md >>"$GITHUB_STEP_SUMMARY"
fi
exit "$code"
