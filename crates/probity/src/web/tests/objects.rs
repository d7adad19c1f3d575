//! Other people's things: reading and changing them by guessing their numbers.

use probity_engine::review::PersonRole;

use super::Site;
use super::fixture::Wanted;

#[tokio::test]
async fn w13_items_are_for_whom_they_were_given_to() {
    let site = Site::open();
    let queue = site.queue(Wanted { n: 5, ..Wanted::LEVELS }).await;
    let (ann, ben) =
        (site.cookie("Ann", PersonRole::Reviewer).await, site.cookie("Ben", PersonRole::Reviewer).await);
    let place = site.next(queue, &ann).await;
    let form = "revision=0&note=secret%20of%20ann&level.relevance=4&level.tone=2";
    site.post(&format!("{place}/label"), &ann, form).await.leads();
    let of_ben = site.next(queue, &ben).await;
    for n in 0..=9 {
        let item = format!("/items/{n}");
        if item == of_ben {
            continue;
        }
        assert_eq!(site.get(&item, &ben).await.status, 404, "{item}");
        for act in ["label", "skip", "reveal"] {
            let got = site.post(&format!("{item}/{act}"), &ben, form).await;
            assert_eq!(got.status, 404, "{item}/{act}");
        }
        let caused = site.post(&format!("{item}/cause"), &ben, "cause=too_high+tone").await;
        assert_eq!(caused.status, 409, "{item}/cause");
        assert_eq!(site.get(&format!("{item}/settle"), &ben).await.status, 403, "{item}");
    }
    let page = site.get(&place, &ann).await;
    assert!(page.body.contains("secret of ann"), "what Ann said is as she said it");
}

#[tokio::test]
async fn w13_numbers_that_are_none_lead_nowhere() {
    let site = Site::open();
    let lead = site.cookie("Lena", PersonRole::Lead).await;
    for n in ["0", "-1", "99999999999999999999", "1.5", "a", "1%20OR%201=1", "%00"] {
        for path in [
            format!("/items/{n}"),
            format!("/queues/{n}"),
            format!("/runs/{n}"),
            format!("/runs/{n}/raw/{n}"),
        ] {
            let got = site.get(&path, &lead).await;
            assert!([400, 404].contains(&got.status), "{path}: {}", got.status);
        }
        let got = site.post(&format!("/queues/{n}/next"), &lead, "x=1").await;
        assert!([400, 404].contains(&got.status), "next {n}: {}", got.status);
    }
}

#[tokio::test]
async fn w13_whoever_is_removed_is_out_at_once() {
    let site = Site::open();
    let (lead, ann) =
        (site.cookie("Lena", PersonRole::Lead).await, site.cookie("Ann", PersonRole::Reviewer).await);
    let unused = site.token("Ann", PersonRole::Reviewer).await;
    let people = site.get("/people", &lead).await;
    let id = people.body.split("/people/").nth(1).and_then(|rest| rest.split('/').next()).unwrap().to_owned();
    let path = format!("/people/{id}/remove");
    assert_eq!(site.post(&path, &ann, "x=1").await.status, 403, "only leads remove");
    assert_eq!(site.post(&path, &lead, "x=1").await.leads(), "/people");
    assert_eq!(site.get("/", &ann).await.status, 401);
    assert_eq!(site.post("/enter", "", &format!("token={unused}")).await.status, 401);
    let own = site.room.people(0).unwrap().into_iter().find(|each| each.person.name == "Lena").unwrap();
    let got = site.post(&format!("/people/{}/remove", own.person.id.0), &lead, "x=1").await;
    assert_eq!(got.status, 422, "a lead cannot shut the door behind themselves");
}
