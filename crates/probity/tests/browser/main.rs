//! What people see, in a real browser: pages opened by Debian's Chromium through its web driver.
//!
//! No page may reach beyond this machine, and none is judged by its markup alone. Where there is no browser
//! every test prints that it was skipped and passes. The long form keeps pictures of all pages in `target/screenshots`.
//!
//! What pages promise, and what shows it:
//!
//! | promise | shown by |
//! |---|---|
//! | a sentence with its figure and a picture in sight; nothing asked for; every width | `report::Scene::open`, for every report |
//! | two clicks or three keys to a case; a word of a reason found; print as filtered | `report_views::a_report_is_walked_by_keys_alone` |
//! | everything that is drawn narrows the list, and says its figure | `report_views::nothing_is_dead`, for each kind of report |
//! | a link shows the same rows, order and case in another browser | `report::the_list_of_replies_is_searched_filtered_and_sorted_and_opens_a_case` |
//! | sorting by any column | `report_views::every_order_of_the_list_is_right` |
//! | ten thousand cases within their budget | `large`, and `style_and_script_keep_to_their_budgets` beside the page |
//! | a case whole, with labels and raw answers, in files and on the server | `report_views::a_case_shows_labels_…`, `reading::a_case_on_the_server_…` |
//! | points add up; one level more is right | `probity_core::score`, for every combination of levels |
//! | what is masked is nowhere in a file | `render::report::html::tests` |
//! | right-to-left texts; history; scripts off | `reading` |
//! | three variants and pairs; before and after; confusion; probes; promotion | `report_views`, `report::w19_…` |
//! | labelling and settling by keys alone, the reply in sight | `review` |
//! | nothing of a judge reaches a labeller | `review_hostile::w14_g15_…` |
//! | `probity open` | `open`, and `open` of the integration tests |
//! | no finding of axe-core in either scheme | `axe::accessible`, for every page of files and server |
//! | Firefox | `firefox` |

#![allow(clippy::unwrap_used, reason = "a test that meets something else than it expects has failed")]

mod axe;
mod client;
mod driver;
mod firefox;
mod hostile;
mod large;
mod open;
mod reading;
mod report;
mod report_views;
mod review;
mod review_hostile;
mod review_pages;
mod review_room;
mod review_tap;

#[allow(dead_code, reason = "the tests of the binary use the rest of it")]
#[path = "../it/binary.rs"]
mod binary;
#[allow(dead_code, reason = "the tests of the mock judge use the rest of it")]
#[path = "../it/mock/process.rs"]
mod mock_judge;
#[path = "../../../probity-engine/tests/support/mod.rs"]
mod support;
