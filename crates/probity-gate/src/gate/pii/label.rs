//! What the words around a number say that it is.
//!
//! The nearest word decides. A number that the reply itself calls an order, a ticket or a parcel is no
//! personal data, however much it looks like it; a number that it calls a phone needs less of the shape
//! of one.

use super::words::{self, List, Word};

/// What a word makes of the number beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    /// A payment card.
    Card,
    /// A phone, or something that one does with a phone.
    Phone,
    /// A social security number.
    SocialSecurity,
    /// Something that a shop counts: an order, a parcel, a product, a ticket, a moment.
    Reference,
    /// A version of a program or a device.
    Version,
}

/// Whose the reply says that something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// The company's own.
    Company,
    /// A person's.
    Person,
}

/// What the words around a number say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Labels {
    /// What the nearest word says.
    pub(super) nearest: Option<Label>,
    /// Whether any of the words before says that it is a card.
    pub(super) card: bool,
    /// Whose the nearest pronoun says it is.
    pub(super) owner: Option<Owner>,
}

/// How many words before a number are read.
const WORDS_BEFORE: usize = 8;
/// How many words after a number are read.
const WORDS_AFTER: usize = 4;

impl Labels {
    /// What the words around `start..end` say.
    pub(super) fn around(text: &str, start: usize, end: usize) -> Self {
        let mut labels = Labels { nearest: None, card: false, owner: None };
        let mut following = None;
        for (distance, word) in words::before(text, start).take(WORDS_BEFORE).enumerate() {
            // No name of anything starts with a digit.
            if word.text.as_bytes()[0].is_ascii_digit() {
                following = Some(word);
                continue;
            }
            let label = label(&word);
            labels.card |= label == Some(Label::Card);
            labels.nearest = labels.nearest.or(label);
            labels.owner = labels.owner.or_else(|| owner(&word, following, distance));
            following = Some(word);
        }
        if labels.nearest.is_none() && following.is_none_or(|first| is_filler(&first)) {
            labels.nearest = label_of_last_sentence(text, following.map_or(start, |first| first.start));
        }
        // A number sign makes a reference of what nothing else names.
        if labels.nearest.is_none() && text[..start].ends_with('#') {
            labels.nearest = Some(Label::Reference);
        }
        if labels.nearest.is_none() {
            labels.nearest = label_after(text, end);
        }
        labels
    }

    /// Whether the reply calls it something that is no personal data.
    pub(super) fn is_reference(self) -> bool {
        matches!(self.nearest, Some(Label::Reference | Label::Version))
    }
}

/// What the sentence before says, when the number opens its own or only "Number is" stands before it.
fn label_of_last_sentence(text: &str, start: usize) -> Option<Label> {
    let before = text[..start].trim_end_matches([' ', '\n', ':', '-']).strip_suffix(['.', '?'])?;
    if start - before.len() > 4 {
        return None;
    }
    words::before(text, before.len()).take(3).find_map(|word| label(&word))
}

/// Whether a word only leads from a label to its number.
fn is_filler(word: &Word<'_>) -> bool {
    word.is_any(&["number", "it", "this", "the", "is", "that"])
}

/// What the words after a number say: "… is your order number", "… (fax)".
fn label_after(text: &str, end: usize) -> Option<Label> {
    for word in words::after(text, end).take(WORDS_AFTER) {
        if let Some(label) = label(&word) {
            return Some(label);
        }
        if !word.is_any(&["is", "was", "your", "the", "our", "as", "for", "a"]) {
            return None;
        }
    }
    None
}

/// What one word says.
fn label(word: &Word<'_>) -> Option<Label> {
    let mut lower = [0; 16];
    let bytes = word.text.as_bytes();
    let lower = lower.get_mut(..bytes.len())?;
    lower.copy_from_slice(bytes);
    lower.make_ascii_lowercase();
    Some(match &*lower {
        b"card" | b"cards" | b"visa" | b"mastercard" | b"amex" | b"credit" | b"debit" | b"pan"
        | b"maestro" | b"discover" | b"cc" | b"cardholder" | b"creditcard" | b"karte" | b"tarjeta"
        | b"carte" => Label::Card,
        b"phone" | b"phones" | b"telephone" | b"tel" | b"mobile" | b"cell" | b"cellphone" | b"call"
        | b"calls" | b"calling" | b"called" | b"text" | b"texted" | b"sms" | b"whatsapp" | b"dial"
        | b"fax" | b"ring" | b"rang" | b"reach" | b"reached" | b"contact" | b"callback" | b"ph" | b"mob"
        | b"line" | b"hotline" | b"message" | b"messages" | b"answering" | b"registered" | b"voicemail"
        | b"landline" | b"telefon" | b"telefono" | b"desk" | b"office" | b"phonenumber" | b"handy" => {
            Label::Phone
        }
        b"ssn" | b"ssns" | b"social" | b"socialsecurity" => Label::SocialSecurity,
        b"order" | b"orders" | b"invoice" | b"invoices" | b"ticket" | b"tickets" | b"case" | b"ref"
        | b"reference" | b"tracking" | b"track" | b"sku" | b"skus" | b"gtin" | b"ean" | b"upc" | b"isbn"
        | b"imei" | b"serial" | b"confirmation" | b"booking" | b"reservation" | b"transaction" | b"txn"
        | b"item" | b"product" | b"part" | b"model" | b"shipment" | b"parcel" | b"package" | b"po"
        | b"rma" | b"receipt" | b"quote" | b"contract" | b"member" | b"membership" | b"loyalty"
        | b"account" | b"id" | b"article" | b"asin" | b"barcode" | b"batch" | b"lot" | b"voucher"
        | b"coupon" | b"promo" | b"code" | b"subscription" | b"epoch" | b"timestamp" | b"awb"
        | b"consignment" | b"container" | b"vin" | b"claim" | b"ups" | b"usps" | b"fedex" | b"dhl"
        | b"waybill" | b"inv" | b"ord" | b"unix" | b"sn" | b"bestellung" | b"rechnung" | b"commande"
        | b"pedido" => Label::Reference,
        b"version" | b"firmware" | b"build" | b"release" | b"v" | b"ver" | b"driver" | b"patch" | b"os"
        | b"update" => Label::Version,
        _ => return None,
    })
}

/// Whose a pronoun says something is, given the word after it and how many words lie between.
fn owner(word: &Word<'_>, following: Option<Word<'_>>, distance: usize) -> Option<Owner> {
    let is_near = distance <= 3;
    if is_near && word.is_in(&COMPANY) {
        return Some(Owner::Company);
    }
    if word.is_any(&["our"]) {
        return following.filter(|following| following.is_in(&OF_A_COMPANY)).map(|_| Owner::Company);
    }
    word.is_in(&OF_A_PERSON).then_some(Owner::Person)
}

/// Words for the company and its parts.
static COMPANY: List = List::of("headquarters helpline hotline support us warehouse");

/// What a company has, after "our".
static OF_A_COMPANY: List = List::of(
    "\
    address billing branch center centre contact customer depot desk e email factory head headquarters \
    helpline hotline line location mail main number office offices phone privacy return returns sales \
    service shop showroom store stores support team toll warehouse",
);
/// Words for persons that are not the company.
static OF_A_PERSON: List = List::of(
    "\
    client customer he her him his husband it me my neighbor neighbour recipient she their them they wife \
    you your yours",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, nearest: Option<Label>, owner: Option<Owner>) {
        let start = text.find('7').unwrap();
        let end = text.rfind('7').unwrap() + 1;
        let labels = Labels::around(text, start, end);
        assert_eq!((labels.nearest, labels.owner), (nearest, owner), "{text}");
    }

    #[test]
    fn the_nearest_word_decides() {
        check("the card for order no. 77", Some(Label::Reference), None);
        check("for order 12 we charged card number 77", Some(Label::Card), None);
        check("call us at 77", Some(Label::Phone), Some(Owner::Company));
        check("we will call you at 77", Some(Label::Phone), Some(Owner::Person));
    }

    #[test]
    fn a_label_may_follow() {
        check("77 is your tracking number", Some(Label::Reference), None);
        check("77 apples, then a call", None, None);
        check("#77", Some(Label::Reference), None);
    }
}
