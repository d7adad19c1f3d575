//! Forty header rows of help desks and spreadsheets: read by themselves, read with the mapping that the message
//! suggests, or refused because what is needed is not there.

use std::collections::BTreeMap;

use expect_test::{Expect, expect};
use probity_core::case::Situation;
use probity_engine::input::{Dataset, LoadOptions, Record};
use serde::Deserialize;

use super::Folder;

#[derive(Deserialize)]
struct Data {
    header: Vec<HeaderCase>,
}

#[derive(Deserialize)]
struct HeaderCase {
    tool: String,
    language: String,
    half: String,
    csv: String,
    id: String,
    ticket: Option<String>,
    reply: Option<String>,
}

/// How a file ended.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
enum Ending {
    ReadByItself,
    ReadAsSuggested,
    RefusedWithReason,
    /// Something else was read than what is there.
    Misread,
    /// Texts are there, and neither the file nor the suggestion is read.
    NotRead,
}

impl HeaderCase {
    /// The cell of the column called `name`.
    fn cell(&self, name: &str) -> String {
        let (header, row) = self.csv.split_once('\n').expect("a header and a row");
        let delimiter =
            [';', '\t', ','].into_iter().find(|delimiter| header.contains(*delimiter)).expect("columns");
        let at = header.split(delimiter).position(|column| column == name).expect("a column");
        row.trim().split(delimiter).nth(at).expect("a cell").trim_matches('"').to_owned()
    }

    fn read(&self, map: &str) -> Result<bool, (String, String)> {
        let folder = Folder::new();
        let path = folder.write("export.csv", &self.csv);
        let options = LoadOptions { map: map.parse().expect("a mapping"), ..LoadOptions::default() };
        let dataset = Dataset::open(&[path], options)
            .map_err(|error| (error.to_string(), error.hint.clone().unwrap_or_default()))?;
        let Some(Ok(Record::Entry { entry, .. })) = dataset.records().expect("a pass").next() else {
            return Ok(false);
        };
        let Situation::Ticket(ticket) = &entry.case.situation else { return Ok(false) };
        let want = [Some(&self.id), self.ticket.as_ref(), self.reply.as_ref()]
            .map(|name| name.map(|name| self.cell(name)));
        Ok([Some(entry.case.id.to_string()), Some(ticket.to_string()), Some(entry.reply.text.to_string())]
            == want)
    }

    fn ending(&self) -> Ending {
        let hint = match self.read("") {
            Ok(true) => return Ending::ReadByItself,
            Ok(false) => return Ending::Misread,
            Err((_, hint)) => hint,
        };
        let is_listed = self
            .csv
            .lines()
            .next()
            .is_some_and(|header| header.split([',', ';', '\t']).all(|column| hint.contains(column)));
        let suggestion =
            hint.split_once(" --map ").map(|(before, map)| (before.ends_with("add to the command:"), map));
        match suggestion {
            Some((true, map)) => match self.read(
                map.trim_end_matches(" (# numbers the records)")
                    .trim_matches('\'')
                    .replace("'\\''", "'")
                    .as_str(),
            ) {
                Ok(true) => Ending::ReadAsSuggested,
                Ok(false) => Ending::Misread,
                Err(_) => Ending::NotRead,
            },
            _ if is_listed && (self.reply.is_none() || self.ticket.is_none()) => Ending::RefusedWithReason,
            _ => Ending::NotRead,
        }
    }
}

#[track_caller]
fn check(half: &str, want: &Expect) {
    let data: Data = toml::from_str(include_str!("headers.toml")).expect("the table of headers");
    let mut counts: BTreeMap<Ending, Vec<String>> = BTreeMap::new();
    for case in data.header.iter().filter(|case| case.half == half) {
        let column = |name: &Option<String>| name.clone().unwrap_or_else(|| "none".to_owned());
        let line = format!(
            "{} {}: {}, {}, {}",
            case.tool,
            case.language,
            case.id,
            column(&case.ticket),
            column(&case.reply)
        );
        counts.entry(case.ending()).or_default().push(line);
    }
    let shown: Vec<String> = counts
        .iter()
        .map(|(ending, cases)| format!("{ending:?}: {}\n  {}\n", cases.len(), cases.join("\n  ")))
        .collect();
    want.assert_eq(&shown.concat());
}

#[test]
fn headers_that_the_names_were_written_for() {
    check(
        "tuned",
        &expect![[r#"
        ReadByItself: 12
          Intercom en: conversation_id, user_message, fin_answer
          HubSpot en: Ticket ID, Ticket description, Agent response
          Help Scout en: Conversation Number, Body, Reply
          spreadsheet de: Nr., Frage, Antwort
          spreadsheet en: #, Question, Bot Answer
          spreadsheet fr: N°, Question du client, Réponse proposée
          Zendesk es: ID del ticket, Descripción, Respuesta del agente
          spreadsheet es: Nº caso, Pregunta, Respuesta
          Zendesk fr: ID du ticket, Demande, Réponse
          Crisp en: session_id, visitor_message, operator_message
          Trengo en: Ticket ID, Contact message, Team reply
          Intercom es: ID de conversación, Mensaje del usuario, Respuesta de Fin
        ReadAsSuggested: 4
          Salesforce en: Case Number, Description, Case Comments
          Jira Service Management en: Issue key, Description, Comment
          Zoho Desk en: Ticket Id, Description, Resolution
          Dynamics 365 de: Fallnummer, Beschreibung, Lösung
        RefusedWithReason: 4
          Zendesk en: Id, none, none
          Freshdesk en: Ticket ID, Description, none
          LiveChat en: chat id, visitor question, none
          spreadsheet en: Row, none, none
    "#]],
    );
}

#[test]
fn headers_that_were_set_aside() {
    check(
        "held_out",
        &expect![[r#"
        ReadByItself: 13
          Zendesk en: Ticket ID, Customer message, Bot reply
          Freshdesk fr: ID du ticket, Description, Réponse de l'agent
          Intercom fr: Identifiant de conversation, Message du client, Réponse du bot
          Salesforce de: Fallnummer, Beschreibung, Antwort an Kunden
          OTRS de: Ticketnummer, Kundennachricht, Agentenantwort
          spreadsheet de: lfd. Nr., Anfrage Kunde, Antwort Chatbot
          spreadsheet es: ID, Consulta del cliente, Respuesta del bot
          Freshdesk es: Número de ticket, Mensaje del cliente, Respuesta
          Zendesk de: Ticket-ID, Beschreibung, Antwort
          Kustomer en: conversationId, customerMessage, agentResponse
          Ada en: Conversation ID, Inquiry, Answer
          spreadsheet en: example_id, inputs, outputs
          spreadsheet de: Vorgangsnummer, Kundentext, Bot-Text
        ReadAsSuggested: 5
          Gorgias en: Ticket id, First message, Last agent message
          ServiceNow en: number, description, comments
          spreadsheet en: Case, User query, Model response
          Tidio en: Conversation id, Visitor message, Lyro answer
          Gorgias fr: Numéro de ticket, Premier message, Dernière réponse
        RefusedWithReason: 1
          Front en: Message ID, Extract, none
        Misread: 1
          spreadsheet fr: Référence, Message, Réponse
    "#]],
    );
}
