//! From a connection to an answer: routes, the call's way through the counts, the ledger, the wait and the
//! response.
//!
//! Each connection is a task of its own; nothing is locked while one waits. A call is in the ledger before
//! its wait begins, so calls that their client gave up on are there too.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use tokio::net::{TcpListener, TcpStream};

use super::Mock;
use super::answer::MockCall;
use super::asked::asked;
use super::decide::{decide, line};
use super::dialect::Dialect;
use super::http::{Connection, HttpRequest, HttpResponse, Next, NoRequest, WireAct};

/// The pause after a connection could not be accepted, mostly because too many are open.
const ACCEPT_AGAIN: Duration = Duration::from_millis(10);

/// Answers every client until `stop` is ready.
pub async fn serve(listener: TcpListener, mock: Arc<Mock>, stop: impl Future<Output = ()>) {
    tokio::pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => return,
            accepted = listener.accept() => match accepted {
                Ok((socket, _)) => {
                    mock.counts.connected();
                    tokio::spawn(converse(socket, Arc::clone(&mock)));
                }
                Err(_) => tokio::time::sleep(ACCEPT_AGAIN).await,
            },
        }
    }
}

async fn converse(socket: TcpStream, mock: Arc<Mock>) {
    let mut connection = Connection::new(socket);
    loop {
        let request = match connection.receive().await {
            Ok(request) => request,
            Err(NoRequest::Gone) => return,
            Err(NoRequest::Status(status)) => {
                mock.counts.rejected();
                connection.perform(WireAct::from(error(status, "the request cannot be read"))).await;
                return;
            }
        };
        let next = if let Some(dialect) = Dialect::of(&request.method, &request.path) {
            judge(&mut connection, &mock, dialect, &request).await
        } else {
            let act = super::batch::answer(&mock, &request);
            connection.perform(act.unwrap_or_else(|| page(&mock, &request).into())).await
        };
        if next == Next::Close || request.next == Next::Close {
            return;
        }
    }
}

/// One call to the judge.
async fn judge(connection: &mut Connection, mock: &Mock, dialect: Dialect, request: &HttpRequest) -> Next {
    let asked = match asked(dialect, &request.path, &request.body, mock.settings.host.as_ref()) {
        Ok(asked) => asked,
        Err(message) => {
            mock.counts.rejected();
            let error = json!({ "error": { "type": "invalid_request_error", "message": message } });
            return connection.perform(WireAct::from(HttpResponse::json(400, error.to_string()))).await;
        }
    };
    let packet = blake3::hash(asked.user.as_bytes());
    let under_way = mock.counts.begin(packet);
    let call = MockCall::new(&mock.settings, &asked, packet, under_way.attempt);
    let decision = decide(&call);
    mock.counts.decided(decision.fault.map(|fault| fault.number), decision.act.status);
    if let Some(ledger) = &mock.ledger
        && ledger.append(&line(&call, &decision, &under_way).to_string()).is_err()
    {
        // An answer that is not on record would make the ledger a lie.
        mock.ledger_failures.fetch_add(1, Ordering::Relaxed);
        return Next::Close;
    }
    if !decision.latency.is_zero() {
        tokio::time::sleep(decision.latency).await;
    }
    if decision.act.ends_the_call() {
        // Counted before the first byte: a client that has its answer finds the call ended in the counts.
        mock.counts.ended();
        drop(under_way);
    }
    connection.perform(decision.act).await
}

/// What is not a call to the judge.
fn page(mock: &Mock, request: &HttpRequest) -> HttpResponse {
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/v1/models" | "/models") => {
            let name = mock.settings.model_echo.as_deref().unwrap_or("mock-judge");
            let model = json!({ "id": name, "object": "model", "created": 0, "owned_by": "probity" });
            HttpResponse::json(200, json!({ "object": "list", "data": [model] }).to_string())
        }
        ("GET", "/mock/stats") => HttpResponse::json(200, mock.counts.stats().to_string()),
        ("POST", "/mock/reset") => match mock.reset() {
            Ok(()) => HttpResponse::json(200, "{}"),
            Err(failure) => error(500, &failure.to_string()),
        },
        ("GET", "/mock/ledger") => match mock.ledger.as_ref().map(super::CallLedger::read) {
            Some(Ok(lines)) => {
                let headers = vec![("content-type", "application/x-ndjson".to_owned())];
                HttpResponse { status: 200, headers, body: lines }
            }
            Some(Err(failure)) => error(500, &failure.to_string()),
            None => error(404, "no ledger is kept; start the mock judge with --ledger FILE"),
        },
        _ => {
            mock.counts.rejected();
            error(404, "expected POST /v1/chat/completions, /v1/messages or the path of another dialect")
        }
    }
}

impl Mock {
    fn reset(&self) -> io::Result<()> {
        self.counts.reset();
        self.batches.reset();
        self.ledger.as_ref().map_or(Ok(()), super::CallLedger::reset)
    }
}

fn error(status: u16, message: &str) -> HttpResponse {
    HttpResponse::json(status, json!({ "error": { "message": message } }).to_string())
}
