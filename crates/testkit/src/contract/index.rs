//! The contract of [`Index`] and [`Passages`].

mod changes;
mod filtering;
mod fixtures;
mod known_files;
mod matching;

use wellread_core::ports::{Index, Passages};

pub use self::filtering::{filters, put_four_files, query_filters};
pub use self::fixtures::{file, places, put, repository, vault};

/// What the contract is asked of, and how an empty one is made.
pub fn check_index<I: Index + Passages>(make: &dyn Fn() -> I) {
    changes::what_is_put_is_known_and_found(&make());
    changes::what_is_put_again_takes_the_place_of_the_first(&make());
    changes::what_is_gone_is_found_no_more(&make());
    changes::what_was_seen_keeps_its_text_under_another_date(&make());
    changes::a_note_takes_the_place_of_a_text(&make());
    changes::what_is_older_is_left_out(&make());
    changes::what_is_gone_in_another_version_stays(&make());
    known_files::known_files_are_asked_for_in_three_ways(&make());
    known_files::a_known_file_is_private_as_it_was_judged_last(&make());
    known_files::notes_are_found_by_the_exact_value_of_a_field(&make());
    known_files::files_are_found_by_what_they_link_to(&make());
    known_files::files_are_found_by_what_a_link_to_them_has(&make());
    filtering::filters_let_through_what_they_say(&make());
    filtering::a_file_with_an_excluded_word_is_left_out(&make());
    filtering::files_are_listed_newest_first(&make());
    filtering::a_filter_is_for_the_file_and_not_for_its_words(&make());
    matching::words_phrases_and_beginnings_are_found(&make());
    matching::the_best_comes_first_and_no_more_than_asked(&make());
    matching::passages_are_given_in_the_order_of_the_question(&make());
    matching::a_match_says_which_words_are_complete_named_and_unknown(&make());
    matching::names_are_listed_by_their_first_letter(&make());
    matching::another_corpus_does_not_change_a_score(&make());
    matching::a_phrase_is_as_rare_as_it_is_itself(&make());
    changes::a_tidying_forgets_other_corpora_and_says_that_it_is_complete(&make());
    changes::every_change_makes_another_version(&make());
    changes::a_corpus_can_be_called_as_the_vault_is(&make());
    known_files::coverage_counts_what_there_is(&make());
}
