//! Replies of a support desk for the gate to read, the same on every machine.
//!
//! They are put together from sentences as a desk writes them: about a third has a price, a day, a number or a
//! link in it, and every reply is different. As in most letters, the order, the day and the price of a reply are
//! those that the customer named.

/// The shortest and the longest reply, in bytes.
const BYTES: std::ops::Range<usize> = 300..2_000;

/// How many sentences stand in a paragraph.
const PARAGRAPH: usize = 3;

/// What the customer wrote. `{n}` is the number of the order, `{eur}` a price, `{day}` a day of a month.
const TICKET: &str = "Hello, my lamp from order {n} arrived on {day} March with a cracked shade. I paid {eur} EUR. \
                      Can I send it back, and how long does that take?";

const SENTENCES: &[&str] = &[
    "Thank you for getting in touch with us about your order.",
    "I am sorry to hear that the lamp did not arrive in the condition it should have.",
    "I understand how annoying it is to wait for something and then find it broken.",
    "I have looked at your order {n} and can see that it left our warehouse on {day} March.",
    "The carrier has scanned the parcel once since then, at its depot near you.",
    "Could you send us a photo of the box and of the label on its side?",
    "A picture taken with your phone in daylight is good enough for our workshop.",
    "Your parcel should be with you within 3 to 5 working days from today.",
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
    "We will ask the carrier to look for it, and that usually takes a few days.",
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

/// A ticket and what the desk answers.
pub(crate) struct Letter {
    pub(crate) ticket: String,
    pub(crate) reply: String,
}

/// Different letters, their replies of about `bytes` bytes together.
pub(crate) fn letters(bytes: usize) -> Vec<Letter> {
    let mut draw = Draw(1);
    let (mut letters, mut total) = (Vec::new(), 0);
    while total < bytes {
        let letter = letter(&mut draw);
        total += letter.reply.len();
        letters.push(letter);
    }
    letters
}

fn letter(draw: &mut Draw) -> Letter {
    let order = (100_000 + draw.below(900_000)).to_string();
    let price = format!("{}.{:02}", 1 + draw.below(200), draw.below(100));
    let day = (10 + draw.below(18)).to_string();
    let fill = |text: &str| text.replace("{n}", &order).replace("{eur}", &price).replace("{day}", &day);
    let length = BYTES.start + draw.below(BYTES.len());
    let mut reply = String::from("Hello,\n\n");
    let mut n_sentences = 0;
    while reply.len() < length {
        reply.push_str(&fill(SENTENCES[draw.below(SENTENCES.len())]));
        n_sentences += 1;
        reply.push_str(if n_sentences % PARAGRAPH == 0 { "\n\n" } else { " " });
    }
    reply.truncate(reply.trim_end().len());
    Letter { ticket: fill(TICKET), reply }
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
