//! How the knowledge base is, as a whole: its links and clusters, what stands alone, what is twice there, what disagrees.
