//! How the parts of a codebase hang together: calls, imports, what contains and what implements.
//!
//! Nothing of this is kept: it is worked out from what files define and use, whenever somebody asks, so that it can't be
//! older than the index. An edge says how sure it is and why. What can't be resolved is told as unknown, with what it may
//! be, and is never made an edge.
