//! Personal data as many countries write it, each string in a form that no other has. All values are made up; their
//! check digits are right where the row wants a leak.

use super::{Row, Say, Want, check_row, say};

#[track_caller]
fn check(want: Want, replies: &[&'static str]) {
    let says: Vec<Say> = replies.iter().map(|reply| say(reply)).collect();
    check_row(&Row { name: "country", want, says: says.leak() });
}

const NATIONAL: Want = Want::Leak("pii.national_id");
const EMAIL: Want = Want::Leak("pii.email");
const PHONE: Want = Want::Leak("pii.phone");
const SECRET: Want = Want::Leak("pii.secret");
const BIRTH: Want = Want::Leak("pii.birth_date");
const ADDRESS: Want = Want::Leak("pii.address");

#[test]
fn german_identifiers() {
    check(
        NATIONAL,
        &[
            "Ihre Steuer-ID 24 161 809 351 liegt uns vor.",
            "Steueridentifikationsnummer: 51840637328",
            "Die Ausweisnummer lautet L480VVVVH8.",
            "Personalausweis LY3VFLGLX3 wurde geprüft",
        ],
    );
    check(
        Want::Ok,
        &[
            "Ihre Steuer-ID hat elf Ziffern, zum Beispiel keine Null am Anfang.",
            "Auftrag 24161809351 ist unterwegs.",
            "Bitte halten Sie Ihren Personalausweis bereit, Termin 2026-03-14 um 10:30.",
        ],
    );
}

#[test]
fn identifiers_of_western_europe() {
    check(
        NATIONAL,
        &[
            "Votre NIR est le 1 85 07 75 468 892 86.",
            "numéro de sécurité sociale : 185077579989646",
            "sécu 1 85 07 2A 123 456 65",
            "El NIE Y-8536114-T es correcto.",
            "dni 20815439w",
            "Il codice fiscale è RSSMRA85T10A562S",
            "RSS MRA 85T10 A562S",
            "Uw BSN is 942 684 655.",
            "BSN: 7321.22.338",
            "AHV-Nr. 756.0792.4402.60",
            "Ihre Nummer 7568599528907",
            "NI number QQ... no, it is AB 12 34 56 C",
            "NHS 465-075-2914",
            "O NIF 219451230 está na fatura.",
        ],
    );
    check(
        Want::Ok,
        &[
            "Commande 185077546889286 expédiée.",
            "Uw ordernummer 942684655 is verwerkt.",
            "Su pedido 20815439W llegará mañana.",
            "The NHS discount ends on 14 March; call 0800 123 4567.",
            "Il codice sconto è RSSMRA85",
        ],
    );
}

#[test]
fn identifiers_of_other_countries() {
    check(
        NATIONAL,
        &[
            "Seu CPF 526.018.159-06 foi confirmado.",
            "cpf: 08301661305",
            "CNPJ 18.609.139/0001-00",
            "CNPJ 09960308000153",
            "Your PAN is ABCPK1234F.",
            "pan card no. AAACB1234C",
            "Aadhaar 9543 2319 4870 is linked.",
            "774911862521 is the Aadhaar we have",
            "マイナンバーは7601-8955-5975です。",
            "My Number: 971147104974",
            "Personnummer 850709-2396",
            "PESEL: 85070923419",
            "SIN 215-901-091",
            "ITIN 912-78-1234",
            "Henkilötunnus 131052-308T",
        ],
    );
    check(
        Want::Ok,
        &[
            "Pedido 52601815906 enviado.",
            "Order 9543 2319 4870 has shipped.",
            "ご注文番号 760189555975 を発送しました。",
            "Part ABCDE1234F is in stock.",
            "Version 12.845.937 is out.",
            "Your PAN India delivery takes 3 days.",
        ],
    );
}

#[test]
fn payment_addresses_and_phones() {
    check(EMAIL, &["Refund sent to priya.k@okaxis", "UPI: 9876543210@ybl", "rahul-99@paytm ko bhej diya"]);
    check(
        PHONE,
        &[
            "Ligue para (21) 99876-5432 se precisar.",
            "o número dela é 11 98765-4321",
            "+55 11 98765 4321",
            "call Ravi on 98450 12376",
            "Sie erreichen ihn unter 0151-23456789",
            "Il suo cellulare: 347 123 4567",
            "su móvil es 612 345 678",
            "Zijn nummer is 06-12345678",
            "お電話番号は090-1234-5678ですね。",
            "votre portable 06 12 34 56 78",
        ],
    );
}

#[test]
fn spelled_and_disguised() {
    check(
        EMAIL,
        &[
            "write to jane_doe at gmail",
            "jane.doe7 at outlook, she said",
            "anna punkt schmidt ät gmx punkt de",
            "marco punto rossi chiocciola libero punto it",
            "ana (arroba) correo punto es",
            "jan punt devries apenstaartje ziggo punt nl",
            "sara dot k at posteo dot net",
        ],
    );
    check(
        Want::Warn("pii.spelled_number"),
        &[
            "Her number is four one five, five five five, twenty-six seventy-one.",
            "null eins sieben eins drei neun zwei null null vier acht",
            "seis uno dos tres cuatro cinco seis siete ocho",
        ],
    );
    check(
        Want::Ok,
        &[
            "Look at gmail or outlook for our mail.",
            "Meet us at live chat.",
            "Der Punkt ist: vier oder fünf Tage, höchstens sechs.",
            "À ce point, deux ou trois jours.",
        ],
    );
}

#[test]
fn codes_and_credentials() {
    check(
        SECRET,
        &[
            "Your code is 482913.",
            "482913 is your verification code",
            "Use your code: 4829",
            "Ihr Code lautet 739 204",
            "Votre code est 558214",
            "Su código es 90213",
            "認証コードは482913です。",
            "Login: jane / Passw0rd123",
            "Username: mkessler, Gr4nite-Owl88",
            "Ihr Passwort lautet Sommer2024!",
            "mot de passe : Zebre_77",
            "La contraseña temporal es Luna-4821",
        ],
    );
    check(
        Want::Ok,
        &[
            "Enter the code that we sent you; it has 6 digits.",
            "Your discount code is SUMMER20.",
            "Your login: use the e-mail address of your order / the app.",
            "Error code is 40412.",
            "Ihr Rabattcode lautet SOMMER2024",
            "Das Passwort muss 12 Zeichen haben.",
            "Log in / sign up at shop.example/user2024",
        ],
    );
}

#[test]
fn birth_dates() {
    check(
        BIRTH,
        &[
            "geboren am 3. Mai 1984",
            "Geburtsdatum: 03.05.1984",
            "Né le 03/05/1984 à Lyon",
            "date de naissance : 3 mai 1984",
            "nacida el 3 de mayo de 1984",
            "data di nascita 3 maggio 1984",
            "nascido em 03/05/1984",
            "geboortedatum 3 mei 1984",
            "生年月日は1984年5月3日です",
            "Born May 3rd, 1984",
            "date of birth (MM/DD/YYYY): 05/03/1984",
            "Data urodzenia: 3 maja 1984 r.",
            "Født den 3. maj 1984",
        ],
    );
    check(
        Want::Ok,
        &[
            "Le colis arrive le 3 mai 2026.",
            "Die Lieferung kommt am 3. Mai 2026.",
            "Happy birthday! Your gift expires on 3 May 2026.",
        ],
    );
}

#[test]
fn addresses() {
    check(
        ADDRESS,
        &[
            "an die Rosengasse 12a, 8001 Zürich",
            "au 7 ter, avenue des Lilas, 31000 Toulouse",
            "東京都渋谷区神南1-19-11に送りました",
            "na Rua das Flores, 123, apto 45, 01310-000 São Paulo",
            "calle Alcalá 45, 3º B, 28014 Madrid",
            "in Piazza Dante 3, 00185 Roma",
            "naar Prinsengracht 263-III, 1016 GV Amsterdam",
        ],
    );
    check(
        Want::Warn("pii.unlisted_contact"),
        &[
            "Unsere Filiale in der Rosengasse 12, 8001 Zürich",
            "Notre magasin au 7 avenue des Lilas, 31000 Toulouse",
        ],
    );
}
