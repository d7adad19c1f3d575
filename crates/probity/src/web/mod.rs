//! The review room as a web application: pages for labelling, agreement, people and runs, on this machine or by a
//! public name.
//!
//! It has no logic of its own: what is shown comes from the room of the store, and what people send goes there.
//! Pages are drawn on the server and work without scripts; one script adds keys. What always holds: every request
//! passes the door (names, origins, limits), then the table of routes with its roles; and nothing that a person
//! must not see before deciding is in any byte sent to them.

mod address;
mod after;
mod agreement;
mod app;
mod assets;
mod choices;
mod door;
mod enter;
mod export;
mod guard;
mod home;
mod label;
mod listen;
mod log;
mod metrics;
mod opening;
mod pages;
mod people;
mod queues;
mod reach;
mod refusal;
mod routes;
mod runs;
mod settle;
mod shelf;
mod sides;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use probity_core::promote::Contract;
use probity_engine::review::{AccessToken, PersonName, PersonRole, ReviewRoom};

use crate::exit::{Exit, Failure};
use crate::serving::{PORT_TAKEN, interrupted};
use crate::terminal;
use address::ServerAddress;
use app::{AppState, ServerPlace, now};
use listen::Patience;
pub(crate) use reach::Reach;
pub(crate) use shelf::{FILE_RUN, FileRun, RunSource};

/// What the server is started with.
pub(crate) struct WebSettings {
    /// Who can reach it, and where.
    pub(crate) reach: Reach,
    /// Whether a browser is opened.
    pub(crate) opening: Opening,
    /// The name of the lead who starts the server.
    pub(crate) lead: PersonName,
    /// Reviewers who get a link each.
    pub(crate) people: Vec<PersonName>,
    /// What labels are counted against.
    pub(crate) contract: Option<Contract>,
    /// Where the runs that are shown come from.
    pub(crate) source: RunSource,
    /// The run that is shown first.
    pub(crate) first: Option<i64>,
}

/// Whether a browser is opened at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// The machine's own.
    Browser,
    /// None; the link is printed.
    Nothing,
}

/// Serves the room until it is interrupted.
pub(crate) async fn serve(room: Arc<ReviewRoom>, settings: WebSettings) -> Result<(), Failure> {
    let failed = |what: &str, error: &std::io::Error| Failure {
        exit: Exit::Usage,
        message: format!("{what}: {error}"),
        hint: None,
    };
    let reach = settings.reach;
    let place = match reach.listen {
        Some(address) => format!("cannot listen on {address} at port {}", reach.port),
        None => format!("cannot listen on 127.0.0.1 at port {}", reach.port),
    };
    let listeners = listen::bind(&reach).map_err(|error| failed(&place, &error).hint(PORT_TAKEN))?;
    let port = listeners[0].local_addr().map_err(|error| failed(&place, &error))?.port();
    let address = if let Some(address) = &reach.public {
        address.clone()
    } else {
        let label = room.host_label().map_err(|error| Failure::new(Exit::Store, &error))?;
        ServerAddress::own(&label, port)
    };
    let stop = interrupted().map_err(|error| failed("could not start", &error))?;
    let mut own = invite(&room, &address, &settings.lead, PersonRole::Lead).await?;
    if let Some(run) = settings.first {
        own = own.replacen("/enter#", &format!("/enter?run={run}#"), 1);
    }
    terminal::note(&format!("pages on {}\n{}: {own}", address.url("/"), settings.lead));
    for name in &settings.people {
        let link = invite(&room, &address, name, PersonRole::Reviewer).await?;
        terminal::note(&format!("{name}: {link}"));
    }
    if address.shares_cookies() {
        terminal::note(
            "this system knows no names under localhost: other local servers get the session cookie",
        );
    }
    match reach.listen {
        Some(listen) => terminal::note(&format!("listening on {listen} at port {port}")),
        None if address.is_public() => terminal::note(&format!("listening on 127.0.0.1 at port {port}")),
        None => {}
    }
    let place = if address.is_public() { "" } else { ", on this machine" };
    terminal::note(&format!("each link works once{place}; Ctrl-C ends the server"));
    let opened = (settings.opening == Opening::Browser).then(|| opening::open(&own));
    let patience = Patience::USUAL;
    let place = ServerPlace { address, proxies: reach.proxies.clone() };
    let app = AppState::new(Arc::clone(&room), settings.source, place, settings.contract, patience);
    listen::answer(listeners, routes::router(&Arc::new(app)), Arc::new(reach), patience, stop).await;
    drop(opened);
    Ok(())
}

/// A link for a person, who is added where the name is new.
async fn invite(
    room: &ReviewRoom,
    address: &ServerAddress,
    name: &PersonName,
    role: PersonRole,
) -> Result<String, Failure> {
    let invited = room.invite(name, role, now()).await;
    let (_, token) = invited.map_err(|error| Failure::new(Exit::Store, &error))?;
    Ok(link(address, &token))
}

/// The address that lets a person in.
fn link(address: &ServerAddress, token: &AccessToken) -> String {
    address.url(&format!("/enter#{}", token.expose()))
}
