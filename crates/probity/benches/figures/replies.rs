//! Replies of a support desk for the gate to read, the same on every machine.
//!
//! They are put together from sentences as a desk writes them: about a third has a price, a day, a number or a
//! link in it, and every reply is different. Whether they are good replies does not matter here.

use std::fmt::Write as _;

/// The shortest and the longest reply, in bytes.
const BYTES: std::ops::Range<usize> = 300..2_000;

/// How many sentences stand in a paragraph.
const PARAGRAPH: usize = 3;

/// `{n}` is a number of an order, `{eur}` a price, `{day}` a day of a month, `{few}` a small number.
const SENTENCES: &[&str] = &[
    "Thank you for getting in touch with us about your order.",
    "I am sorry to hear that the lamp did not arrive in the condition it should have.",
    "I understand how annoying it is to wait for something and then find it broken.",
    "I have looked at your order {n} and can see that it left our warehouse on {day} March.",
    "The carrier has scanned the parcel once since then, at its depot near you.",
    "Could you send us a photo of the box and of the label on its side?",
    "A picture taken with your phone in daylight is good enough for our workshop.",
    "Your parcel should be with you within {few} working days from today.",
    "The price of the shade was {eur} EUR, and the parcel came to 4.90 EUR.",
    "You can send new goods back within 30 days of delivery, and we refund the price.",
    "Please keep the packaging until everything has been sorted out.",
    "You will find the steps with pictures at https://lumen.example/returns whenever it suits you.",
    "If the switch still does not react, please unplug the lamp and wait until the base has cooled down.",
    "Then hold the button on the back until the ring around it begins to blink.",
    "Most of the time this is all that is needed to bring the app and the lamp together again.",
    "Our workshop looks at every device by hand, which is why it sometimes takes a little longer.",
    "I have passed your remarks on to the team that writes the manual.",
    "The money is on its way 5 to 7 working days after the parcel is here.",
    "The colour you asked about is sold out at the moment, and I do not know yet when it will be back.",
    "I would gladly put a note on your account so that you hear from us as soon as it is in stock.",
    "Just reply to this message, and it will come straight to me.",
    "From 75 EUR on, delivery is free, so there was nothing to pay for the second parcel.",
    "The invoice for order {n} is attached to the message that you received on 2026-03-{day}.",
    "As far as I can tell, the address on the label was complete and correct.",
    "Neighbours and shops nearby sometimes take a parcel in, so it may be worth asking around.",
    "A card from the driver would say where it was left.",
    "We will ask the carrier to look for it, and that usually takes {few} days.",
    "Should it not turn up by then, we will talk about what happens next.",
    "It would help to know which of the two bulbs flickers, and whether it does so in another lamp too.",
    "The dimmer in the wall has to be made for lights of this kind, otherwise they hum.",
    "That is nothing dangerous, but I agree that nobody wants to listen to it in the evening.",
    "Your voucher of {eur} EUR stays valid and was not touched by the cancelled order.",
    "Please write to returns@lumen.example with the number {n} in the subject line.",
    "Unfortunately I cannot change the address once the parcel has been handed over.",
    "The newsletter is a separate matter, and there is a link at its end to stop it.",
    "I checked the serial number you gave us, and the device is from last autumn.",
    "Let me know what you think, and have a good day.",
    "Kind regards from all of us at the support desk.",
];

/// Different replies of about `bytes` bytes together.
pub(crate) fn replies(bytes: usize) -> Vec<String> {
    let mut draw = Draw(1);
    let (mut replies, mut total) = (Vec::new(), 0);
    while total < bytes {
        let reply = reply(&mut draw);
        total += reply.len();
        replies.push(reply);
    }
    replies
}

fn reply(draw: &mut Draw) -> String {
    let length = BYTES.start + draw.below(BYTES.len());
    let mut text = String::from("Hello,\n\n");
    let mut n_sentences = 0;
    while text.len() < length {
        let sentence = SENTENCES[draw.below(SENTENCES.len())];
        fill(&mut text, sentence, draw);
        n_sentences += 1;
        text.push_str(if n_sentences % PARAGRAPH == 0 { "\n\n" } else { " " });
    }
    text.truncate(text.trim_end().len());
    text
}

/// Appends a sentence with its places filled in.
fn fill(text: &mut String, sentence: &str, draw: &mut Draw) {
    let mut rest = sentence;
    while let Some((before, (name, behind))) =
        rest.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    {
        text.push_str(before);
        let written = match name {
            "n" => write!(text, "{}", 100_000 + draw.below(900_000)),
            "eur" => write!(text, "{}.{:02}", 1 + draw.below(200), draw.below(100)),
            "day" => write!(text, "{}", 10 + draw.below(18)),
            _ => write!(text, "{}", 2 + draw.below(8)),
        };
        written.expect("writing to a string cannot fail");
        rest = behind;
    }
    text.push_str(rest);
}

/// Numbers that look random and are the same in every run.
struct Draw(u64);

impl Draw {
    /// A number below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        // Knuth's linear congruential generator of MMIX; its upper bits are the good ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit
    }
}
