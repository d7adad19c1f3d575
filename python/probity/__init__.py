"""Scores customer-support replies: typed calls of the `probity` program, which this package brings along.

Each function calls the command of its name and returns what it wrote. Further keyword arguments are the command's flags:
`max_calls=100` is `--max-calls=100`, `offline=True` is `--offline`, and a list gives a flag several times.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Union

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped, unused-ignore]

#: A file, several files, records as dictionaries, or a data frame with a row for each case.
Cases = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]], Iterable[Mapping[str, Any]], "pandas.DataFrame"]
Flag = Union[None, bool, str, int, float, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]
T = TypeVar("T")


class ProbityError(Exception):
    """Usage or input is wrong (exit code 2), or the store failed (4). What was answered before is kept."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95 % interval and its denominator."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Level:
    """A judge's level for one criterion. Where there is no `score`, `unscored` says why."""

    score: int | None = None
    reasoning: str | None = None
    points: float | None = None
    unscored: str | None = None


@dataclass(frozen=True)
class Row:
    """A reply with its `outcome` (pass, fail, scored, blocked, unscored) and the `reasons` where it did not pass."""

    id: str
    outcome: str
    total: float | None
    slice: str | None
    variant: str | None
    ticket: str | None
    reply: str | None
    levels: dict[str, Level]
    reasons: list[str]
    data: dict[str, Any]


@dataclass(frozen=True)
class Target:
    """What the rubric asks of a figure; `met` is None where it was not measured."""

    metric: str
    min: float | None
    max: float | None
    value: float | None
    met: bool | None


@dataclass(frozen=True)
class Result:
    """What a command came to: its whole document in `data`, and what it said beside it in `notices`."""

    exit_code: int
    notices: list[str]
    data: dict[str, Any]

    @property
    def complete(self) -> bool:
        """Whether all verdicts are there. Where not, the same call again resumes."""
        return self.exit_code != 3


class Run(Result):
    """Scored replies."""

    @property
    def rows(self) -> list[Row]:
        return [_row(row, self.data) for row in self.data["results"]]

    @property
    def pass_rate(self) -> Estimate | None:
        rate = self.data["summary"]["pass_rate"]
        return rate and _made(Estimate, rate)

    @property
    def targets(self) -> list[Target]:
        return [_made(Target, target) for target in self.data["summary"]["targets"]]

    @property
    def standing(self) -> str:
        """`promoted` or `advisory`: what an advisory judge says informs and must not gate a release."""
        return str(self.data["summary"]["judge"]["standing"])

    def frame(self) -> pandas.DataFrame:
        """A row for each reply, with its ticket, outcome and total, and a level and a reason for each criterion."""
        import pandas

        keys, flat = ("id", "slice", "variant", "outcome", "total", "ticket", "reply"), []
        for row in self.rows:
            flat.append({key: getattr(row, key) for key in keys})
            for name, level in row.levels.items():
                flat[-1].update({name: level.score, f"{name}_reason": level.reasoning or level.unscored})
        return pandas.DataFrame(flat)


class Comparison(Result):
    """Which variant answers better: `winner` is None where none is shown to."""

    @property
    def winner(self) -> str | None:
        return (self.data["decision"] or {}).get("winner")

    @property
    def win_rate(self) -> dict[str, Estimate | None]:
        return {name: rate and _made(Estimate, rate) for name, rate in (self.data["win_rate"] or {}).items()}


def run(cases: Cases, *, judge: str | None = None, **flags: Flag) -> Run:
    """Scores replies: `probity run`."""
    return call(Run, ["run"], [cases], {"judge": judge, **flags})


def compare(*variants: Cases, judge: str | None = None, **flags: Flag) -> Comparison:
    """Says which of the variants, one argument each, answers better: `probity compare`."""
    return call(Comparison, ["compare"], variants, {"judge": judge, **flags})


def calibrate(*cases: Cases, judge: str | None = None, **flags: Flag) -> Result:
    """Measures how well a judge agrees with human labels: `probity calibrate`."""
    return call(Result, ["calibrate"], cases, {"judge": judge, **flags})


def gate(cases: Cases, **flags: Flag) -> Result:
    """Checks replies against the gate's rules, without a judge: `probity gate check`."""
    return call(Result, ["gate", "check"], [cases], flags)


def binary() -> str:
    """Where the program is: `$PROBITY`, beside this Python, or on the path."""
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    path = os.environ.get("PROBITY") or shutil.which("probity", path=os.pathsep.join(folders)) or shutil.which("probity")
    if path is None:
        raise ProbityError("the program `probity` is not installed: pip install probity-eval", 2)
    return path


def call(kind: type[T], words: Sequence[str], inputs: Sequence[Cases], flags: Mapping[str, Flag]) -> T:
    """Calls a command about files or records, and returns what it wrote as `kind`."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as out:
        files = [file for at, cases in enumerate(inputs) for file in _files(cases, Path(folder, f"records-{at + 1}.jsonl"))]
        if words[0] != "gate" and any(file.startswith(folder) for file in files):
            flags = {"name": "records", **flags}
        flagged = [word for name, value in flags.items() for word in _flag(f"--{name.replace('_', '-')}", value)]
        line = [binary(), *words, "--json", *flagged, "--", *files]
        environment = {"PROBITY_PROGRESS_MS": "500", **os.environ}
        child = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, env=environment)
        notices = _watched(child)
        out.seek(0)
        text = out.read()
    if child.returncode not in (0, 1, 3) or not text.strip():
        raise ProbityError("\n".join(notices), child.returncode)
    return kind(child.returncode, notices, json.loads(text))  # type: ignore[call-arg]


def _files(cases: Any, place: Path) -> list[str]:
    """The files of `cases`; records are written to `place`."""
    if isinstance(cases, (str, os.PathLike)):
        return [os.fspath(cases)]
    if hasattr(cases, "to_json"):
        cases.to_json(place, orient="records", lines=True)
        return [str(place)]
    cases = list(cases)
    if all(isinstance(case, (str, os.PathLike)) for case in cases):
        return [os.fspath(case) for case in cases]
    place.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    return [str(place)]


def _flag(flag: str, value: Any) -> list[str]:
    values = value if isinstance(value, (list, tuple)) else [value]
    return [flag if each is True else f"{flag}={each}" for each in values if each is not None and each is not False]


def _watched(child: subprocess.Popen[bytes]) -> list[str]:
    """What the program says until its end. How far it is, is shown in place and not kept."""
    notices, show = [], _display()
    try:
        for raw in child.stderr or ():
            line = raw.decode("utf-8", "replace").rstrip()
            show(line) if re.match(r"\d+ of \d+ done, ", line) else notices.append(line)
    except KeyboardInterrupt:
        child.send_signal(signal.SIGINT)  # It ends cleanly, and the same call again resumes.
        raise
    finally:
        child.wait()
    show("")
    return notices


def _display() -> Callable[[str], object]:
    """What shows a line in place: in a notebook, or on a terminal."""
    if getattr(getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)(), "kernel", None):
        from IPython.display import display  # type: ignore[import-not-found, unused-ignore]

        handle = display({"text/plain": ""}, raw=True, display_id=True)
        return lambda line: handle.update({"text/plain": line}, raw=True)
    if sys.stderr and sys.stderr.isatty():
        return lambda line: sys.stderr.write(f"\r\033[K{line}")
    return lambda line: None


def _row(row: dict[str, Any], document: dict[str, Any]) -> Row:
    levels = {name: _made(Level, row[name]) for name in document["summary"]["criteria"] if row.get(name)}
    reasons = row.get("fail_reasons") or [f"{name}: {level.unscored}" for name, level in levels.items() if level.unscored]
    if row["outcome"] == "blocked":
        reasons = [f"{finding['rule']}: {finding['message']}" for finding in row["gate"]["findings"]]
    return _made(Row, {**row, "levels": levels, "reasons": reasons, "data": row})


def _made(kind: type[T], data: Mapping[str, Any]) -> T:
    return kind(**{each.name: data[each.name] for each in fields(kind) if each.name in data})  # type: ignore[arg-type]
