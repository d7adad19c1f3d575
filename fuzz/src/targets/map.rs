//! Mappings: any text is a mapping or an error, and with a mapping any record is read or refused.

use probity_engine::input::{Dataset, FieldMap, LoadOptions, Unanswered};

use super::input::{choices, joined, parts, text};
use super::load::scratch;

/// Panics where a mapping breaks the reading of records.
pub fn check(data: &[u8]) {
    let (choice, rest) = choices(data);
    let [map, content] = parts(rest);
    let Ok(map) = text(map).parse::<FieldMap>() else { return };
    let unanswered = if choice & 1 == 0 { Unanswered::Refuse } else { Unanswered::Take };
    let options = LoadOptions { map, unanswered, ..LoadOptions::default() };
    scratch(content, |path| match Dataset::open(&[path.to_owned()], options.clone()) {
        Ok(dataset) => {
            let records: Result<Vec<_>, _> = dataset.records().expect("a pass").collect();
            assert_eq!(records.expect("the same").len(), dataset.digest().n_records, "records were lost");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    });
}

/// Inputs to start from.
pub fn seeds() -> Vec<Vec<u8>> {
    let maps = [
        "ticket=Body,reply=\"Bot answer\",id=#",
        "id=Nr,ticket=Subject+Body,reply=messages[-1].content",
        "id=a.b,ticket='x',reply=c[0][1]",
        "id=#,ticket=Subject+' - '+Body,reply=Body,variant='v7',confidence=Score",
        "turns=messages,id=#",
    ];
    let contents = [
        "Nr;Subject;Body;Bot answer;Score\n1;a;b;c;0,5\n",
        "{\"Body\":\"b\",\"Bot answer\":\"c\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}\n",
        "[{\"a\":{\"b\":1},\"c\":[[1,\"r\"]]}]",
    ];
    maps.iter().flat_map(|map| contents.iter().map(move |content| joined(0, &[*map, *content]))).collect()
}
