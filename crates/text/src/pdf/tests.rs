//! PDFs made here, and read.
