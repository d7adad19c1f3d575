//! One test per fault, named after its number.

use serde_json::json;

use super::{FORMS, Form, N_PACKETS, QUICK, Scene};
use crate::binary::Ran;
use crate::guarantees::shim::{Fault, library};

/// The run comes through with this fault in its way, at the usual price.
#[track_caller]
fn check(form: Form, faults: &[&str]) -> (Scene, Ran) {
    let scene = Scene::new(form, faults);
    let ran = scene.batch();
    assert_eq!(ran.code, Some(0), "{form:?} {faults:?}\n{}", ran.stderr);
    scene.check_results();
    scene.check_bill();
    (scene, ran)
}

/// The run stops with this code and says this, and nothing was billed but the call that went ahead.
#[track_caller]
fn check_stops(form: Form, fault: &str, code: i32, words: &str) -> Scene {
    let scene = Scene::new(form, &[fault]);
    let ran = scene.batch();
    assert_eq!(ran.code, Some(code), "{form:?} {fault}\n{}", ran.stderr);
    assert!(ran.stderr.contains(words), "{form:?} {fault}: expected {words:?} in\n{}", ran.stderr);
    scene
}

/// As [`check_stops`]; the next run, after the fault, finds everything at the usual price.
#[track_caller]
fn check_resumes(form: Form, fault: &str, words: &str) {
    let scene = check_stops(form, fault, 3, words);
    scene.batch().code(0);
    scene.check_results();
    scene.check_bill();
}

#[test]
fn b02_the_reply_to_an_upload_is_lost() {
    let (scene, _) = check(Form::Files, &["B02"]);
    assert_eq!(scene.n_batches(), 1);
}

#[test]
fn b03_a_file_is_not_visible_at_once() {
    check(Form::Files, &["B03=3"]);
}

#[test]
fn b04_the_reply_to_a_create_is_lost_and_no_second_one_is_sent() {
    for form in FORMS {
        let (scene, ran) = check(form, &["B04"]);
        assert_eq!(scene.n_batches(), 1, "{form:?}");
        assert!(ran.stderr.contains("was made after all and is adopted"), "{}", ran.stderr);
    }
}

#[test]
fn b04_b07_a_batch_that_is_listed_late_is_found_late() {
    let settings = QUICK.replace("search_ms = 1\n", "search_ms = 60000\n");
    let scene = Scene::with(Form::Files, &settings, &["--batch-fault", "B04", "--batch-fault", "B07"]);
    scene.batch().code(0).says(["looking for it, and not making another one", "adopted"]);
    scene.check_results();
    scene.check_bill();
    assert_eq!(scene.n_batches(), 1);
}

#[test]
fn b05_a_create_that_is_refused_stops_the_run() {
    for form in FORMS {
        let scene = check_stops(form, "B05", 3, "batches cannot be made: status 400");
        scene.batch().code(0);
        scene.check_bill();
    }
}

#[test]
fn b06_a_create_that_is_put_off_is_sent_again() {
    for form in FORMS {
        check(form, &["B06=2"]);
    }
}

#[test]
fn b08_of_two_batches_that_look_alike_the_one_with_our_ids_is_adopted() {
    let (scene, _) = check(Form::Inline, &["B04", "B08"]);
    assert_eq!(scene.n_batches(), 1);
}

#[test]
fn b11_too_many_tokens_in_the_queue_make_smaller_batches() {
    let (scene, ran) = check(Form::Files, &["B11"]);
    assert!(ran.stderr.contains("asking with smaller ones"), "{}", ran.stderr);
    assert!(scene.n_batches() >= 3);
}

#[test]
fn b12_a_fault_in_a_line_stops_the_run_and_is_shown() {
    check_stops(Form::Files, "B12", 3, "line 1: This line is not parseable");
}

#[test]
fn b13_a_failure_without_a_word_is_tried_once_more() {
    check(Form::Files, &["B13"]);
    check_stops(Form::Files, "B13=2", 3, "it does not say why");
}

#[test]
fn b15_lines_that_are_missing_are_listed_and_asked_again() {
    for form in FORMS {
        let (scene, ran) = check(form, &["B15"]);
        assert!(ran.stderr.contains("possibly billed, not recorded"), "{}", ran.stderr);
        assert_eq!(scene.n_lost(), 4, "{form:?}: a third of eleven");
        assert_eq!(scene.billed().values().sum::<usize>(), N_PACKETS + 4);
    }
}

#[test]
fn b16_b44_b55_errors_inside_are_asked_again() {
    for form in FORMS {
        let (scene, _) = check(form, &["B16"]);
        assert_eq!((scene.n_batches(), scene.n_lost()), (2, 0), "{form:?}");
        check(form, &["B44"]);
    }
}

#[test]
fn b17_b18_files_without_a_name_and_lines_in_both() {
    check(Form::Files, &["B17"]);
    check(Form::Files, &["B18"]);
}

#[test]
fn b19_b20_what_expired_or_was_cancelled_half_way_is_asked_again_and_the_rest_is_not() {
    for form in FORMS {
        for fault in ["B19", "B20"] {
            let (scene, _) = check(form, &[fault]);
            assert_eq!((scene.n_batches(), scene.n_lost()), (2, 0), "{form:?} {fault}");
        }
    }
}

#[test]
fn b21_b25_a_batch_that_never_ends_can_be_cancelled() {
    for form in FORMS {
        let scene = Scene::new(form, &["B25", "B21"]);
        scene.run(&["--batch", "--no-wait"]).code(3);
        let list = Ran::of(scene.rehearsal.binary(&["batch", "list", "--json"])).code(0).json();
        let id = list["batches"][0]["batch"].as_str().unwrap().to_owned();
        Ran::of(scene.rehearsal.binary(&["batch", "cancel", &id]))
            .code(0)
            .says(["its host has it as cancel"]);
        scene.batch().code(0);
        scene.check_results();
        scene.check_bill();
        assert_eq!(scene.n_lost(), 0);
    }
}

#[test]
fn b22_b24_what_is_not_final_is_waited_for() {
    for form in FORMS {
        check(form, &["B22"]);
        let (_, ran) = check(form, &["B24"]);
        assert!(ran.stderr.contains("resting"), "{}", ran.stderr);
    }
}

#[test]
fn b28_b29_b30_b66_lines_that_come_twice_or_from_strangers() {
    for form in FORMS {
        for (fault, words) in [
            ("B28", "1 lines that came twice"),
            ("B29", "1 lines that came twice and differ; the first counts"),
            ("B30", "1 lines that answer none of its requests"),
            ("B66", "1 lines that answer none of its requests"),
        ] {
            let (_, ran) = check(form, &[fault]);
            assert!(ran.stderr.contains(words), "{form:?} {fault}: {}", ran.stderr);
        }
    }
}

#[test]
fn b31_a_batch_of_another_key_is_not_gone() {
    let scene = Scene::new(Form::Files, &[]);
    scene.run(&["--batch", "--no-wait"]).code(3);
    let mut other = scene.command(&["--batch"]);
    other.env("OPENAI_API_KEY", "sk-another");
    Ran::of(other).code(3).says(["ask with the key that it was made with"]);
    scene.batch().code(0);
    scene.check_bill();
    let store = scene.rehearsal.files().into_iter().filter(|path| path.to_string_lossy().contains("store"));
    for file in store {
        let bytes = std::fs::read(file).unwrap();
        assert!(!bytes.windows(7).any(|window| window == b"sk-mock"), "no key is in the store");
    }
}

#[test]
fn b32_b33_what_has_vanished_is_undecided_until_a_person_says_so() {
    for form in FORMS {
        for fault in ["B32", "B33"] {
            let scene = check_stops(form, fault, 3, "--release");
            let billed = scene.rehearsal.calls().len();
            scene.batch().code(3);
            assert_eq!(scene.rehearsal.calls().len(), billed, "nothing is asked again by itself");
            let list = Ran::of(scene.rehearsal.binary(&["batch", "list", "--json"])).code(0).json();
            assert_eq!(list["batches"][0]["state"], json!("undecided"));
            let id = list["batches"][0]["batch"].as_str().unwrap().to_owned();
            Ran::of(scene.rehearsal.binary(&["batch", "cancel", &id])).code(3);
            Ran::of(scene.rehearsal.binary(&["batch", "cancel", &id, "--release"])).code(0);
            scene.batch().code(0);
            scene.check_results();
            scene.check_bill();
            assert_eq!(scene.n_lost(), 11, "{form:?} {fault}");
        }
    }
}

#[test]
fn b34_a_download_that_is_cut_is_read_again() {
    for form in FORMS {
        let (scene, _) = check(form, &["B34"]);
        assert_eq!(scene.n_lost(), 0);
    }
}

#[test]
fn b35_b36_one_line_that_cannot_be_read_costs_no_other() {
    for form in FORMS {
        for fault in ["B35", "B36"] {
            let (scene, _) = check(form, &[fault]);
            assert_eq!(scene.n_lost(), 1, "{form:?} {fault}");
        }
    }
}

#[test]
fn b37_results_at_another_host_are_not_fetched() {
    for form in FORMS {
        check_stops(form, "B37", 3, "are at another host; the key is not sent there");
    }
}

#[test]
fn b38_b39_polls_that_fail() {
    for form in FORMS {
        check(form, &["B39=3"]);
        check_resumes(form, "B38=2", "Incorrect API key");
    }
}

#[test]
fn b41_b43_what_makes_further_calls_pointless_stops_the_run() {
    let scene = check_stops(Form::Files, "B41", 2, "has no model");
    scene.batch().code(0);
    scene.check_bill();
    for form in FORMS {
        check_resumes(form, "B43", "no quota or credit left");
    }
}

#[test]
fn b42_a_parameter_that_is_refused_is_left_out_as_online() {
    let scene = Scene::new(Form::Files, &["B42"]);
    scene.batch().code(0).says(["the judge does not take `seed`; asking without it"]);
    assert_eq!(scene.rehearsal.json("out.json")["summary"]["scored"], 6);
}

#[test]
fn b46_b45_answers_that_are_cut_or_refused_are_what_they_are_online() {
    for fault in ["F47", "F50"] {
        let judge = ["--fault", &format!("{fault}=1"), "--fault-attempts", "9"];
        let by_call = Scene::with(Form::Files, QUICK, &judge);
        by_call.run(&[]);
        let by_batch = Scene::with(Form::Files, QUICK, &judge);
        by_batch.batch();
        assert_eq!(
            super::rows(&by_batch.rehearsal.text("out.json")),
            super::rows(&by_call.rehearsal.text("out.json"))
        );
    }
}

#[test]
fn b48_b49_b50_a_price_that_is_not_known_is_reserved_whole() {
    let price = format!("{QUICK}[prices.\"mock-judge\"]\ninput_usd_per_mtok = 1\noutput_usd_per_mtok = 2\n");
    let half = format!("{price}batch_input_usd_per_mtok = 0.5\nbatch_output_usd_per_mtok = 1\n");
    let cost = |settings: &str, judge: &[&str]| {
        let scene = Scene::with(Form::Files, settings, judge);
        scene.batch().code(0);
        let summary = scene.rehearsal.json("out.json")["summary"].clone();
        (summary["cost_usd"].as_f64().unwrap(), summary["calls_without_cost"].as_u64().unwrap())
    };
    let (full, none) = cost(&price, &[]);
    let (batch, _) = cost(&half, &[]);
    assert!(none == 0 && batch < 0.6 * full, "{batch} of {full}");
    assert_eq!(cost(&half, &["--usage", "off"]).1, 12);
    assert_eq!(cost(&half, &["--batch-fault", "B49"]).1, 11, "a tier of unknown price");
}

#[test]
fn b51_b56_a_bill_that_is_larger_than_its_lines_is_said() {
    let (_, ran) = check(Form::Files, &["B51"]);
    assert!(ran.stderr.contains("the bill may be the larger one"), "{}", ran.stderr);
}

#[test]
fn b52_the_budget_bounds_what_is_sent() {
    let scene = Scene::new(Form::Files, &[]);
    scene.run(&["--batch", "--max-calls", "7"]).code(3).says(["the limit of 7 calls is reached"]);
    assert_eq!(scene.rehearsal.calls().len(), 7);
}

#[test]
fn b64_a_batch_that_is_too_large_is_halved() {
    for form in FORMS {
        let (scene, _) = check(form, &["B64"]);
        assert!(scene.n_batches() >= 3, "{form:?}");
    }
}

#[test]
fn b70_a_store_from_a_backup_does_not_pay_again_unseen() {
    let scene = Scene::new(Form::Files, &[]);
    // One call goes ahead; then the store is copied, and the batch is made from the original.
    scene.run(&["--batch", "--max-calls", "1"]).code(3);
    let store: Vec<_> =
        scene.rehearsal.files().into_iter().filter(|path| path.ends_with("store.db")).collect();
    let copy = std::fs::read(&store[0]).unwrap();
    scene.run(&["--batch", "--no-wait", "--max-calls", "100"]).code(3);
    std::fs::write(&store[0], copy).unwrap();
    let ran = scene.batch().code(3).says(["is not on its record"]);
    assert!(ran.stderr.contains("batch_mock000000"), "{}", ran.stderr);
    assert_eq!(scene.n_batches(), 1);
}

#[test]
fn b47_an_answer_of_another_model_is_what_it_is_online() {
    let settings = format!("{QUICK}[judges.openai]\nmodel = \"asked\"\nmodel_mismatch = \"invalid\"\n");
    let rows = [&["--batch"][..], &[]].map(|words| {
        let scene = Scene::with(Form::Files, &settings, &["--model-echo", "another-model"]);
        scene.run(words);
        super::rows(&scene.rehearsal.text("out.json"))
    });
    assert!(rows[0].contains("other_model"), "{}", rows[0]);
    assert_eq!(rows[0], rows[1]);
}

#[test]
fn b68_settings_that_change_meanwhile_make_another_judge_and_lose_no_batch() {
    let scene = Scene::new(Form::Files, &[]);
    scene.run(&["--batch", "--no-wait"]).code(3);
    scene.rehearsal.write("probity.toml", format!("{QUICK}[judges.openai]\ntemperature = 0.5\n"));
    scene.batch().code(0);
    assert_eq!(scene.rehearsal.calls().len(), 2 * N_PACKETS, "another judge is asked by itself");
    scene.rehearsal.write("probity.toml", QUICK);
    scene.batch().code(0);
    scene.check_results();
    assert_eq!(scene.rehearsal.calls().len(), 2 * N_PACKETS, "what the first was asked is found");
}

#[test]
fn b69_cases_that_change_meanwhile_cost_what_is_new() {
    let scene = Scene::new(Form::Files, &[]);
    scene.run(&["--batch", "--no-wait"]).code(3);
    scene.rehearsal.write("cases.json", super::cases(super::N_CASES + 1));
    scene.batch().code(0);
    assert_eq!(scene.rehearsal.json("out.json")["summary"]["scored"], super::N_CASES + 1);
    assert_eq!(scene.rehearsal.calls().len(), N_PACKETS + 2);
}

#[test]
fn b71_the_batches_of_another_store_are_left_alone() {
    for form in FORMS {
        let scene = Scene::new(form, &[]);
        scene.run(&["--batch", "--no-wait"]).code(3);
        scene.run(&["--batch", "--store", "another.db"]).code(0);
        assert_eq!(scene.n_batches(), 2, "{form:?}");
        scene.batch().code(0);
        scene.check_results();
        assert_eq!(scene.rehearsal.calls().len(), 2 * N_PACKETS);
    }
}

#[test]
fn b72_the_file_of_requests_is_deleted_when_all_is_known() {
    let (scene, _) = check(Form::Files, &[]);
    assert_eq!(scene.rehearsal.mock.get("/v1/files").json()["data"], json!([]));
    // Files of another key are not seen, so the page is asked with the key too.
    let own = scene.rehearsal.mock.send_with_key("GET", "/v1/files", "Bearer sk-mock");
    assert_eq!(own.json()["data"], json!([]));
}

/// The disk is full from each write of the store on: what the host has is collected by the next run, and paid for once.
#[test]
fn b75_a_disk_that_is_full_while_answers_are_settled_costs_nothing() {
    const TURNS_MAX: u32 = 1000;
    let Some(library) = library() else { return };
    for form in FORMS {
        let scene = Scene::new(form, &[]);
        scene.run(&["--batch", "--no-wait"]).code(3);
        let hit = scene.rehearsal.path("hit");
        let (mut turn, mut n_struck) = (1, 0);
        while turn < TURNS_MAX {
            let fault = Fault { mark: "store.db", calls: "w", turn, kind: "ENOSPC", lasting: "for_good" };
            let mut command = scene.command(&["--batch"]);
            fault.aim(&mut command, library, &hit);
            let ran = Ran::of(command);
            if std::fs::remove_file(&hit).is_err() {
                assert_eq!(ran.code, Some(0), "{form:?}: {}", ran.stderr);
                break;
            }
            assert_eq!(ran.code, Some(4), "{form:?}, write {turn}: {}", ran.stderr);
            assert!(ran.stderr.contains("store.db"), "{}", ran.stderr);
            n_struck += 1;
            turn += 1 + turn / 2;
        }
        assert!(turn < TURNS_MAX && n_struck > 1, "{form:?}: {n_struck} times up to write {turn}");
        scene.check_results();
        scene.check_bill();
        assert_eq!((scene.n_batches(), scene.n_lost()), (1, 0), "{form:?}");
    }
}
