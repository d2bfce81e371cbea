//! Communities of linked notes, by Louvain's method.
//!
//! Each node joins the neighboring community that increases modularity most; then every community becomes a node, and
//! so on until nothing moves. All in integers, nodes in order, ties to the lowest: the same links give the same
//! communities.

use std::collections::BTreeMap;

/// A graph as the weighted neighbors of each node, in both directions.
type AdjacencyList = Vec<Vec<(usize, u64)>>;

/// The communities of two and more nodes, the largest first; of the same size the one with the lowest node first.
pub(super) fn find_clusters(graph: &AdjacencyList) -> Vec<Vec<usize>> {
    let mut of: Vec<usize> = (0..graph.len()).collect();
    let mut level = graph.clone();
    // The weight inside of a node, counted from both ends.
    let mut inside = vec![0_u64; graph.len()];
    loop {
        let (moved, communities) = one_level(&level, &inside);
        if !moved {
            break;
        }
        of.iter_mut().for_each(|node| *node = communities[*node]);
        (level, inside) = fold_communities(&level, &inside, &communities);
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (node, community) in of.into_iter().enumerate() {
        members.entry(community).or_default().push(node);
    }
    let whole = members.into_values().flat_map(|members| connected_parts(graph, &members));
    let mut found: Vec<Vec<usize>> = whole.filter(|members| members.len() > 1).collect();
    found.sort_by_key(|members| (std::cmp::Reverse(members.len()), members[0]));
    found
}

/// Moves nodes between communities until none gains by it. The communities are numbered from 0.
fn one_level(graph: &AdjacencyList, inside: &[u64]) -> (bool, Vec<usize>) {
    // No vault has two billion links, so no product of two sums overflows.
    let degree: Vec<i64> = graph
        .iter()
        .zip(inside)
        .map(|(all, inside)| (all.iter().map(|(_, weight)| weight).sum::<u64>() + inside).cast_signed())
        .collect();
    let total: i64 = degree.iter().sum();
    let mut of: Vec<usize> = (0..graph.len()).collect();
    let mut sums = degree.clone();
    let mut links: Vec<i64> = vec![0; graph.len()];
    let (mut any, mut near) = (false, Vec::new());
    // A node is looked at again only when a neighbor has moved: most settle long before the last one does.
    let (mut is_due, mut moved) = (vec![true; graph.len()], true);
    while moved {
        moved = false;
        for node in 0..graph.len() {
            if !std::mem::take(&mut is_due[node]) {
                continue;
            }
            let own = of[node];
            near.clear();
            near.push(own);
            for &(other, weight) in &graph[node] {
                let community = of[other];
                if links[community] == 0 && community != own {
                    near.push(community);
                }
                links[community] += weight.cast_signed();
            }
            sums[own] -= degree[node];
            let gain = |community: usize| total * links[community] - degree[node] * sums[community];
            let stays = gain(own);
            // A node leaves only for a better community; of equally good ones, for the lowest.
            let best = near.iter().copied().filter(|&community| gain(community) > stays);
            let best = best.max_by(|one, other| gain(*one).cmp(&gain(*other)).then(other.cmp(one)));
            near.iter().for_each(|&community| links[community] = 0);
            let to = best.unwrap_or(own);
            sums[to] += degree[node];
            if to != own {
                of[node] = to;
                (moved, any) = (true, true);
                graph[node].iter().for_each(|&(other, _)| is_due[other] |= of[other] != to);
            }
        }
    }
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    for &community in &of {
        let next = numbers.len();
        numbers.entry(community).or_insert(next);
    }
    (any, of.iter().map(|community| numbers[community]).collect())
}

/// The graph whose nodes are the communities.
fn fold_communities(
    graph: &AdjacencyList,
    inside: &[u64],
    communities: &[usize],
) -> (AdjacencyList, Vec<u64>) {
    let count = communities.iter().max().map_or(0, |most| most + 1);
    let mut weights: Vec<BTreeMap<usize, u64>> = vec![BTreeMap::new(); count];
    let mut within = vec![0; count];
    for (node, all) in graph.iter().enumerate() {
        let own = communities[node];
        within[own] += inside[node];
        for &(other, weight) in all {
            if communities[other] == own {
                within[own] += weight;
            } else {
                *weights[own].entry(communities[other]).or_default() += weight;
            }
        }
    }
    (weights.into_iter().map(|all| all.into_iter().collect()).collect(), within)
}

/// The connected components of a community: a node that moves away can leave it disconnected.
fn connected_parts(graph: &AdjacencyList, members: &[usize]) -> Vec<Vec<usize>> {
    let mut left: std::collections::BTreeSet<usize> = members.iter().copied().collect();
    let mut parts = Vec::new();
    while let Some(first) = left.pop_first() {
        let (mut part, mut open) = (vec![first], vec![first]);
        while let Some(node) = open.pop() {
            for (other, _) in &graph[node] {
                if left.remove(other) {
                    part.push(*other);
                    open.push(*other);
                }
            }
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests;
