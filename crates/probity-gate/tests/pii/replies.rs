//! Whole replies as support writes them: what is normal in one is not personal data.

use super::{Row, Say};
use super::{Want, check_row, say, scanner, sightings};

#[track_caller]
fn check(reply: &'static str, want: Want) {
    let says: &'static [Say] = Box::leak(Box::new([say(reply)]));
    check_row(&Row { name: "reply", want, says });
}

#[test]
fn an_ordinary_reply_is_clear() {
    check(
        "Hi John,\n\nThanks for reaching out about order #112-3456789-1234567. Your refund of $49.99 was issued on \
         2024-11-30 and should reach your Visa ending in 4242 within 5-7 business days (by December 7, 2024).\n\n\
         You can track the replacement (UPS 1Z999AA10123456784) at https://acme-shop.com/track?id=9400111899223344556677 \
         or call us at 1-800-555-0134, Mon-Fri 9:00-17:00 EST.\n\nBest regards,\nMaria\nAcme Support Team",
        Want::Ok,
    );
}

#[test]
fn instructions_with_numbers_are_clear() {
    check(
        "1. Open Settings > Account (version 14.2.1.3).\n2. Choose Reset password; it must have at least 8 characters.\n\
         3. Enter the 6-digit code that we sent by text message. The code expires in 15 minutes.\n4. Restart the router \
         (192.168.1.1) and wait 30 seconds.\n\nIf error 0x80070057 or E-1042 appears, send a photo of the serial number \
         SN 4539237301631479 and quote case 00123456.",
        Want::Ok,
    );
}

#[test]
fn shop_talk_is_clear() {
    check(
        "Model X-2000, size 10 1/2, 3 for 2, SKU 88012, lot 20241130, 1,234,567 sold, 12 x 34 cm, 50% off",
        Want::Ok,
    );
    check(
        "Delivery between Mon 2 Dec and Fri 6 Dec, 08:00 - 12:00. 2 items left, 14 days to return.",
        Want::Ok,
    );
    check(
        "The iPhone 14 Pro 256 GB (A2890) costs 999 USD; Windows 11 Pro 64 bit needs 2 TB Drive space.",
        Want::Ok,
    );
    check(
        "Your package left Memphis, TN 38118 at 10:30 and will drive 120 miles on the main road.",
        Want::Ok,
    );
    check(
        "One or two days, three at most; four, five or six for Alaska. Section 3.2.1 of the terms (2024).",
        Want::Ok,
    );
    check(
        "Reply within 24 hours. 30 days from 05/11/2024. Ticket 2024-11-30-0917 is closed. Ref: 7788990011",
        Want::Ok,
    );
    check(
        "UUID 123e4567-e89b-12d3-a456-426614174000, commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        Want::Ok,
    );
    check("Follow @acmeshop or press *611# on your phone; add logo@2x.png; a 4.5 @ 20 deal.", Want::Ok);
}

#[test]
fn a_contact_called_the_companys_own_is_only_flagged() {
    check(
        "Email us at hello@acme.example or call our support line at 212-555-7788.",
        Want::Warn("pii.unlisted_contact"),
    );
    check("Visit our store at 12 Oak Street, Springfield.", Want::Warn("pii.unlisted_contact"));
}

#[test]
fn the_settings_that_would_list_a_contact_are_named() {
    let seen = sightings(
        scanner(),
        &say("Email us at hello@acme.example or call our support line at 212-555-7788."),
    );
    let expected: Vec<_> = seen.iter().filter_map(|seen| seen.expected.as_deref()).collect();
    let want = ["`own_domains = [\"acme.example\"]`", "`own_phones`"]
        .map(|one| format!("{one} under [gate], if it is the company's own"));
    assert_eq!(expected, want);
}

#[test]
fn a_number_in_words_that_is_a_card_is_a_card() {
    check(
        "four five three nine two three seven three zero one six three one four seven nine",
        Want::Leak("pii.card"),
    );
}
