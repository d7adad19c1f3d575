//! What a case shows supports a reply: results of tools, calculations and times; and nothing else does.

use probity_gate::case::{
    Case, CaseId, Circumstances, Entry, Evidence, Reply, Role, Situation, ToolCall, Turn,
};
use probity_gate::gate::policy::PolicyFile;
use probity_gate::gate::{Defaults, Finding, Gate, Policies, PolicyTexts, Settings};

const POLICY: &str = r#"
[[source]]
id = "tickets"
version = "1"
text = "Tickets may be cancelled within 24 hours of booking. A change costs 30 EUR, a bag 25 EUR."
[source.facts]
remedies = ["cancellation", "discount"]
forbidden_remedies = ["compensation"]
"#;

fn gate() -> Gate {
    let sources = [PolicyFile { name: "policies.toml", text: POLICY }];
    let texts = PolicyTexts { sources: &sources, words: &[], allowed_claims: &[] };
    let (policies, _) = Policies::read(&texts, Defaults::default()).expect("good policies");
    Gate::new(Settings { policies: Some(policies), ..Settings::default() }).expect("no patterns")
}

/// The rules about claims that a reply breaks, after these calls (`name`, result) and this message of the customer.
#[track_caller]
fn check(calls: &[(&str, &str)], said: &str, reply: &str, want: &[&str]) {
    let tool = |(name, result): &(&str, &str)| ToolCall {
        name: (*name).to_owned(),
        arguments: None,
        result: Some((*result).to_owned()),
    };
    let mut evidence = Evidence::of_sources([("tickets", None)]);
    evidence.tools = calls.iter().map(tool).collect();
    check_case(evidence, vec![Turn { role: Role::Customer, text: said.into() }], reply, want);
}

#[track_caller]
fn check_case(evidence: Evidence, turns: Vec<Turn>, reply: &str, want: &[&str]) {
    let case = Case {
        circumstances: Circumstances {
            time: Some("2026-05-01T10:00:00Z".parse().expect("a moment")),
            ..Circumstances::default()
        },
        evidence: evidence.into(),
        ..Case::new(CaseId::new("case").expect("an id"), Situation::Conversation(turns))
    };
    let found = match gate().screen(Entry { case, reply: Reply::new(reply) }) {
        Ok(admitted) => admitted.flags().to_vec(),
        Err(blocked) => blocked.findings().to_vec(),
    };
    let rules: Vec<&str> = found.iter().filter_map(|found| found.rule().strip_prefix("claim.")).collect();
    assert_eq!(rules, want, "{reply:?}: {:?}", found.iter().map(message).collect::<Vec<_>>());
}

fn message(finding: &Finding) -> &str {
    &finding.sighting.message
}

#[test]
fn a_number_in_json_is_an_amount_in_any_currency_unless_it_names_one() {
    let price = [("get_fare", r#"{"economy": 155, "bag": {"price": "1.204,50"}}"#)];
    check(&price, "How much?", "The fare is $155, with bags €1,204.50.", &[]);
    check(&price, "How much?", "The fare is $165.", &["unsupported_figure"]);
    let euros = [("get_fare", r#"{"economy": 155, "currency": "EUR"}"#)];
    check(&euros, "How much?", "The fare is €155.", &[]);
    check(&euros, "How much?", "The fare is $155.", &["unsupported_figure"]);
    check(
        &[("get_fare", r#"{"price_usd": 155}"#)],
        "How much?",
        "The fare is €155.",
        &["unsupported_figure"],
    );
}

#[test]
fn a_result_can_be_a_table_elements_or_pairs() {
    let table = [("bands", "delay_min,percent_of_single\n15,25\n30,50")];
    check(&table, "How much?", "From 30 minutes on you get 50%.", &[]);
    check(&table, "How much?", "From 40 minutes on you get 50%.", &["unsupported_figure"]);
    let orders = [("orders", "no;total_eur\nA-1;42,10\nA-2;128,00")];
    check(&orders, "How much?", "You placed 2 orders for a total of €170.10.", &[]);
    let elements = [("charges", "<c><fuel gallons=\"6.2\" amount=\"46.50\"/><toll>15.90</toll></c>")];
    check(&elements, "Why?", "Fuel was $46.50, that is $7.50 a gallon, and the toll $15.90.", &[]);
    check(&elements, "Why?", "The toll was $16.90.", &["unsupported_figure"]);
    check(&[("ticket", "no=0417; items: 3; total=31.00")], "How much?", "It is $31.", &[]);
    check(&[("pass", "Antrag: 02.10.2026\nEingang: 21.10.2026")], "Da?", "It came on 21 October.", &[]);
}

#[test]
fn a_state_a_call_or_a_text_shows_a_deed() {
    let reply = "Your reservation has been cancelled.";
    check(&[("get_reservation", r#"{"status": "cancelled"}"#)], "Cancel it.", reply, &[]);
    check(&[("cancel_reservation", "ok")], "Cancel it.", reply, &[]);
    check(&[("notify", "The reservation was cancelled.")], "Cancel it.", reply, &[]);
    check(&[("cancelReservation", r#"{"id": 7}"#)], "Cancel it.", reply, &[]);
    check(&[], "Cancel it.", reply, &["unsupported_deed"]);
}

#[test]
fn a_call_that_failed_or_only_looks_shows_no_deed() {
    let (said, reply, want) = ("Cancel it.", "Your reservation has been cancelled.", &["unsupported_deed"]);
    check(&[("cancel_reservation", r#"{"error": "too late"}"#)], said, reply, want);
    check(&[("cancel_reservation", "Error: not found")], said, reply, want);
    check(&[("cancel_reservation", r#"{"success": false}"#)], said, reply, want);
    check(&[("cancel_reservation", r#"{"state": "requested"}"#)], said, reply, want);
    check(&[("cancel_reservation", r#"{"state": "NOT_CONFIRMED"}"#)], said, reply, want);
    check(&[("cancel_reservation", r#"{"failure_reason": "closed"}"#)], said, reply, want);
    check(&[("cancel_reservation", r#"{"booking": {"status": "rejected"}}"#)], said, reply, want);
    check(&[("cancel_reservation", r#"{"requires_approval": true}"#)], said, reply, want);
    check(&[("cancel_reservation", r#"{"cancelled": false}"#)], said, reply, want);
    check(&[("cancel_reservation", "null")], said, reply, want);
    check(&[("get_cancellation_rules", r#"{"fee": 10}"#)], said, reply, want);
    check(&[("cancel_reservation", "ok")], said, "Both reservations have been cancelled.", want);
}

#[test]
fn what_is_done_is_no_promise_unless_it_is_forbidden() {
    let refunded = [("refund_payment", r#"{"refunded": 20}"#)];
    check(&refunded, "Hello", "We have refunded you €20.", &[]);
    check(&refunded, "Hello", "We will refund you €20.", &["unsupported_promise"]);
    let paid = [("compensate", r#"{"compensated": true}"#)];
    check(&paid, "Hello", "We have compensated you.", &["unsupported_promise"]);
}

#[test]
fn a_message_of_the_system_can_be_a_result() {
    let turns = |text: &str| vec![Turn { role: Role::System, text: text.into() }];
    let sources = || Evidence::of_sources([("tickets", None)]);
    check_case(sources(), turns("cancel_reservation: ok"), "The ticket has been cancelled.", &[]);
    check_case(sources(), turns(r#"{"economy": 155}"#), "The fare is $155.", &[]);
}

#[test]
fn what_follows_from_supported_figures_is_supported() {
    let items =
        [("get_order", r#"{"items": [{"price": 34.5}, {"price": 12.25}], "seats": 3, "vat_percent": 10}"#)];
    check(&items, "I pay 100 and 40, right?", "That is $140 in total.", &[]);
    check(&items, "And both?", "Together they are $46.75.", &[]);
    check(&items, "For three?", "Three seats cost $103.50.", &[]);
    check(&items, "The difference?", "It is $22.25 more.", &[]);
    check(&items, "The difference?", "It is $23.25 more.", &["unsupported_figure"]);
    check(&items, "And roughly?", "That is about $47 together.", &[]);
    let premium = [("compare", r#"{"before": {"buildings": 268}, "now": {"buildings": 301.5}}"#)];
    check(&premium, "Why?", "Buildings cover went up by $33.50.", &[]);
    // A change with a bag, where the reply says that it adds up; what two fees of the policy differ by is no figure of the
    // case.
    check(&[], "What does it cost?", "Together that is 55 EUR.", &[]);
    check(&[], "What does it cost?", "It costs 55 EUR.", &["unsupported_figure"]);
    check(&[], "What does it cost?", "It costs 5 EUR.", &["unsupported_figure"]);
}

#[test]
fn a_calculation_that_is_written_out_must_come_out_right() {
    let fare = [("get_fare", r#"{"fare": 182.5, "bag": 64, "discount_percent": 15}"#)];
    check(&fare, "What is the sum of both?", "$182.50 + $64 = $246.50.", &[]);
    check(&fare, "What is the sum of both?", "$182.50 + $64 = $256.50.", &["wrong_arithmetic"]);
    check(&fare, "What do two of them cost?", "2 x $64 = $128.", &[]);
    check(&fare, "What is the whole?", "It is $182.50 + 2 x $64 = $310.50.", &[]);
    check(&fare, "What is the share of it?", "15% of $64 is $9.60.", &[]);
    check(&fare, "What is the share of it?", "15% of $64 is $8.60.", &["wrong_arithmetic"]);
    check(&fare, "What is twice the price of it?", "Twice $64 makes $138.", &["wrong_arithmetic"]);
    check(&fare, "All?", "The fare is $182.50 and the bag $64, in total $256.50.", &["wrong_arithmetic"]);
    check(&fare, "All?", "2 x $64 = $128, and $182.50 + 2 x $64 = $310.50.", &[]);
}

#[test]
fn times_are_held_against_the_moments_of_the_case() {
    let booked = [("get_reservation", r#"{"created_at": "2026-04-29T08:12:00Z", "minutes": 110}"#)];
    check(&booked, "Cancel?", "It was booked more than 24 hours ago.", &[]);
    check(&booked, "Cancel?", "It was booked less than 24 hours ago.", &["contradicted"]);
    check(&booked, "Cancel?", "It was booked two days ago.", &[]);
    check(&booked, "How long?", "It takes 1 hour and 50 minutes.", &[]);
    check(&booked, "How long?", "It takes 1 hour and 40 minutes.", &["unsupported_figure"]);
    check(&booked, "When?", "You booked on April 29, 2026.", &[]);
    check(&booked, "When?", "You booked on April 27, 2026.", &["unsupported_figure"]);
}

#[test]
fn times_of_day_and_counts_are_held_against_the_case() {
    let outage =
        [("get_outage", r#"{"since": "2026-05-01T06:50:00Z", "fixed_by": "16:00", "households": 412}"#)];
    check(&outage, "Since when?", "It began at 6:50 am and should be fixed by 4 pm.", &[]);
    check(&outage, "When?", "It should be fixed by 6 pm.", &["unsupported_figure"]);
    check(&outage, "How long?", "It takes 9 hours and 10 minutes.", &[]);
    check(&outage, "Who?", "It affects 412 households. You have two ways to report it.", &[]);
    check(&outage, "Who?", "It affects 4,120 households.", &["unsupported_figure"]);
}

#[test]
fn an_act_needs_a_call_and_a_message_only_where_tools_act() {
    let looked_up = [("get_order", r#"{"status": "processing", "changed": false}"#)];
    check(&looked_up, "Add a note.", "I've added the note.", &["unsupported_deed"]);
    check(&looked_up, "Changed?", "Your seat was changed.", &["unsupported_deed"]);
    check(&[("add_note", "ok")], "Add a note.", "I've added the note.", &[]);
    check(&[("standing_order", r#"{"ok": true}"#)], "Set it up.", "The standing order has been set up.", &[]);
    check(&[], "Add a bag.", "I've added the bag.", &["unsupported_deed"]);
    check(&[], "Tell them.", "I've informed the driver.", &[]);
}

#[test]
fn a_deed_needs_a_call_of_its_own() {
    let want = &["unsupported_deed"];
    let refunds = [(
        "issue_refund",
        r#"{"refunds": [{"amount": 5.5, "status": "SUCCESS"}, {"amount": 2.49, "status": "FAILED"}]}"#,
    )];
    let said = "I paid 5.50 and 2.49.";
    check(&refunds, said, "I've refunded the £5.50.", &[]);
    check(&refunds, said, "I've refunded the £2.49.", want);
    let registered = [("create_return", r#"{"status": "registered", "refund_amount": 20}"#)];
    check(&registered, "Back.", "Your return is registered.", &[]);
    check(&registered, "Back.", "Your money has been refunded.", want);
    let blocked = [("block_card", r#"{"status": "blocked"}"#)];
    check(&blocked, "Lost.", "I've blocked your card.", &[]);
    check(&blocked, "Lost.", "I've blocked your card. I've also blocked your other one.", want);
    let noticed = [("set_travel_notice", r#"{"country": "JP", "active": true}"#)];
    check(&noticed, "Japan.", "I've set a travel notice for Japan.", &[]);
    check(&noticed, "Japan.", "I've raised your daily limit.", want);
    let added = [("update_policy", r#"{"drivers": ["Ann Lee", "Tom Lee"]}"#)];
    check(&added, "Add Tom.", "I've updated your policy.", &[]);
}

#[test]
fn what_happened_is_shown_by_whatever_states_it() {
    let charged = [("get_charges", r#"{"items": [{"amount": 8.5, "date": "2026-04-12"}]}"#)];
    check(&charged, "8.50?", "The fee of €8.50 was withdrawn on April 12.", &[]);
    check(&charged, "8.50?", "The fee of €8.50 has been waived.", &["unsupported_deed"]);
    let assessed = [("get_claim", r#"{"status": "ASSESSED"}"#)];
    check(&assessed, "My claim?", "Your claim has been assessed.", &[]);
    check(&assessed, "My claim?", "Your claim has been escalated.", &["unsupported_deed"]);
    let found = [("get_order", r#"{"status": "delivered", "on": "2026-04-20"}"#)];
    check(&found, "Where?", "I found your order, delivered on 20 April.", &[]);
    let moved = [("get_event", r#"{"status": "RESCHEDULED"}"#)];
    check(&moved, "Moved?", "The show has been moved.", &[]);
    check(&moved, "Moved?", "Your show is cancelled.", &["unsupported_deed"]);
}

#[test]
fn one_call_shows_one_deed_in_whatever_words() {
    let want = &["unsupported_deed"];
    let booked = [("book_table", r#"{"reservation": "RS1"}"#)];
    check(&booked, "A table.", "I've booked your table and arranged a cake.", want);
    let blocked = [("block_card", r#"{"status": "blocked"}"#)];
    check(&blocked, "Lost.", "Your card is blocked. I've also ordered a new card.", want);
    check(&[("generate_invoice", r#"{"no": "F-1"}"#)], "Invoice?", "I've generated the invoice.", &[]);
    check(&[("check_in", r#"{"ok": true}"#)], "In?", "I've checked you in for the flight.", &[]);
    let sent = [("find_order", r#"{"qty": 4}"#), ("resend_tickets", r#"{"sent": true}"#)];
    check(&sent, "My tickets?", "I've sent your four tickets.", &[]);
    let refund = [("get_return", r#"{"refund": {"amount": 20, "issued_at": "2026-04-08"}}"#)];
    check(&refund, "Money?", "The refund of $20 was issued.", &[]);
    let paid_back = [("update_flights", r#"{"payments": [{"amount": 702}, {"amount": -36}]}"#)];
    check(&paid_back, "Money?", "The refund of $36 was issued.", &[]);
    let pending = [("get_return", r#"{"refund": {"amount": 20, "status": "pending"}}"#)];
    check(&pending, "Money?", "The refund of $20 was issued.", want);
}

#[test]
fn words_that_name_something_else_are_read_as_that() {
    check(&[], "Hello", "I found two nonstop return flights.", &[]);
    check(&[], "Hello", "Please tell me the departure (and return, if round-trip) dates.", &[]);
    check(&[], "Hello", "Your ticket was booked under an economy fare.", &[]);
    check(&[], "Hello", "The payment will be processed using your original gift card.", &[]);
    check(&[], "Hello", "We would like to extend a discount to you.", &[]);
    check(&[], "Hello", "We will extend your ticket.", &["unsupported_promise"]);
    check(&[], "Hello", "Hold the button for 30 seconds.", &[]);
}

/// What a bot with tools says, by what the conversation shows: its turns (`tool: …` for what a tool wrote, else the
/// customer's), the reply, and what is found.
#[test]
fn what_a_conversation_shows_is_read_however_it_is_written() {
    let rows: &[(&[&str], &str, &[&str])] = &[
        // A figure of a tool, as JSON with and without a currency, and as text with and without one.
        (&["How much is the window seat?", "tool: {\"window\": 42}"], "A window seat is $42.", &[]),
        (&["How much?", "tool: {\"fee\": 42, \"currency\": \"USD\"}"], "The fee is $42.", &[]),
        (&["How much?", "tool: The fee is 42."], "The fee is $42.", &[]),
        (&["How much?", "tool: The fee is 42 USD."], "The fee is $42.", &[]),
        (&["How much?", "tool: The fee is 42."], "The fee is $43.", &["unsupported_figure"]),
        // A deed, as a state, as a sentence and as a call.
        (
            &["Please cancel.", "tool: {\"booking\": \"KQ7T2M\", \"status\": \"cancelled\"}"],
            "Your booking KQ7T2M has been cancelled.",
            &[],
        ),
        (
            &["Please cancel.", "tool: Booking KQ7T2M has been cancelled."],
            "Your booking KQ7T2M has been cancelled.",
            &[],
        ),
        (&["Please cancel.", "tool: cancel_booking: ok"], "Your booking has been cancelled.", &[]),
        (&["Please cancel."], "Your booking has been cancelled.", &["unsupported_deed"]),
        // Words that name a remedy or a deed elsewhere.
        (&["Can I still change it?"], "The trip was booked more than 24 hours ago.", &[]),
        (&["Move my seat."], "The difference was charged to your original gift card.", &["unsupported_deed"]),
        (&["Trains to Graz?"], "There are two direct return trains to Graz.", &[]),
        (&["Book a trip."], "Which day do you leave, and (if it is a round trip) when do you return?", &[]),
        // "Extend" offers the discount, whose share nothing supports; a longer warranty is a promise of its own.
        (&["It came late."], "We are happy to extend a 15% discount to you.", &["unsupported_figure"]),
        (&["Hm."], "We will extend your warranty.", &["unsupported_promise"]),
        (&["So I pay $30 and $25?"], "Right, $55 altogether.", &[]),
    ];
    for (turns, reply, want) in rows {
        let turn = |said: &&str| match said.strip_prefix("tool: ") {
            Some(text) => Turn { role: Role::System, text: text.into() },
            None => Turn { role: Role::Customer, text: (*said).into() },
        };
        let evidence = Evidence::of_sources([("tickets", None)]);
        check_case(evidence, turns.iter().map(turn).collect(), reply, want);
    }
}

#[test]
fn what_could_be_calculated_of_anything_is_not_supported() {
    let stay = [(
        "get_hotel",
        r#"{"total": 568, "nights": 4, "nightly": 142, "parking": 18, "other": [{"total": 386}, {"total": 352}]}"#,
    )];
    let said = "The room is €568 and parking for four nights adds €72. All in, it would come to ";
    check(&stay, "And with parking?", &format!("{said}€640."), &[]);
    check(&stay, "And with parking?", &format!("{said}€650."), &["wrong_arithmetic"]);
    let card = [("get_card", r#"{"limit": 500, "spent": 455, "left": 45, "tried": 64.2}"#)];
    check(&card, "By how much?", "By $19.20.", &[]);
    check(&card, "By how much?", "By $29.20.", &["unsupported_figure"]);
}

#[test]
fn ranges_are_read_and_numbers_of_orders_are_none() {
    let order = [(
        "get_order",
        r#"{"order": "55-1209", "eta_min": 25, "eta_max": 35, "coupon": {"percent": 15, "min": 50}}"#,
    )];
    check(&order, "When?", "It takes 25 to 35 minutes, and carts from $50 get 15 % off.", &[]);
    check(&order, "When?", "It keeps for 14 days.", &["unsupported_figure"]);
}

#[test]
fn days_are_read_without_their_month_or_year() {
    let visit = [("get_visit", r#"{"received": "2026-01-19", "inspected": "2026-01-23"}"#)];
    check(&visit, "And?", "It came on Monday the 19th and was inspected on Friday the 23rd.", &[]);
    check(&visit, "And?", "It was inspected on Thursday the 23rd.", &["unsupported_figure"]);
    let german =
        |day: &str| format!("Ihre Sendung wurde am {day} zwischen zehn und elf Uhr bei uns geprüft.");
    check(&visit, "Wann wurde das geprüft?", &german("23.01."), &[]);
    check(&visit, "Wann wurde das geprüft?", &german("24.01."), &["unsupported_figure"]);
}
