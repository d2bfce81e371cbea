//! What the operating system does in its own way: the adapters' functions for it, for all of the program.

pub use wellread_adapters::platform::{
    create_private_file, facts_at, host_name, is_owned_by_user, is_program, open_without_following,
    program_names, restrict_to_user, to_corpus_path, without_verbatim_prefix,
};
