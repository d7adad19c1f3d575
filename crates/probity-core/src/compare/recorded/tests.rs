//! Rows as people write them, and what each wrong one is told.

use expect_test::{Expect, expect};

use super::*;

fn object(text: &str) -> Object {
    crate::json::parse(text).expect("JSON").as_object().expect("an object").clone()
}

#[track_caller]
fn check(text: &str, want: &Expect) {
    let shown = match VerdictRow::read(&object(text)) {
        Err(fault) => format!("{:?}: {}", fault.item, fault.reason),
        Ok(VerdictRow { item, judge, verdicts, facts }) => {
            let verdicts = match verdicts {
                Verdicts::BothOrders { ab, ba } => format!("{:?} {:?}", ab.choice(), ba.choice()),
                Verdicts::Graded(grade) => grade.value().to_string(),
            };
            format!("{item} {judge:?} {verdicts} {:?} {:?}", facts.variants, facts.lengths)
        }
    };
    want.assert_eq(&shown);
}

#[test]
fn verdicts_in_both_orders() {
    check(
        r#"{"item":"i1","slice":"s","judge":"j","verdict_ab":"a","verdict_ba":"tie"}"#,
        &expect![[r#"i1 Some("j") Some(Wins(A)) Some(Tie) None None"#]],
    );
    check(
        r#"{"item":7,"verdict_ab":null,"verdict_ba":"needs_human_review","len_a":1,"len_b":2}"#,
        &expect!["7 None None Some(NeedsHumanReview) None Some([1, 2])"],
    );
    check(
        r#"{"item":"i","verdict_ab":"A","verdict_ba":"[[B]]","system_a":"x","system_b":"y"}"#,
        &expect![[r#"i None None None Some(["x", "y"]) None"#]],
    );
}

#[test]
fn graded_preferences() {
    check(
        r#"{"model":"m","index":3,"dataset":"d","preference":1.25,"len_baseline":9,"len_model":4}"#,
        &expect![[r#"3 None 0.25 Some(["baseline", "m"]) Some([9, 4])"#]],
    );
    check(
        r#"{"model":"m","index":3,"preference":2.5}"#,
        &expect![[r#"Some("3"): 'preference' is 2.5, expected 1 to 2"#]],
    );
    check(r#"{"index":3,"preference":2}"#, &expect![[r#"Some("3"): Missing 'model' field"#]]);
    check(
        r#"{"model":"m","index":3,"preference":"1.5"}"#,
        &expect![[r#"Some("3"): 'preference' must be a number, found a string"#]],
    );
}

#[test]
fn d17_d19_rows_that_say_too_little_or_the_wrong_thing() {
    check(r#"{"verdict_ab":"a","verdict_ba":"a"}"#, &expect!["None: Missing 'item' field"]);
    check(r#"{"item":"","verdict_ab":"a","verdict_ba":"a"}"#, &expect!["None: Empty 'item' field"]);
    check(r#"{"item":["x"],"verdict_ab":"a"}"#, &expect!["None: 'item' must be a string, found an array"]);
    check(r#"{"item":"x","verdict_ab":"a"}"#, &expect![[r#"Some("x"): Missing 'verdict_ba' field"#]]);
    check(
        r#"{"item":"x","verdict_ab":1,"verdict_ba":"a"}"#,
        &expect![[r#"Some("x"): 'verdict_ab' must be a string or null, found 1"#]],
    );
    check(
        r#"{"item":"x","verdict_ab":"a","verdict_ba":"a","variant_a":"v","variant_b":"v"}"#,
        &expect![[r#"Some("x"): 'variant_a' and 'variant_b' are both 'v', expected two variants"#]],
    );
    check(
        r#"{"item":"x","verdict_ab":"a","verdict_ba":"a","len_a":-1,"len_b":2}"#,
        &expect![[r#"Some("x"): 'len_a' must be a whole number that is not negative, found -1"#]],
    );
    check(
        r#"{"item":"x","verdict_ab":"a","verdict_ba":"a","slice":"s","category":"t"}"#,
        &expect![[r#"Some("x"): 'slice' and 'category' both give the 'slice' field"#]],
    );
}
