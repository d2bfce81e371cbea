//! Work that goes on behind everything else.
