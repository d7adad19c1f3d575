//! Who may enter and what is theirs to see: tokens, sessions, and other people's items.

use super::super::people::{INVITATION_SECONDS_MAX, SESSION_IDLE_SECONDS_MAX};
use super::*;

#[test]
fn an_invitation_opens_the_door_once() {
    let scene = Scene::new(LabelForm::Levels, 1, 1);
    let (id, invitation) = invited(&scene.room, "dee", PersonRole::Reviewer);
    let (person, session) = wait(scene.room.redeem(&invitation, "here", NOW)).unwrap().unwrap();
    assert_eq!((person.id, &*person.name, person.role), (id, "dee", PersonRole::Reviewer));
    assert_eq!(
        wait(scene.room.redeem(&invitation, "here", NOW)).unwrap(),
        None,
        "a second time it opens nothing"
    );
    assert_eq!(scene.room.session(&session, NOW).unwrap(), Some(person));
    assert_eq!(scene.room.session(&invitation, NOW).unwrap(), None, "an invitation is no session");
    assert_eq!(wait(scene.room.redeem(&session, "here", NOW)).unwrap(), None, "a session is no invitation");
    wait(scene.room.end_session(&session, NOW)).unwrap();
    assert_eq!(scene.room.session(&session, NOW).unwrap(), None);
}

#[test]
fn inviting_again_takes_nothing_away_and_one_link_of_a_person_opens() {
    let scene = Scene::new(LabelForm::Levels, 1, 1);
    let (dee, earlier) = invited(&scene.room, "dee", PersonRole::Lead);
    let (_, other) = invited(&scene.room, "eva", PersonRole::Reviewer);
    let (_, later) = invited(&scene.room, "dee", PersonRole::Lead);
    let people = scene.room.people(NOW).unwrap();
    assert_eq!(people.iter().find(|view| view.person.id == dee).unwrap().n_invitations, 2);
    let (_, session) = wait(scene.room.redeem(&earlier, "here", NOW)).unwrap().unwrap();
    assert_eq!(wait(scene.room.redeem(&later, "here", NOW)).unwrap(), None, "one of them was used");
    assert!(
        wait(scene.room.redeem(&other, "here", NOW)).unwrap().is_some(),
        "another person's link is untouched"
    );
    invited(&scene.room, "dee", PersonRole::Lead);
    assert!(scene.room.session(&session, NOW).unwrap().is_some(), "who is in stays in");
}

#[test]
fn a_name_in_another_case_is_the_same_person_and_a_lead_stays_one() {
    let scene = Scene::new(LabelForm::Levels, 1, 1);
    let (dee, _) = invited(&scene.room, "Dée", PersonRole::Lead);
    let (again, invitation) = invited(&scene.room, "DÉE", PersonRole::Reviewer);
    assert_eq!(again, dee);
    let (person, _) = wait(scene.room.redeem(&invitation, "here", NOW)).unwrap().unwrap();
    assert_eq!((&*person.name, person.role), ("Dée", PersonRole::Lead));
    wait(scene.room.remove(dee, NOW)).unwrap();
    let (_, invitation) = invited(&scene.room, "dée", PersonRole::Reviewer);
    let (person, _) = wait(scene.room.redeem(&invitation, "here", NOW)).unwrap().unwrap();
    assert_eq!(person.role, PersonRole::Reviewer, "a person who was removed begins anew");
    let (ann, _) = invited(&scene.room, "ann", PersonRole::Lead);
    assert_eq!(ann, scene.ann);
    let people = scene.room.people(NOW).unwrap();
    let role = people.iter().find(|view| view.person.id == ann).unwrap().person.role;
    assert_eq!(role, PersonRole::Lead, "a reviewer can become one");
}

#[test]
fn a_session_from_the_future_has_ended() {
    let scene = Scene::new(LabelForm::Levels, 1, 1);
    let (_, invitation) = invited(&scene.room, "dee", PersonRole::Reviewer);
    let (_, session) = wait(scene.room.redeem(&invitation, "here", NOW)).unwrap().unwrap();
    let is_in = |now| scene.room.session(&session, now).unwrap().is_some();
    assert!(is_in(NOW - 60), "clocks may differ by a little");
    assert!(!is_in(NOW - 61) && !is_in(NOW - SESSION_SECONDS_MAX));
}

#[test]
fn the_store_has_one_label_for_its_name_under_localhost() {
    let scene = Scene::new(LabelForm::Levels, 1, 1);
    let label = scene.room.host_label().unwrap();
    assert_eq!(scene.room.host_label().unwrap(), label);
    assert!(label.len() == 32 && label.bytes().all(|byte| byte.is_ascii_hexdigit()), "{label}");
}

#[test]
fn doors_close_by_themselves() {
    let scene = Scene::new(LabelForm::Levels, 1, 1);
    let (_, invitation) = invited(&scene.room, "dee", PersonRole::Reviewer);
    assert_eq!(wait(scene.room.redeem(&invitation, "here", NOW + INVITATION_SECONDS_MAX)).unwrap(), None);
    let (_, session) = wait(scene.room.redeem(&invitation, "here", NOW)).unwrap().unwrap();
    let is_in = |now| scene.room.session(&session, now).unwrap().is_some();
    assert!(!is_in(NOW + SESSION_IDLE_SECONDS_MAX));
    let mut now = NOW;
    while now < NOW + SESSION_SECONDS_MAX {
        assert!(is_in(now), "{} hours after it began", (now - NOW) / 3600);
        // The note that it was seen is written by the next change at the latest.
        wait(scene.room.skip(ItemId(1), scene.ann, now)).unwrap();
        now += SESSION_IDLE_SECONDS_MAX - 1;
    }
    assert!(!is_in(NOW + SESSION_SECONDS_MAX));
}

#[test]
fn whoever_is_removed_is_out_and_what_they_said_stays() {
    let scene = Scene::new(LabelForm::Levels, 2, 1);
    let (dee, invitation) = invited(&scene.room, "dee", PersonRole::Reviewer);
    let (_, session) = wait(scene.room.redeem(&invitation, "here", NOW)).unwrap().unwrap();
    let (_, unused) = invited(&scene.room, "dee", PersonRole::Reviewer);
    let said = scene.next(dee).unwrap();
    scene.submit(&said, dee, levels(4, 4));
    let held = scene.next(dee).unwrap();
    wait(scene.room.remove(dee, NOW)).unwrap();
    assert_eq!(scene.room.session(&session, NOW).unwrap(), None);
    assert_eq!(wait(scene.room.redeem(&unused, "here", NOW)).unwrap(), None);
    assert_eq!(scene.next(dee), None);
    assert_eq!(scene.room.item(said.id, dee).unwrap(), None);
    assert_eq!(scene.submit(&held, dee, levels(4, 4)), Submitted::NotYours);
    assert_eq!(scene.labels().len(), 2);
    assert_eq!(scene.next(scene.ann).unwrap().id, held.id, "the seat is free");
    let people = scene.room.people(NOW).unwrap();
    let view = people.iter().find(|view| view.person.id == dee).unwrap();
    assert!(view.removed);
    assert_eq!(view.n_submitted, 1);
    let (again, invitation) = invited(&scene.room, "dee", PersonRole::Reviewer);
    assert_eq!(again, dee);
    assert!(wait(scene.room.redeem(&invitation, "here", NOW)).unwrap().is_some());
}

#[test]
fn names_are_what_labels_can_carry() {
    for bad in ["", "  ", "a\nb", "a\u{202e}b", "a\0", &"x".repeat(81)] {
        assert!(PersonName::new(bad).is_err(), "{bad:?}");
    }
    assert_eq!(PersonName::new(" Ann Å. ").unwrap().as_str(), "Ann Å.");
}

#[test]
fn w09_only_hashes_of_tokens_are_stored() {
    let scene = Scene::new(LabelForm::Levels, 1, 1);
    let (_, invitation) = invited(&scene.room, "dee", PersonRole::Reviewer);
    let (_, session) = wait(scene.room.redeem(&invitation, "here", NOW)).unwrap().unwrap();
    assert_eq!(format!("{invitation:?}"), "Token(..)");
    if is_on_server() {
        return;
    }
    let (path, mut seen) = (scene.path(), 0);
    for suffix in ["", "-wal"] {
        let mut name = path.clone().into_os_string();
        name.push(suffix);
        let Ok(bytes) = std::fs::read(name) else { continue };
        seen += bytes.len();
        for token in [&invitation, &session] {
            let raw = blake3::Hash::from_hex(token.expose()).unwrap();
            let holds = |needle: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
            assert!(!holds(token.expose().as_bytes()), "the token's text is in the store");
            assert!(!holds(raw.as_bytes()), "the token's bytes are in the store");
        }
    }
    assert!(seen > 10_000, "{seen} bytes were searched");
}

#[test]
fn w13_nobody_reaches_an_item_that_was_not_given_to_them() {
    let scene = Scene::new(LabelForm::Levels, 3, 2);
    let item = scene.next(scene.ann).unwrap();
    scene.submit(&item, scene.ann, levels(4, 2));
    let others = [scene.bob, scene.cem, PersonId(999)];
    for person in others {
        assert_eq!(scene.room.item(item.id, person).unwrap(), None);
        assert_eq!(scene.submit(&item, person, levels(1, 1)), Submitted::NotYours);
        assert_eq!(wait(scene.room.undo(item.id, person, NOW)).unwrap(), Undone::NotYours);
        assert_eq!(wait(scene.room.reveal(item.id, person, NOW)).unwrap(), Reveal::NotYours);
        assert!(!wait(scene.room.skip(item.id, person, NOW)).unwrap());
        assert!(!wait(scene.room.cause(about(&item, person, Some("tone")), RootCause::TooLow, NOW)).unwrap());
        assert_eq!(wait(scene.room.settling(item.id, person, NOW)).unwrap(), None);
        assert!(wait(scene.room.disagreements(scene.queue, person, NOW)).unwrap().is_empty());
    }
    let unknown = ItemView { id: ItemId(999), ..item.clone() };
    assert_eq!(scene.submit(&unknown, scene.ann, levels(1, 1)), Submitted::NotYours);
    assert_eq!(scene.labels().len(), 2, "ann's labels are as they were");
    let Reveal::Shown { .. } = wait(scene.room.reveal(item.id, scene.lead, NOW)).unwrap() else {
        panic!("leads see what was hidden")
    };
}

#[test]
fn g15_nothing_hidden_is_in_what_a_reviewer_sees() {
    for form in [LabelForm::Levels, LabelForm::Pair] {
        let scene = Scene::new(form, 4, 2);
        let other = scene.next(scene.bob).unwrap();
        let answer =
            if form == LabelForm::Pair { ReviewerAnswer::Pair(ReplySide::First) } else { levels(5, 5) };
        scene.submit(&other, scene.bob, answer);
        while let Some(item) = scene.next(scene.ann) {
            let text = serde_json::to_string(&item).unwrap();
            for canary in ["CANARY", "bob", "case-", "billing", "delivery", "\"bot\"", "\"old\"", "packet-"] {
                assert!(!text.contains(canary), "{canary} in {text}");
            }
            scene.submit(&item, scene.ann, ReviewerAnswer::CannotTell);
        }
        let seen = scene.room.progress(scene.queue, scene.ann, NOW).unwrap();
        assert_eq!(seen.n_submitted, 4);
    }
}

#[test]
fn sessions_are_listed_until_they_end() {
    let scene = Scene::new(LabelForm::Levels, 1, 1);
    let (ann, invitation) = invited(&scene.room, "Ann", PersonRole::Lead);
    let (_, session) = wait(scene.room.redeem(&invitation, "198.51.100.7", NOW)).unwrap().unwrap();
    let token = wait(scene.room.metrics_token(ann, "here", NOW)).unwrap();
    let listed = |at: i64| -> Vec<(String, String)> {
        let all = scene.room.sessions(at).unwrap().into_iter();
        all.map(|each| (each.kind, each.client)).collect()
    };
    let both = [("browser", "198.51.100.7"), ("metrics", "here")]
        .map(|(kind, client)| (kind.to_owned(), client.to_owned()));
    let mut found = listed(NOW);
    found.sort();
    assert_eq!(found, both);
    assert_eq!(listed(NOW + SESSION_SECONDS_MAX).len(), 1, "time ends the one of a browser");
    assert!(scene.room.reads_metrics(&token).unwrap() && !scene.room.reads_metrics(&session).unwrap());
    assert_eq!(scene.room.session(&token, NOW).unwrap(), None, "a token for metrics opens no page");
    for each in scene.room.sessions(NOW).unwrap() {
        assert!(wait(scene.room.end_named_session(&each.id, NOW)).unwrap());
    }
    assert_eq!(listed(NOW), []);
    assert!(!scene.room.reads_metrics(&token).unwrap());
    assert_eq!(scene.room.session(&session, NOW).unwrap(), None);
    assert!(!wait(scene.room.end_named_session("nonsense", NOW)).unwrap());
}

#[test]
fn the_log_has_what_was_done_with_items_and_at_the_door() {
    let scene = Scene::new(LabelForm::Levels, 2, 1);
    let (ann, _) = invited(&scene.room, "Ann", PersonRole::Lead);
    let queue = scene.room.queues().unwrap()[0].id;
    let item = wait(scene.room.next(queue, ann, NOW)).unwrap().unwrap();
    wait(scene.room.skip(item, ann, NOW + 5)).unwrap();
    for (at, act) in [(1, DoorAct::Enter), (9, DoorAct::Leave)] {
        let entry = DoorEntry { person: ann, act, about: "x".to_owned(), client: "10.0.0.1".to_owned() };
        wait(scene.room.log(entry, NOW + at)).unwrap();
    }
    let (lines, n) = scene.room.log_lines(0, 2).unwrap();
    let kinds: Vec<&str> = lines.iter().map(|line| &*line.kind).collect();
    assert_eq!((kinds, n), (vec!["leave", "skip"], 3));
    assert!(lines[1].about.contains(", item ") && lines[0].client == "10.0.0.1");
    assert_eq!(scene.room.log_lines(2, 2).unwrap().0[0].kind, "enter");
    assert!(scene.room.counts().unwrap().people.iter().any(|(role, _)| role == "lead"));
}
