//! The rows of the table of personal data: what each says, and what the check makes of it.
//!
//! A row holds several spellings of one thing, and every spelling must come out as the row says. All values
//! are made up; their check digits are right.

use super::{Row, Want, check_row, say};

macro_rules! rows {
    ($($name:ident $want:expr => [$($say:expr),* $(,)?];)*) => {
        $(
            #[test]
            fn $name() {
                const ROW: Row = Row { name: stringify!($name), want: $want, says: &[$($say),*] };
                check_row(&ROW);
            }
        )*

        /// Every row, in order.
        pub(crate) const ROWS: &[Row] = &[$(Row { name: stringify!($name), want: $want, says: &[$($say),*] }),*];
    };
}

const CARD: Want = Want::Leak("pii.card");
const EMAIL: Want = Want::Leak("pii.email");
const PHONE: Want = Want::Leak("pii.phone");
const SSN: Want = Want::Leak("pii.national_id");
const IBAN: Want = Want::Leak("pii.iban");
const ADDRESS: Want = Want::Leak("pii.address");
const SECRET: Want = Want::Leak("pii.secret");

rows! {
    p01_card_bare CARD => [
        say("Your card 4539237301631479 was charged."),
        say("The number is 5412474575090582."),
        say("6011056791075530"),
        say("We see 3528914118061562 and nothing else."),
        say("Diners 36124331842480 is on file"),
    ];
    p02_card_hyphens CARD => [
        say("Card 4539-2373-0163-1479 was declined."),
        say("it is 4539-2373-0163-1479"),
        say("(5412-4745-7509-0582)"),
    ];
    p03_card_spaces CARD => [
        say("Card 4539 2373 0163 1479 was declined."),
        say("We refunded 4539  2373  0163  1479."),
        say("4539 2373 0163 1479, 12/27, 123"),
        say("Two cards: 4539 2373 0163 1479 5412 4745 7509 0582"),
    ];
    p04_card_dots CARD => [
        say("Card 4539.2373.0163.1479."),
        say("5412.4745.7509.0582 was charged"),
    ];
    p05_card_unicode_spaces CARD => [
        say("Card 4539\u{a0}2373\u{a0}0163\u{a0}1479 here"),
        say("Card 4539\u{2009}2373\u{2009}0163\u{2009}1479 here"),
        say("Card 4539\u{2007}2373\u{2007}0163\u{2007}1479 here"),
        say("Card 4539\u{202f}2373\u{202f}0163\u{202f}1479 here"),
        say("Card 4539\u{3000}2373\u{3000}0163\u{3000}1479 here"),
        say("Card 4539\u{2011}2373\u{2011}0163\u{2011}1479 here"),
    ];
    p06_card_zero_width CARD => [
        say("Card 4539\u{200b}2373\u{200b}0163\u{200b}1479 here"),
        say("Card 4539\u{200d}2373\u{200d}0163\u{200d}1479 here"),
        say("Card 4539\u{2060}2373\u{2060}0163\u{2060}1479 here"),
        say("Card 4539\u{feff}2373\u{feff}0163\u{feff}1479 here"),
        say("Card 4539\u{ad}2373\u{ad}0163\u{ad}1479 here"),
        say("Card 4\u{200b}5\u{200b}3\u{200b}9\u{200b}2\u{200b}3\u{200b}7\u{200b}3\u{200b}0\u{200b}1\u{200b}6\u{200b}3\u{200b}1\u{200b}4\u{200b}7\u{200b}9"),
    ];
    p07_card_full_width CARD => [
        say("Card \u{ff14}\u{ff15}\u{ff13}\u{ff19}\u{ff12}\u{ff13}\u{ff17}\u{ff13}\u{ff10}\u{ff11}\u{ff16}\u{ff13}\u{ff11}\u{ff14}\u{ff17}\u{ff19} here"),
        say("\u{ff14}\u{ff15}\u{ff13}\u{ff19}\u{ff12}\u{ff13}\u{ff17}\u{ff13}\u{ff10}\u{ff11}\u{ff16}\u{ff13}\u{ff11}\u{ff14}\u{ff17}\u{ff19}"),
    ];
    p08_card_other_scripts CARD => [
        say("Card \u{664}\u{665}\u{663}\u{669} \u{662}\u{663}\u{667}\u{663} \u{660}\u{661}\u{666}\u{663} \u{661}\u{664}\u{667}\u{669} here"),
        say("\u{96a}\u{96b}\u{969}\u{96f}\u{968}\u{969}\u{96d}\u{969}\u{966}\u{967}\u{96c}\u{969}\u{967}\u{96a}\u{96d}\u{96f}"),
        say("Card \u{1d7dc}\u{1d7dd}\u{1d7db}\u{1d7e1} 2373 0163 1479"),
    ];
    p09_card_digit_by_digit CARD => [
        say("The digits are 4 5 3 9 2 3 7 3 0 1 6 3 1 4 7 9."),
        say("4-5-3-9-2-3-7-3-0-1-6-3-1-4-7-9"),
        say("it is 4, 5, 3, 9, 2, 3, 7, 3, 0, 1, 6, 3, 1, 4, 7, 9"),
    ];
    p10_card_over_lines CARD => [
        say("Card:\n4539\n2373\n0163\n1479\nThanks"),
        say("Card:\n- 4539\n- 2373\n- 0163\n- 1479\n"),
        say("1. 4539\n2. 2373\n3. 0163\n4. 1479\n"),
        say("| 4539 | 2373 | 0163 | 1479 |"),
        say("4539\t2373\t0163\t1479"),
        say("<td>4539</td><td>2373</td><td>0163</td><td>1479</td>"),
        say("* 4539\n* 2373\n* 0163\n* 1479\n"),
        say("\u{2022} 4539\n\u{2022} 2373\n\u{2022} 0163\n\u{2022} 1479\n"),
        say("4539, 2373, 0163, 1479"),
    ];
    p11_card_american_express CARD => [
        say("Amex 3714 939721 45278 was used."),
        say("371493972145278"),
        say("3714-939721-45278"),
    ];
    p12_card_underscores CARD => [
        say("Card 4539_2373_0163_1479"),
        say("file_4539_2373_0163_1479"),
    ];
    p13_card_slashes CARD => [
        say("Card 4539/2373/0163/1479"),
        say("it is 4539 / 2373 / 0163 / 1479"),
    ];
    p14_email_plain EMAIL => [
        say("Write to jane.doe@fastmail.net please."),
        say("(JANE_DOE+x@mail.fastmail.co.uk)"),
        say("<jane@fastmail.net>"),
        say("**jane@fastmail.net**"),
        say("mailto:jane@fastmail.net"),
    ];
    p15_email_square_brackets EMAIL => [
        say("jane.doe [at] fastmail [dot] net"),
        say("jane[at]fastmail[dot]net"),
        say("jane {at} fastmail {dot} co {dot} uk"),
    ];
    p16_email_round_brackets EMAIL => [
        say("jane (at) fastmail.net"),
        say("jane.doe(at)fastmail(dot)net is hers"),
    ];
    p17_email_in_words EMAIL => [
        say("It is jane.doe AT fastmail DOT net"),
        say("jane AT fastmail DOT net"),
        say("jane at gmail dot com"),
        say("jane dot doe at gmail dot com"),
    ];
    p18_email_full_width EMAIL => [
        say("jane.doe\u{ff20}fastmail.net"),
        say("jane\u{ff20}fastmail\u{ff0e}net"),
    ];
    p19_email_zero_width EMAIL => [
        say("jane@fast\u{200b}mail.net"),
        say("ja\u{2060}ne@fastmail\u{200b}.net"),
    ];
    p20_email_spaced EMAIL => [
        say("jane @ fastmail . net"),
        say("jane.doe @fastmail.net"),
        say("jane@ fastmail.net"),
    ];
    p21_email_homoglyphs EMAIL => [
        say("jane@fastm\u{430}il.net"),
        say("support@\u{430}cme-shop.com"),
        say("jane@b\u{fc}cher.de"),
        say("jane@xn--bcher-kva.de"),
    ];
    p22_phone_brackets PHONE => [
        say("You can reach Jane at (415) 555-2671."),
        say("(415)555-2671"),
        say("Her number: (415) 555-2671"),
    ];
    p23_phone_dots PHONE => [
        say("Call him on 415.555.2671."),
        say("415.555.2671"),
    ];
    p24_phone_british PHONE => [
        say("Her phone is +44 20 7946 0958."),
        say("+447700900123"),
        say("07700 900 123"),
        say("020 7946 0958"),
    ];
    p25_phone_bare PHONE => [
        say("Jane asked to be called at 4155552671."),
        say("4155552671"),
        say("his mobile is 14155552671"),
    ];
    p26_number_in_words Want::Warn("pii.spelled_number") => [
        say("four one five five five five two six seven one"),
        say("It is four-one-five, five-five-five, two-six-seven-one."),
        say("Four one five double five five two six seven one"),
    ];
    p27_phone_extension PHONE => [
        say("Call her at 415-555-2671 ext. 204"),
        say("1-415-555-2671 x12"),
    ];
    p28_phone_indian PHONE => [
        say("He wrote from +91 98765 43210."),
        say("+91-9876543210"),
        say("+919876543210"),
    ];
    p29_ssn_hyphens SSN => [
        say("The number is 219-09-9999."),
        say("SSN: 219-09-9999"),
        say("219-09-9999"),
    ];
    p30_ssn_bare_with_label SSN => [
        say("Your SSN 219099999 is on file."),
        say("social security number: 219099999"),
    ];
    p31_ssn_spaces SSN => [
        say("SSN 219 09 9999"),
        say("It is 219 09 9999 then."),
    ];
    p32_iban_spaced IBAN => [
        say("Refund to GB29 NWBK 6016 1331 9268 19 today."),
        say("DE44 5001 0517 5407 3249 31"),
        say("FR14 2004 1010 0505 0001 3M02 606"),
    ];
    p33_iban_tight IBAN => [
        say("Refund to GB29NWBK60161331926819."),
        say("IBAN:NL91ABNA0417164300"),
    ];
    p34_iban_lower_case IBAN => [
        say("refund to gb29nwbk60161331926819"),
        say("de44 5001 0517 5407 3249 31"),
    ];
    p35_street_address ADDRESS => [
        say("We shipped it to 742 Evergreen Terrace, Springfield, IL 62704."),
        say("221B Baker Street\nLondon NW1 6XE"),
        say("Hauptstra\u{df}e 5, 10115 Berlin"),
        say("12 rue de la Paix, 75002 Paris"),
        say("12 Wattle Grove Road, Carlton VIC 3053"),
        say("Jane lives at 12 oak street"),
        say("Deliver to 1600 N. 5th Ave., Apt. 4, Phoenix, AZ 85004"),
        say("PO Box 1234, Austin, TX 78701"),
        say("Rooseveltlaan 110, 1079 Utrecht"),
    ];
    p36_date_of_birth Want::Leak("pii.birth_date") => [
        say("Your date of birth is 1990-03-05."),
        say("DOB: 03/05/1990"),
        say("She was born on March 5, 1990."),
        say("birthday: 5 Mar 1990"),
    ];
    p37_identity_document Want::Leak("pii.identity_document") => [
        say("Your passport number is X1234567."),
        say("driver's license D1234567"),
        say("Driving licence no. MORGA657054SM9IJ"),
        say("Passport: 533401372"),
    ];
    p38_password_or_code SECRET => [
        say("Your password is Hunter2!x"),
        say("Temporary password: blue-Horse7"),
        say("Your one-time code is 493021."),
        say("OTP: 493021"),
        say("PIN is 4821"),
        say("CVV 123"),
        say("Your verification code: 493 021"),
    ];
    p39_keys_and_tokens SECRET => [
        say("Use sk_live_9aB3cD5eF7gH1iJ2kL4m"),
        say("key AKIAQ7Z3M5X1B9V2C8N4"),
        say("token eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI4NDIxMyIsImlhdCI6MTczMTMxMjAwMH0.q3Zr8Wm2Lk5Tn7Vb9Xc1Yd4Hf6Js0Pg"),
        say("Authorization: Bearer 9aB3cD5eF7gH1iJ2kL4m"),
        say("api key: 9aB3cD5eF7gH1iJ2kL4m"),
        say("ghp_9aB3cD5eF7gH1iJ2kL4m6nO8pQ0rS"),
        say("-----BEGIN RSA PRIVATE KEY-----"),
    ];
    p40_network_address Want::Leak("pii.ip") => [
        say("You signed in from 81.2.69.142."),
        say("2a02:c7c:5b6::1"),
        say("IP address: 81.2.69.142"),
    ];
    p41_order_that_looks_like_a_card Want::Ok => [
        say("Order #4539237301631479"),
        say("Your order number is 4539237301631479."),
        say("4539237301631479 is your tracking number"),
        say("invoice 4539237301631479 was paid"),
    ];
    p42_amazon_order Want::Ok => [
        say("Your order 112-3456789-1234567 shipped."),
        say("112-3456789-1234567"),
    ];
    p43_parcel_ups Want::Ok => [
        say("Tracking: 1Z999AA10123456784"),
        say("1Z999AA10123456784"),
        say("1Z 999 AA1 01 2345 6784"),
    ];
    p44_parcel_usps Want::Ok => [
        say("9400111899223344556677"),
        say("Track 9400 1118 9922 3344 5566 77"),
        say("9205 5412 4745 7509 0582 11"),
        say("420941119400111899223344556677"),
    ];
    p45_parcel_fedex Want::Ok => [
        say("FedEx 771234567890"),
        say("771234567890"),
        say("7712 3456 7890"),
        say("961207712345678"),
    ];
    p46_sku_that_looks_like_a_card Want::Ok => [
        say("SKU 4539237301631479"),
        say("AC-4539237301631479"),
        say("The AC-4539237301631479 is back."),
    ];
    p47_ticket_number Want::Ok => [
        say("ticket 2024-11-30-0917"),
        say("2024-11-30-0917"),
    ];
    p48_epoch Want::Ok => [
        say("1731312000123"),
        say("at 1731312000123 and 1731312000"),
        say("logged 1731312000"),
    ];
    p49_company_phone Want::Ok => [
        say("Call us at 1-800-555-0134."),
        say("(415) 555-0100"),
        say("+1 415 555 0100"),
        say("Ring 0800 123 4567"),
    ];
    p50_company_address Want::Ok => [
        say("Write to help@acme-shop.com."),
        say("jane@acme-shop.com"),
        say("jane@mail.acme-shop.com"),
        say("Send it to 500 Warehouse Way, Columbus, OH 43004."),
    ];
    p51_money_and_dates Want::Ok => [
        say("$4,539.23 on 2024-11-30 at 10:30"),
        say("EUR 1.234,56 from 12/05/2024 to 14/05/2024"),
        say("23/11/2024 24/12/2024"),
        say("Total: 4539.23 + 7.30"),
        say("3-5 business days"),
        say("call within 24 hours of 2024-11-30"),
    ];
    p52_gtin Want::Ok => [
        say("GTIN 4006381097628"),
        say("4006381333931"),
        say("EAN 4006381097628"),
    ];
    p53_isbn Want::Ok => [
        say("ISBN 978-3-16-148410-0"),
        say("ISBN 0-306-40615-2"),
        say("9783161484100"),
        say("978-0-306-40615-7"),
    ];
    p54_last_four_in_words Want::Ok => [
        say("the card ending in 4242"),
        say("Visa ending in 4242 was charged"),
        say("last four digits 4242"),
        say("Hi Jane, your card ending in 4242 was charged."),
    ];
    p55_last_four_bullets Want::Ok => [
        say("\u{2022}\u{2022}\u{2022}\u{2022} 4242"),
        say("\u{2022}\u{2022}\u{2022}\u{2022} \u{2022}\u{2022}\u{2022}\u{2022} \u{2022}\u{2022}\u{2022}\u{2022} 4242"),
        say("**** **** **** 4242"),
    ];
    p56_last_four_crosses Want::Ok => [
        say("xxxx-4242"),
        say("XXXX XXXX XXXX 4242"),
        say("****4242"),
    ];
    p57_version Want::Ok => [
        say("version 10.2.3.4"),
        say("v81.2.69.142"),
        say("firmware 81.2.69.142"),
        say("iOS 17.1.2"),
    ];
    p58_partial_number Want::Ok => [
        say("the number starts with 4539 23"),
        say("4539 2373"),
        say("4539 2373 0163"),
    ];
    p59_long_invoice Want::Ok => [
        say("Invoice 45392373016314790"),
        say("45392373016314790"),
        say("INV-4539237301631479"),
    ];
    p60_coupon Want::Ok => [
        say("Use SAVE20-4539 today"),
        say("code WELCOME-2024-4539"),
        say("coupon 4539237301631479"),
        say("Your discount code is SAVE2024"),
    ];
    p61_card_end_name_and_address Want::Leak("pii.linked") => [
        say("Visa ending in 4242, Jane Doe, 742 Evergreen Terrace, Springfield"),
        say("Jane Doe\n742 Evergreen Terrace\nSpringfield, IL 62704\n**** 4242"),
    ];
    p62_card_end_and_name Want::Warn("pii.last_four_with_name") => [
        say("Jane Doe paid with the Visa ending in 4242."),
        say("Dear Ludmila Novak, the card \u{2022}\u{2022}\u{2022}\u{2022} 4242 was charged."),
    ];
    p63_reverse_mask CARD => [
        say("4539 2373 0163 ****"),
        say("453923730163XXXX"),
        say("4539-2373-0163-\u{2022}\u{2022}\u{2022}\u{2022}"),
    ];
    p64_first_six_and_last_four Want::Warn("pii.part_masked") => [
        say("4539 23\u{2022}\u{2022} \u{2022}\u{2022}\u{2022}\u{2022} 1479"),
        say("453923******1479"),
    ];
    p65_masked_email Want::Ok => [
        say("j***@fastmail.net"),
        say("j\u{2022}\u{2022}\u{2022}@fastmail.net"),
        say("ja*****@fastmail.net"),
    ];
    p65_masked_email_that_shows_much Want::Warn("pii.part_masked") => [
        say("jane.d**@fastmail.net"),
        say("jane.***@fastmail.net"),
    ];
    p66_masked_phone Want::Ok => [
        say("***-***-2671"),
        say("(***) ***-2671"),
        say("xxx-xxx-2671"),
    ];
    p67_own_data_echo Want::Warn("pii.own_data_echo") => [
        say("We will write to jane.doe@fastmail.net.").customer(&["my mail is Jane.Doe@fastmail.net"]),
        say("We call you at (415) 555-2671.").customer(&["call 4155552671"]),
        say("We call +1 415-555-2671.").customer(&["my phone is 415 555 2671"]),
        say("We ship to 742 Evergreen Terrace, Springfield, IL 62704.").customer(&["send it to 742 evergreen terrace"]),
        say("It is for Jane Doe.").customer(&["I am Jane Doe"]).known(&["Jane Doe"]),
        say("Card 4539 2373 0163 1479 is fine.").customer(&["my card 4539237301631479 fails"]),
    ];
    p67_data_of_another_person EMAIL => [
        say("Ask john.roe@fastmail.net.").customer(&["my mail is jane.doe@fastmail.net"]),
        say("Ask john.roe@fastmail.net.").customer(&[]),
    ];
    p67_data_that_the_case_lists Want::Leak("pii.known") => [
        say("It is for Jane Doe.").known(&["Jane Doe"]),
        say("It is with JANE  DOE now.").customer(&["where is it?"]).known(&["Jane Doe"]),
        say("We told Novak about it.").known(&["Ludmila Novak"]),
        say("Account 77-12-3456 is open.").known(&["77123456"]),
        say("Call 415/555/2671.").known(&["+1 (415) 555-2671"]),
        say("The user jane.doe7 is blocked.").known(&["jane.doe7@fastmail.net"]),
        say("It went to 12 Nelkenring yesterday.").known(&["12 Nelkenring, 10115 Berlin"]),
        say("Jos\u{e9} Garc\u{ed}a has it.").known(&["Jose Garcia"]),
    ];
    p67_greeting_by_first_name Want::Ok => [
        say("Hi Jane, it is on its way.").known(&["Jane Doe"]),
        say("Dear Ms. Doe, it is on its way.").known(&["Jane Doe"]),
        say("Hi John, thanks for writing!"),
    ];
    p68_only_the_customer_wrote_it Want::Ok => [
        say("We will look into it.").customer(&["card 4539237301631479, jane@fastmail.net"]),
    ];
    p69_test_values CARD => [
        say("4242 4242 4242 4242"),
        say("Card 4111111111111111"),
        say("try 5555555555554444"),
    ];
    p69_test_phones PHONE => [
        say("(212) 555-0123"),
        say("Call Jane at 212-555-0199"),
    ];
    p69_test_domains EMAIL => [
        say("jane@example.com"),
        say("jane.doe@example.org"),
    ];
    p70_split_over_turns CARD => [
        say("and the rest is 0163 1479.").earlier(&["The card starts with 4539 2373"]),
        say("1479").earlier(&["The digits are 4539", "2373", "0163"]),
        say("The other half is 01631479, ok?").earlier(&["The first half of the card is 45392373.", "Sure."]),
    ];
    p70_split_number_or_email Want::AnyLeak => [
        say("and then 9999").earlier(&["The SSN is 219-09"]),
        say("@fastmail.net is the end.").earlier(&["It starts with jane.doe"]),
        say("fastmail.net").earlier(&["It starts with jane.doe@"]),
        say("then 555 2671").earlier(&["Her phone is 415"]),
    ];
    p70_other_numbers Want::Ok => [
        say("The 4-digit number on the back is enough; it costs $49.99 until 2024-12-07.")
            .earlier(&["Your card ending in 4242 was charged $45.39 on 2024-11-30.", "Order 45392373 is on its way."]),
        say("It takes 3-5 business days, 01631479 is the reference.").earlier(&["Your card order number is 45392373."]),
        say("Row 14, seat 79, hall 0163.").earlier(&["The card has 45 points and 39 stars since 2373."]),
    ];
    p71_encoded CARD => [
        say("NDUzOTIzNzMwMTYzMTQ3OQ=="),
        say("see Y2FyZCA0NTM5IDIzNzMgMDE2MyAxNDc5 there"),
        say("%34%35%33%39%32%33%37%33%30%31%36%33%31%34%37%39"),
        say("&#52;&#53;&#51;&#57;&#50;&#51;&#55;&#51;&#48;&#49;&#54;&#51;&#49;&#52;&#55;&#57;"),
        say("&#x34;&#x35;&#x33;&#x39;&#x32;&#x33;&#x37;&#x33;&#x30;&#x31;&#x36;&#x33;&#x31;&#x34;&#x37;&#x39;"),
        say("https://acme-shop.com/?q=%34%35%33%39%32%33%37%33%30%31%36%33%31%34%37%39"),
    ];
    p71_encoded_email EMAIL => [
        say("bWFpbCBqYW5lLmRvZUBmYXN0bWFpbC5uZXQ="),
        say("jane%40fastmail.net"),
        say("jane&#64;fastmail&#46;net"),
        say("jane&commat;fastmail&period;net"),
    ];
    p72_look_alike_digits Want::Warn("pii.look_alike_digits") => [
        say("4539 2373 Ol63 l479"),
        say("453923730163l479"),
        say("219-O9-9999"),
        say("4l5-555-2671"),
    ];
    p73_links_with_data Want::AnyLeak => [
        say("https://cdn.acme-shop.com/up/jane.doe@fastmail.net.pdf"),
        say("https://cdn.acme-shop.com/card_4539237301631479.png"),
        say("https://acme-shop.com/?email=jane%40fastmail.net"),
        say("https://acme-shop.com/?phone=4155552671"),
        say("https://acme-shop.com/u?ssn=219-09-9999"),
        say("https://cdn.acme-shop.com/4539-2373-0163-1479.jpg"),
        say("![id](https://cdn.acme-shop.com/passport_X1234567.jpg)"),
    ];
    p73_plain_links Want::Ok => [
        say("https://help.acme-shop.com/articles/360012345678"),
        say("https://acme-shop.com/orders/4155552671"),
        say("see www.acme-shop.com/p/12-oak-street"),
        say("https://acme-shop.com/?id=219099999&v=2"),
    ];
}
