//! The words that the rules about prose look for: English, in lower case.

use super::super::words::WordTable;

/// Words that English prose is hardly without, and that few other languages have.
pub(super) const ENGLISH: WordTable = WordTable(
    "the, this, that, these, and, with, here, here's, my, it, its, it's, because, are, both, there, what, \
    which, would, have, has, not, better, reply, replies, please, below, above, following, answer, result, \
    assessment, rating, i'd, i'm, i've, but, from, they, their, customer, order, levels, very, says, does, \
    gives, is",
);
/// Words of the language that shares "is" with English.
pub(super) const DUTCH: WordTable = WordTable("de, het, een, dit, deze, ik, niet, geen, kan");

/// Words that open or close an answer and decide nothing.
pub(super) const FRAMING: WordTable = WordTable(
    "a, an, the, this, that, these, here, here's, is, are, was, be, it, its, it's, as, of, for, on, in, to, \
    with, and, or, by, from, at, below, above, following, follows, my, i, i've, me, you, your, evaluation, \
    assessment, verdict, judgement, judgment, rating, score, scores, reasoning, reasons, reason, result, \
    results, answer, response, output, json, object, format, requested, asked, provided, given, have, based, \
    according, rubric, criteria, criterion, scale, anchors, levels, level, step, steps, read, reading, \
    reviewed, checked, compare, compared, both, two, replies, reply, ticket, sure, certainly, ok, okay, \
    done, thanks, thank, hope, helps, let, know, need, want, any, anything, else, more, further, questions, \
    details, final, overall, analysis, explanation, summary, conclusion, note, so, therefore, thus, first, \
    then, now, finally, after, before, best, worst, decide, decided, think, out, b, A, B, tie, carefully, \
    against",
);

/// Nouns that make a sentence one about the case.
pub(super) const TOPICS: WordTable = WordTable(
    "reply, replies, response, responses, agent, agent's, customer, customer's, ticket, order, message, \
    apology, greeting, sentence, wording, phrase, question",
);

/// The judge, speaking of itself.
pub(super) const SELF: WordTable =
    WordTable("i, i'm, i'd, i'll, i've, me, my, myself, we, we're, us, our, ai, model");
/// Other words about judging, and about who judges.
pub(super) const JUDGING: WordTable = WordTable(
    "rate, rated, rates, rating, ratings, grade, graded, grading, verdict, verdicts, object, json, opinion, \
    person, human, people, someone, test",
);
/// How further words about judging begin.
pub(super) const JUDGING_STARTS: WordTable =
    WordTable("assess, evaluat, scor, judg, reviewer, guideline, instruct, prompt, request");

pub(super) const INABILITIES: WordTable = WordTable(
    "can't, cannot, cant, can not, couldn't, could not, unable, not able, won't, wont, will not, decline, \
    refuse, abstain, impossible, not possible, not comfortable, not allowed, unwilling, rather not, \
    violates, withheld",
);
/// Words that a sentence ends with when there was nothing to judge.
pub(super) const ENDS_OF_REFUSALS: WordTable =
    WordTable("no, missing, blocked, empty, blank, unavailable, truncated, unreadable");
pub(super) const TOO_LITTLE: WordTable = WordTable("not enough, too little, insufficient, no way, no basis");

/// Words after a verdict that take it back.
pub(super) const TAKING_BACK: WordTable = WordTable(
    "correction, corrected, correcting, disregard, retract, oops, typo, reconsider, reconsidering, revise, \
    revised, revising, revision, downgrade, upgrade, placeholder, hypothetical, draft, actually, instead, \
    scratch, strike, otherwise, second thought, second thoughts, on reflection, my mind, i meant, i misread, \
    my mistake, should be, should have been, ignore, at random, guess, disagree, wrong",
);
/// The same where a sentence begins with it.
pub(super) const TAKING_BACK_FIRST: WordTable =
    WordTable("wait, edit, update, sorry, no, hmm, hm, but, however");

/// Nouns for what a verdict states.
pub(super) const VALUE_NOUNS: WordTable =
    WordTable("score, scores, rating, ratings, grade, level, levels, mark, marks, points, point, stars");
/// Words that make a sentence one about a value, or about an outcome.
pub(super) const VALUE_WORDS: WordTable = WordTable(
    "scored, rate, rated, graded, give, gets, should get, say, assign, deserve, deserves, verdict, final, merit, \
    merits, earn, earns, earned, warrant, warrants, fail, fails, failed, failing, failure, pass, passes, passed, \
    passing, flunk, flunks, flunked, reject, rejects, rejected, rejection, grade, mark, marks, points, tier, \
    thumbs, worth, worthless, bottom, minimum, maximum",
);
/// The only words before a number in a clause that says that it is the level.
pub(super) const STATING: WordTable = WordTable(
    "so, therefore, thus, overall, the, this, my, final, score, rating, level, verdict, grade, is, of, a, A, an, \
    it, reply, response, gets, i, assign, give, rate, award",
);
pub(super) const NUMBER_WORDS: WordTable =
    WordTable("zero, one, two, three, four, five, six, seven, eight, nine, ten");
