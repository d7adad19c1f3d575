"""Case files as tests: one for each case, or one for each target of the rubric.

An unscored reply is skipped with its reason, never failed. What a judge without standing fails is skipped too, unless
`probity_advisory = "fail"`. What the gate blocks is a failure. No judge is asked before the first test runs.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any, Iterable

import pytest

import probity


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("probity_cases", "case files, as patterns from the root folder", type="args", default=[])
    parser.addini("probity_args", "flags of `probity run`", type="args", default=[])
    parser.addini("probity_by", "a test for each `case` or each `target`", default="case")
    parser.addini("probity_advisory", "`skip` or `fail` what a judge without standing fails", default="skip")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    patterns, root = parent.config.getini("probity_cases"), parent.config.rootpath
    is_meant = file_path.is_relative_to(root) and any(map(file_path.relative_to(root).match, patterns))
    return CaseFile.from_parent(parent, path=file_path) if is_meant else None


class CaseFile(pytest.File):
    """The cases of one file, which are scored together when the first of its tests runs."""

    def collect(self) -> Iterable[pytest.Item]:
        try:
            if self.config.getini("probity_by") == "target":
                names = self.called(probity.Result, "check").data["targets"]
            else:
                checked = probity.gate(self.path).data
                names = [_name(row) for row in checked["results"] + checked["skipped"] if row["id"]]
        except probity.ProbityError as error:
            raise self.CollectError(str(error)) from error
        return [CaseTest.from_parent(self, name=name) for name in names]

    def called(self, kind: type[probity.T], command: str) -> probity.T:
        return probity.call(kind, [command, *self.config.getini("probity_args")], [self.path], {})

    @cached_property
    def result(self) -> probity.Run:
        return self.called(probity.Run, "run")

    @cached_property
    def outcomes(self) -> dict[str, tuple[str, str]]:
        """What became of each test, and why."""
        met = {True: "pass", False: "fail", None: "unscored"}
        skipped = {_name(row): ("unscored", row["reason"]) for row in self.result.data["skipped"]}
        rows = {_name(row.data): (row.outcome, "; ".join(row.reasons)) for row in self.result.rows}
        return skipped | rows | {each.metric: (met[each.met], str(each)) for each in self.result.targets}


class CaseTest(pytest.Item):
    """One case, or one target."""

    def runtest(self) -> None:
        file: Any = self.parent
        outcome, why = file.outcomes.get(self.name, ("unscored", "not among the results"))
        if outcome == "unscored":
            pytest.skip(f"unscored: {why}")
        is_advisory = file.result.standing == "advisory" and self.config.getini("probity_advisory") != "fail"
        if outcome == "fail" and is_advisory:
            pytest.skip(f"advisory judge: fail: {why}")
        if outcome in ("fail", "blocked"):
            pytest.fail(f"{outcome}: {why}", pytrace=False)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.path.name}::{self.name}"


def _name(row: dict[str, Any]) -> str:
    return "/".join(filter(None, (row["id"], row.get("variant"))))
