//! Labelling by plain forms, as a browser without scripts does it.

use probity_engine::review::{After, PersonRole, QueueId};

use super::fixture::Wanted;
use super::{Got, Site};

const BOTH: &str = "revision=0&note=&level.relevance=4&level.tone=2";

impl Got {
    /// Where it leads.
    #[track_caller]
    pub(super) fn leads(&self) -> String {
        assert_eq!(self.status, 303, "{}", self.body);
        self.header("location").expect("a place").to_owned()
    }

    /// The value of the hidden field `revision`.
    fn revision(&self) -> &str {
        let rest = self.body.split_once("name=\"revision\" value=\"").expect("a revision").1;
        rest.split('"').next().unwrap()
    }
}

impl Site {
    /// The item that a person is given next.
    pub(super) async fn next(&self, queue: QueueId, cookie: &str) -> String {
        self.post(&format!("/queues/{}/next", queue.0), cookie, "x=1").await.leads()
    }

    async fn labels(&self, cookie: &str) -> Vec<String> {
        let got = self.get("/labels.jsonl", cookie).await;
        assert_eq!(got.status, 200);
        // The body has no length that is known beforehand only where it is long.
        got.body.lines().filter(|line| line.starts_with('{')).map(str::to_owned).collect()
    }
}

#[tokio::test]
async fn a_queue_is_answered_to_its_end() {
    let site = Site::open();
    let queue = site.queue(Wanted::LEVELS).await;
    let cookie = site.cookie("Lena", PersonRole::Lead).await;
    let mut place = site.next(queue, &cookie).await;
    for _ in 0..3 {
        let page = site.get(&place, &cookie).await;
        assert!(page.body.contains("Ticket ") && page.body.contains("&lt;b&gt;hello"), "{}", page.body);
        assert!(page.body.contains("anchor of 3") && page.body.contains("How is its tone?"));
        place = site.post(&format!("{place}/label"), &cookie, BOTH).await.leads();
    }
    assert_eq!(place, format!("/queues/{}", queue.0));
    let page = site.get(&place, &cookie).await;
    assert!(page.body.contains("Nothing is left for you here"), "{}", page.body);
    let labels = site.labels(&cookie).await;
    assert_eq!(labels.len(), 6);
    assert!(
        labels
            .iter()
            .all(|label| label.contains(r#""annotator":"Lena""#) && label.contains(r#""blind":true"#))
    );
}

#[tokio::test]
async fn an_answer_sent_twice_is_kept_once() {
    let site = Site::open();
    let queue = site.queue(Wanted::LEVELS).await;
    let cookie = site.cookie("Lena", PersonRole::Lead).await;
    let place = site.next(queue, &cookie).await;
    let first = site.post(&format!("{place}/label"), &cookie, BOTH).await.leads();
    let second = site.post(&format!("{place}/label"), &cookie, BOTH).await.leads();
    assert_eq!(first, second);
    assert_eq!(site.labels(&cookie).await.len(), 2);
    let other = BOTH.replace("tone=2", "tone=5");
    let overtaken = site.post(&format!("{place}/label"), &cookie, &other).await;
    assert_eq!(overtaken.status, 409, "an answer made without having seen the last");
}

#[tokio::test]
async fn skipped_items_come_last_and_undo_goes_back() {
    let site = Site::open();
    let queue = site.queue(Wanted::LEVELS).await;
    let cookie = site.cookie("Lena", PersonRole::Lead).await;
    let skipped = site.next(queue, &cookie).await;
    let second = site.post(&format!("{skipped}/skip"), &cookie, "note=x").await.leads();
    assert_ne!(skipped, second);
    let third = site.post(&format!("{second}/label"), &cookie, BOTH).await.leads();
    let undone = site.post(&format!("/queues/{}/undo", queue.0), &cookie, "note=x").await.leads();
    assert_eq!(undone, second, "the last answer is taken back");
    let page = site.get(&second, &cookie).await;
    let again = BOTH.replace("revision=0", &format!("revision={}", page.revision()));
    assert_eq!(site.post(&format!("{second}/label"), &cookie, &again).await.leads(), third);
    assert_eq!(site.post(&format!("{third}/label"), &cookie, BOTH).await.leads(), skipped);
}

#[tokio::test]
async fn who_cannot_tell_says_so() {
    let site = Site::open();
    let queue = site.queue(Wanted { n: 2, ..Wanted::LEVELS }).await;
    let cookie = site.cookie("Lena", PersonRole::Lead).await;
    let place = site.next(queue, &cookie).await;
    let one = "revision=0&note=hard%20to%20say&level.relevance=&level.tone=2";
    let next = site.post(&format!("{place}/label"), &cookie, one).await.leads();
    let none = "revision=0&note=&level.relevance=&level.tone=";
    site.post(&format!("{next}/label"), &cookie, none).await.leads();
    let unsure =
        site.labels(&cookie).await.into_iter().filter(|label| label.contains(r#""label":null"#)).count();
    assert_eq!(unsure, 3);
    assert!(site.get(&place, &cookie).await.body.contains("hard to say"));
}

#[tokio::test]
async fn forms_that_do_not_fit_keep_nothing() {
    let site = Site::open();
    let queue = site.queue(Wanted::LEVELS).await;
    let cookie = site.cookie("Lena", PersonRole::Lead).await;
    let place = site.next(queue, &cookie).await;
    for bad in [
        "x=1",
        "revision=0&note=",
        "revision=0&level.relevance=4",
        "revision=0&level.relevance=4&level.tone=9",
        "revision=0&level.relevance=4&level.tone=high",
        "revision=&level.relevance=4&level.tone=4",
        "revision=-1&level.relevance=4&level.tone=4",
        "revision=0&side=first",
        &format!("{BOTH}&note={}", "a".repeat(4001)),
    ] {
        assert_eq!(site.post(&format!("{place}/label"), &cookie, bad).await.status, 422, "{bad}");
    }
    assert_eq!(site.post(&format!("{place}/label"), &cookie, &"a".repeat(70_000)).await.status, 413);
    assert_eq!(site.labels(&cookie).await.len(), 0);
}

#[tokio::test]
async fn pairs_are_shown_side_by_side_and_answered_by_side() {
    let site = Site::open();
    let queue = site.queue(Wanted::PAIRS).await;
    let cookie = site.cookie("Lena", PersonRole::Lead).await;
    let mut place = site.next(queue, &cookie).await;
    for side in ["first", "second", "tie"] {
        let page = site.get(&place, &cookie).await;
        assert!(page.body.contains("First reply to ticket") && page.body.contains("Second reply to ticket"));
        let form = format!("revision=0&note=&side={side}");
        place = site.post(&format!("{place}/label"), &cookie, &form).await.leads();
    }
    let labels = site.labels(&cookie).await;
    assert_eq!(labels.len(), 3);
    assert_eq!(labels.iter().filter(|label| label.contains(r#""label":"tie""#)).count(), 1);
}

#[tokio::test]
async fn a_disagreement_is_settled_by_a_lead() {
    let site = Site::open();
    let queue = site.queue(Wanted { n: 1, ..Wanted::LEVELS }).await;
    let (lead, ann, ben) = (
        site.cookie("Lena", PersonRole::Lead).await,
        site.cookie("Ann", PersonRole::Reviewer).await,
        site.cookie("Ben", PersonRole::Reviewer).await,
    );
    let place = site.next(queue, &ann).await;
    site.post(&format!("{place}/label"), &ann, BOTH).await.leads();
    let list = format!("/queues/{}/disagreements", queue.0);
    assert!(site.get(&list, &lead).await.body.contains("Nothing differs so far"));
    site.next(queue, &ben).await;
    site.post(&format!("{place}/label"), &ben, &BOTH.replace("tone=2", "tone=5")).await.leads();
    let listed = site.get(&list, &lead).await;
    assert!(
        listed.body.contains("1 of 1 are open") && listed.body.contains("Ann") && listed.body.contains("Ben")
    );
    let page = site.get(&format!("{place}/settle"), &lead).await;
    assert!(
        page.body.contains("One criterion to settle") && page.body.contains("2 and 5: three levels apart")
    );
    assert!(page.body.contains("Agreed, kept as they are") && page.body.matches(" checked").count() == 1);
    assert!(!page.body.contains("canary-verdict"), "the judge stays hidden");
    let form = "revision=0&note=tone%20is%20fine&level.relevance=4&level.tone=5";
    assert_eq!(site.post(&format!("{place}/settle"), &lead, form).await.leads(), list);
    let listed = site.get(&list, &lead).await;
    assert!(listed.body.contains("0 of 1 are open") && listed.body.contains("by Lena"), "{}", listed.body);
    let labels = site.labels(&lead).await;
    assert_eq!(labels.iter().filter(|label| label.contains(r#""adjudicated":true"#)).count(), 2);
    let figures = site.get(&format!("/queues/{}/agreement", queue.0), &lead).await;
    assert_eq!(figures.status, 200);
    let sentence = "People agree on 50\u{a0}% of answers. They differ most on title of tone.";
    for words in [sentence, "?one=Ann&amp;other=Ben", "?criterion=tone", "1 of 1"] {
        assert!(figures.body.contains(words), "{words} in {}", figures.body);
    }
    for (filter, n) in [("?criterion=tone", 1), ("?criterion=relevance", 0), ("?one=Ann&other=Ben", 1)] {
        let listed = site.get(&format!("{list}{filter}"), &lead).await;
        assert_eq!(listed.body.matches("/settle\">Look again").count(), n, "{filter}");
    }
}

#[tokio::test]
async fn after_the_answer_the_judge_is_shown_where_the_queue_says_so() {
    let site = Site::open();
    let queue = site.queue(Wanted { after: After::Reveal, ..Wanted::LEVELS }).await;
    let ann = site.cookie("Ann", PersonRole::Reviewer).await;
    let place = site.next(queue, &ann).await;
    let early = site.post(&format!("{place}/reveal"), &ann, "x=1").await;
    assert_eq!(early.status, 409);
    assert_eq!(site.post(&format!("{place}/label"), &ann, BOTH).await.leads(), place);
    let shown = site.post(&format!("{place}/reveal"), &ann, "x=1").await;
    assert_eq!(shown.status, 200);
    for word in ["canary-verdict says why", "canary-model", "canary-variant-one", "canary-finding"] {
        assert!(shown.body.contains(word), "{word}");
    }
    let caused = site.post(&format!("{place}/cause"), &ann, "cause=too_high+tone").await;
    assert!(caused.body.contains("value=\"too_high tone\" aria-pressed=\"true\""), "{}", caused.body);
    assert!(caused.body.contains("value=\"too_high relevance\" aria-pressed=\"false\""), "one by one");
    assert_eq!(site.post(&format!("{place}/cause"), &ann, "cause=other").await.status, 422);
    assert_eq!(site.post(&format!("{place}/cause"), &ann, "cause=too_high+safety").await.status, 409);
    assert!(caused.body.contains("does not count as blind"));
    site.post(&format!("/queues/{}/undo", queue.0), &ann, "x=1").await.leads();
    let again = site.get(&place, &ann).await;
    assert!(again.body.contains("your answer will not count as blind"), "{}", again.body);
    assert_eq!(again.body.matches(" checked").count(), 2, "undo restores the answer");
}

#[tokio::test]
async fn w25_a_table_holds_no_formula() {
    let site = Site::open();
    let queue = site.queue(Wanted { n: 1, ..Wanted::LEVELS }).await;
    let cookie = site.cookie("=cmd|'calc'!A1", PersonRole::Lead).await;
    let place = site.next(queue, &cookie).await;
    site.post(&format!("{place}/label"), &cookie, BOTH).await.leads();
    let got = site.get("/labels.csv", &cookie).await;
    assert_eq!(got.header("content-type"), Some("text/csv; charset=utf-8"));
    assert_eq!(got.header("content-disposition"), Some("attachment; filename=\"labels.csv\""));
    assert!(got.body.contains(",'=cmd|"), "{}", got.body);
    assert!(!got.body.contains(",=cmd"), "{}", got.body);
}

#[tokio::test]
async fn what_was_said_in_another_queue_is_chosen_and_said_so() {
    const NOTICE: &str = "You have said something about this before";
    let site = Site::open();
    let one = site.queue(Wanted { n: 1, ..Wanted::LEVELS }).await;
    let other = site.queue(Wanted { n: 1, name: "again", ..Wanted::LEVELS }).await;
    let cookie = site.cookie("Lena", PersonRole::Lead).await;
    let (first, second) = (site.next(one, &cookie).await, site.next(other, &cookie).await);
    assert!(!site.get(&second, &cookie).await.body.contains(NOTICE));
    site.post(&format!("{first}/label"), &cookie, BOTH).await.leads();
    let stale = BOTH.replace("tone=2", "tone=5");
    assert_eq!(site.post(&format!("{second}/label"), &cookie, &stale).await.status, 409);
    let page = site.get(&second, &cookie).await;
    assert!(page.body.contains(NOTICE), "{}", page.body);
    assert_eq!(page.body.matches(" checked").count(), 2, "{}", page.body);
    let revised = stale.replace("revision=0", &format!("revision={}", page.revision()));
    site.post(&format!("{second}/label"), &cookie, &revised).await.leads();
    site.post(&format!("/queues/{}/undo", other.0), &cookie, "note=x").await.leads();
    let labels = site.labels(&cookie).await;
    assert_eq!(labels.iter().filter(|label| label.contains(r#""label":"2""#)).count(), 1, "{labels:?}");
}

#[tokio::test]
async fn a_lead_who_has_read_the_disagreements_does_not_label_blind() {
    let site = Site::open();
    let queue = site.queue(Wanted { n: 1, overlap: 3, ..Wanted::LEVELS }).await;
    for (name, form) in [("Ann", BOTH.to_owned()), ("Ben", BOTH.replace("tone=2", "tone=5"))] {
        let cookie = site.cookie(name, PersonRole::Reviewer).await;
        let place = site.next(queue, &cookie).await;
        site.post(&format!("{place}/label"), &cookie, &form).await.leads();
    }
    let lead = site.cookie("Lena", PersonRole::Lead).await;
    let place = site.next(queue, &lead).await;
    assert_eq!(site.get(&format!("/queues/{}/disagreements", queue.0), &lead).await.status, 200);
    site.post(&format!("{place}/label"), &lead, BOTH).await.leads();
    let labels = site.labels(&lead).await;
    assert_eq!(labels.iter().filter(|label| label.contains(r#""blind":false"#)).count(), 2, "{labels:?}");
}

#[tokio::test]
async fn notes_and_causes_leave_the_room_beside_their_labels() {
    let site = Site::open();
    let queue = site.queue(Wanted { n: 1, after: After::Reveal, ..Wanted::LEVELS }).await;
    let cookie = site.cookie("Lena", PersonRole::Lead).await;
    let place = site.next(queue, &cookie).await;
    let form = BOTH.replace("note=", "note=%3Dtoo%20curt%2C%20I%20think");
    site.post(&format!("{place}/label"), &cookie, &form).await.leads();
    for cause in ["too_low+tone", "too_high+relevance"] {
        site.post(&format!("{place}/cause"), &cookie, &format!("cause={cause}")).await;
    }
    let labels = site.labels(&cookie).await;
    assert_eq!(labels.len(), 2);
    for label in labels {
        assert!(label.contains(r#""note":"=too curt, I think""#), "{label}");
        let cause = if label.contains(r#""criterion":"tone""#) { "too_low" } else { "too_high" };
        assert!(label.contains(&format!(r#""root_cause":"{cause}""#)), "{label}");
    }
    let table = site.get("/labels.csv", &cookie).await.body;
    assert!(table.contains(",checksum,note,root_cause\n"), "{table}");
    assert_eq!(table.matches(",\"'=too curt, I think\",too_low\n").count(), 1, "{table}");
    site.post(&format!("/queues/{}/undo", queue.0), &cookie, "note=x").await.leads();
    assert!(!site.get("/labels.csv", &cookie).await.body.contains("curt"), "it was taken back");
}

#[tokio::test]
async fn the_guidelines_are_the_rubric_s() {
    let site = Site::open();
    let queue = site.queue(Wanted::LEVELS).await;
    let ann = site.cookie("Ann", PersonRole::Reviewer).await;
    let page = site.get(&format!("/queues/{}/guidelines", queue.0), &ann).await;
    for words in ["Title of tone", "How is its relevance?", "anchor of 5"] {
        assert!(page.body.contains(words), "{words}");
    }
    assert_eq!(site.get("/queues/99/guidelines", &ann).await.status, 404);
}

#[tokio::test]
async fn settling_goes_on_to_the_next() {
    let site = Site::open();
    let queue = site.queue(Wanted { n: 3, ..Wanted::LEVELS }).await;
    let lead = site.cookie("Lena", PersonRole::Lead).await;
    for (name, form) in [("Ann", BOTH.to_owned()), ("Ben", BOTH.replace("tone=2", "tone=5"))] {
        let cookie = site.cookie(name, PersonRole::Reviewer).await;
        let mut place = site.next(queue, &cookie).await;
        while place.starts_with("/items/") {
            place = site.post(&format!("{place}/label"), &cookie, &form).await.leads();
        }
    }
    let form = "revision=0&note=&level.relevance=4&level.tone=5";
    // From the second on: the third, and then what was passed over.
    let places = ["/items/2/settle", "/items/3/settle", "/items/1/settle"];
    for (at, place) in places.iter().enumerate() {
        let page = site.get(place, &lead).await;
        assert!(page.body.contains(&format!("{at} of 3")), "{}", page.body);
        let next = site.post(place, &lead, form).await.leads();
        let list = format!("/queues/{}/disagreements", queue.0);
        assert_eq!(next, places.get(at + 1).map_or(list, |place| (*place).to_owned()));
    }
}
