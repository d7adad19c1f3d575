"""The package against the program: what comes back, what raises, and what pytest makes of a good and a bad bot.

`PROBITY` names the program. Judges are the baseline, which needs no network, and an address where nothing listens.
"""

import json
import sys

import pytest

import probity

pytest_plugins = ["pytester"]

GOOD = "Open your orders, choose the blender and press Refund: the second charge for your card is back within three days."
CASES = [
    {"id": "g-1", "slice": "refund", "ticket": "You charged my card twice for one blender.", "reply": GOOD},
    {"id": "g-2", "slice": "refund", "ticket": "You charged my card twice for one blender.", "reply": "No."},
    {"id": "g-3", "slice": "account", "ticket": "Which address do you have?", "reply": "Mail ann@customer.example, she pays."},
    {"id": "g-4", "reply": "Hello."},
]
NOTHING_LISTENS = {"judge": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(case) + "\n" for case in CASES))
    quick = "[schedule]\nbackoff_ms_first = 2\nbackoff_ms_max = 5\nattempts_max = 1\n"
    (tmp_path / "probity.toml").write_text(quick)
    return tmp_path


def test_records_and_files_come_to_the_same():
    run = probity.run(CASES, judge="baseline", rubric="support-gold")
    outcomes = {row.id: row.outcome for row in run.rows}
    assert outcomes == {"g-1": "pass", "g-2": "fail", "g-3": "blocked"}
    assert run.complete and run.standing == "advisory"
    assert run.pass_rate.n == 3 and run.pass_rate.low <= run.pass_rate.value <= run.pass_rate.high
    assert run.rows[0].levels["accuracy"].score == 4 and "Lexical" in run.rows[0].levels["accuracy"].reasoning
    assert run.rows[1].reasons and run.rows[2].reasons[0].startswith("pii.")
    assert [target.metric for target in run.targets if target.met is not None]
    assert run.data["skipped"][0]["id"] == "g-4"
    of_file = probity.run("gold.jsonl", judge="baseline", rubric="support-gold")
    assert of_file.rows == run.rows
    assert [row.id for row in probity.run("gold.jsonl", judge="baseline", slice=["account"]).rows] == ["g-3"]


def test_usage_raises_and_an_unreachable_judge_does_not():
    with pytest.raises(probity.ProbityError, match="missing.jsonl") as raised:
        probity.run("missing.jsonl")
    assert raised.value.exit_code == 2
    run = probity.run("gold.jsonl", **NOTHING_LISTENS)
    assert not run.complete and {row.outcome for row in run.rows} == {"unscored", "blocked"}
    assert "relevance: " in run.rows[0].reasons[0]
    assert run.notices[-1].startswith("incomplete: ")


def test_gate_compare_and_calibrate():
    checked = probity.gate(CASES)
    assert checked.exit_code == 1 and checked.data["summary"]["blocked"] == 1
    old = [{**case, "reply": "No, sorry."} for case in CASES[:2]]
    compared = probity.compare(old, CASES[:2], judge="baseline", rubric="pairwise-support")
    assert compared.data["pairs"] == 2 and compared.winner is None
    labels = [{"item": "g-1", "annotator": "ann", "label": "pass"}, {"item": "g-2", "annotator": "ann", "label": "fail"}]
    with open("labels.jsonl", "w") as file:
        file.writelines(json.dumps(label) + "\n" for label in labels)
    measured = probity.calibrate("gold.jsonl", labels="labels.jsonl", judge="baseline", rubric="support-gold")
    assert measured.data["judges"]


def test_frames():
    pandas = pytest.importorskip("pandas")
    frame = probity.run(pandas.DataFrame(CASES[:3]), judge="baseline", rubric="support-gold").frame()
    assert list(frame["outcome"]) == ["pass", "fail", "blocked"]
    assert {"ticket", "reply", "tone", "tone_reason"} <= set(frame.columns)


def test_a_notebook_sees_how_far_it_is(monkeypatch):
    shown = []

    class Handle:
        def update(self, line, raw):
            shown.append(line["text/plain"])

    class Shell:
        kernel = True

    class IPython:
        get_ipython = staticmethod(Shell)

        class display:
            display = staticmethod(lambda *_, **__: Handle())

    monkeypatch.setitem(sys.modules, "IPython", IPython)
    monkeypatch.setitem(sys.modules, "IPython.display", IPython.display)
    monkeypatch.setenv("PROBITY_PROGRESS_MS", "1")
    program = "import sys, time, json\nfor line in sys.stdin: time.sleep(0.05); print(json.dumps({'error': 'no'}), flush=True)\n"
    with open("judge.py", "w") as file:
        file.write(program)
    with open("probity.toml", "a") as file:
        file.write(f'[judges.slow]\nkind = "command"\ncommand = [{json.dumps(sys.executable)}, "judge.py"]\n')
    probity.run("gold.jsonl", judge="slow", trust_settings=True)
    assert any(" of 4 done, " in line for line in shown) and shown[-1] == ""


def pytest_outcome(pytester, settings):
    pytester.makepyprojecttoml(f'[tool.pytest.ini_options]\nprobity_cases = ["gold.jsonl"]\n{settings}')
    arguments = ("-rs", "-p", "no:cacheprovider", *(() if _is_installed() else ("-p", "probity.pytest_plugin")))
    return pytester.runpytest(*arguments)


def _is_installed():
    from importlib.metadata import entry_points

    return any(point.value == "probity.pytest_plugin" for point in entry_points(group="pytest11"))


def gold(pytester, cases):
    pytester.path.joinpath("gold.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))


BASELINE = 'probity_args = ["--rubric", "support-gold", "--judge", "baseline"]\n'


def test_a_good_bot_is_green(pytester):
    gold(pytester, CASES[:1])
    pytest_outcome(pytester, BASELINE).assert_outcomes(passed=1)


def test_a_bad_bot_is_red_where_it_is_asked_for(pytester):
    gold(pytester, CASES)
    skipped = pytest_outcome(pytester, BASELINE)
    skipped.assert_outcomes(passed=1, skipped=2, failed=1)
    skipped.stdout.fnmatch_lines(["*advisory judge: fail: *", "*unscored: Missing 'ticket' field*"])
    failed = pytest_outcome(pytester, BASELINE + 'probity_advisory = "fail"\n')
    failed.assert_outcomes(passed=1, skipped=1, failed=2)
    failed.stdout.fnmatch_lines(["fail: *below 70*", "blocked: pii.*"])


def test_a_judge_that_is_down_fails_no_test(pytester):
    gold(pytester, CASES[:2])
    pytester.path.joinpath("probity.toml").write_text("[schedule]\nattempts_max = 1\nbackoff_ms_first = 2\n")
    down = ", ".join(json.dumps(f"--{key.replace('_', '-')}={value}") for key, value in NOTHING_LISTENS.items())
    ran = pytest_outcome(pytester, f'probity_args = [{down}]\nprobity_advisory = "fail"\n')
    ran.assert_outcomes(skipped=2)
    ran.stdout.fnmatch_lines(["*unscored: relevance: *"])


def test_one_test_for_each_target(pytester):
    gold(pytester, CASES[:2])
    ran = pytest_outcome(pytester, BASELINE + 'probity_by = "target"\nprobity_advisory = "fail"\n')
    outcomes = ran.parseoutcomes()
    assert outcomes["failed"] >= 1 and outcomes["skipped"] >= 1
    ran.stdout.fnmatch_lines(["*gold.jsonl::pass_rate*"])


def test_a_file_that_cannot_be_read_is_an_error(pytester):
    pytester.path.joinpath("gold.jsonl").write_text("{")
    ran = pytest_outcome(pytester, BASELINE)
    assert ran.parseoutcomes().get("errors") == 1
