//! The entry point of the program; everything else is in the library beside it.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    wellread::main()
}
