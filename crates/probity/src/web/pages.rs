//! From a view to a page: the templates, and the frame around each.
//!
//! Templates escape what they print and print only what a view gives them; a name that a view lacks is an error and
//! never an empty place.

use axum::response::{Html, IntoResponse, Response};
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value, context};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use probity_core::case::Moment;
use probity_engine::review::{Person, PersonRole};

use super::assets::Assets;
use super::refusal::{PageResult, Refusal};

/// The templates by name, each with the entry of the navigation that a page of it belongs to.
const TEMPLATES: &[(&str, &str, &str)] = &[
    ("frame", "", include_str!("../../pages/review/frame.html.jinja")),
    ("enter", "outside", include_str!("../../pages/review/enter.html.jinja")),
    ("refusal", "outside", include_str!("../../pages/review/refusal.html.jinja")),
    ("home", "home", include_str!("../../pages/review/home.html.jinja")),
    ("queues", "queues", include_str!("../../pages/review/queues.html.jinja")),
    ("queue", "queues", include_str!("../../pages/review/queue.html.jinja")),
    ("guidelines", "queues", include_str!("../../pages/review/guidelines.html.jinja")),
    ("work", "", include_str!("../../pages/review/work.html.jinja")),
    ("choices", "", include_str!("../../pages/review/choices.html.jinja")),
    ("label", "queues", include_str!("../../pages/review/label.html.jinja")),
    ("after", "queues", include_str!("../../pages/review/after.html.jinja")),
    ("disagreements", "queues", include_str!("../../pages/review/disagreements.html.jinja")),
    ("settle", "queues", include_str!("../../pages/review/settle.html.jinja")),
    ("agreement", "queues", include_str!("../../pages/review/agreement.html.jinja")),
    ("people", "people", include_str!("../../pages/review/people.html.jinja")),
    ("log", "people", include_str!("../../pages/review/log.html.jinja")),
    ("runs", "runs", include_str!("../../pages/review/runs.html.jinja")),
    ("run", "runs", include_str!("../../pages/review/run.html.jinja")),
    ("replies", "", include_str!("../../pages/review/replies.html.jinja")),
    ("compare", "runs", include_str!("../../pages/review/compare.html.jinja")),
];

/// The templates, ready to be filled.
pub(super) struct Pages {
    environment: Environment<'static>,
    /// Styles and scripts.
    pub(super) assets: Assets,
    /// Whether one results file is shown, and no store.
    only_file: bool,
}

impl Pages {
    pub(super) fn new(only_file: bool) -> Pages {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        environment.add_filter("address", address);
        environment.add_filter("minute", minute);
        environment.add_filter("percent", percent);
        for (name, _, text) in TEMPLATES {
            environment.add_template(name, text).expect("each template is parsed by a test");
        }
        Pages { environment, assets: Assets::new(), only_file }
    }

    /// A page to work in, for a person who came in, or without one for a client that did not.
    pub(super) fn page(
        &self,
        person: Option<&Person>,
        template: &str,
        title: &str,
        view: Value,
    ) -> PageResult {
        self.framed(person, (template, title, None), view)
    }

    /// A page to read: what `command` came to.
    pub(super) fn viewer(
        &self,
        person: &Person,
        (template, title, command): (&str, &str, &str),
        view: Value,
    ) -> PageResult {
        self.framed(Some(person), (template, title, Some(command)), view)
    }

    fn framed(
        &self,
        person: Option<&Person>,
        (template, title, viewer): (&str, &str, Option<&str>),
        view: Value,
    ) -> PageResult {
        let body = Value::from_safe_string(self.rendered(template, view)?);
        let place = TEMPLATES.iter().find(|(name, _, _)| *name == template).map(|(_, place, _)| *place);
        let person = person
            .map(|person| context! { name => &person.name, is_lead => person.role == PersonRole::Lead });
        let Assets { room, reading, script, scheme, view } = &self.assets;
        let [style, dark] = if viewer.is_some() { reading } else { room };
        let sheet = context! {
            style => &style.name, dark => &dark.name, script => &script.name, scheme => &scheme.name,
            view => &view.name,
        };
        let frame = context! { person, place, title, body, sheet, viewer, only_file => self.only_file };
        Ok(Html(self.rendered("frame", frame)?).into_response())
    }

    /// A template, filled.
    pub(super) fn rendered(&self, template: &str, view: Value) -> Result<String, Refusal> {
        let page = self.environment.get_template(template).and_then(|page| page.render(view));
        page.map_err(|error| {
            crate::terminal::note(&format!("error: page {template}: {error:#}"));
            Refusal::broken()
        })
    }
}

/// The way to another page after a change.
pub(super) fn go(place: &str) -> Response {
    axum::response::Redirect::to(place).into_response()
}

/// What is written by its bytes in a part of an address.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A text as a part of an address.
fn address(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// A share as sentences write it.
pub(super) fn percent(share: f64) -> String {
    format!("{:.0}\u{a0}%", 100.0 * share)
}

/// The minute of a time that is counted in seconds since 1970, or in so many parts of a second; empty for none.
fn minute(time: Option<i64>, parts: Option<i64>) -> String {
    let moment = time.and_then(|time| Moment::from_seconds(time / parts.unwrap_or(1)));
    let text = moment.map(|moment| moment.to_string()).unwrap_or_default();
    text.get(..16).unwrap_or_default().replace('T', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_can_be_read() {
        let pages = Pages::new(false);
        assert!(TEMPLATES.iter().all(|(name, _, _)| pages.environment.get_template(name).is_ok()));
    }

    #[test]
    fn addresses_hold_any_text() {
        assert_eq!(address("a b&c=\"ü\"#"), "a%20b%26c%3D%22%C3%BC%22%23");
    }

    #[test]
    fn w17_what_is_put_in_is_escaped() {
        let pages = Pages::new(false);
        let view = context! { status => 404, message => "<img src=x onerror=alert(1)> & \"" };
        let page = pages.rendered("refusal", view).unwrap();
        assert!(page.contains("&lt;img src=x onerror=alert(1)&gt; &amp; &quot;"), "{page}");
    }
}
