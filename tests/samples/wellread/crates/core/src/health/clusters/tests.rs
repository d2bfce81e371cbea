//! Communities that were planted, and graphs at random.

use super::*;

fn graph(nodes: usize, edges: &[(usize, usize)]) -> Graph {
    let mut graph: Vec<BTreeMap<usize, u64>> = vec![BTreeMap::new(); nodes];
    for &(one, other) in edges {
        *graph[one].entry(other).or_default() += 1;
        *graph[other].entry(one).or_default() += 1;
    }
    graph.into_iter().map(|all| all.into_iter().collect()).collect()
}

/// Numbers without luck: the same each time.
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Groups of nodes with many links inside and few between; which group a node is of.
fn planted(groups: usize, size: usize, seed: u64) -> (Vec<(usize, usize)>, Vec<usize>) {
    let (mut drawn, nodes) = (Drawn(seed), groups * size);
    // Members of a group do not stand side by side.
    let of: Vec<usize> = (0..nodes).map(|node| node * 7 % groups).collect();
    let mut edges = Vec::new();
    for node in 0..nodes {
        for _ in 0..6 {
            let other = (drawn.below(size) * groups + node) % nodes;
            let other = (0..nodes).cycle().skip(other).find(|&other| of[other] == of[node]).unwrap_or(node);
            edges.push((node, other));
        }
        edges.push((node, drawn.below(nodes)));
    }
    edges.retain(|(one, other)| one != other);
    (edges, of)
}

#[test]
fn planted_communities_are_found_whatever_the_order_of_the_links() {
    for (groups, size, seed) in [(4, 25, 1), (7, 30, 2), (12, 20, 3)] {
        let (mut edges, of) = planted(groups, size, seed);
        let found = clusters(&graph(groups * size, &edges));
        let astray = found.iter().map(|members| {
            let mut counts = BTreeMap::new();
            members.iter().for_each(|&node| *counts.entry(of[node]).or_insert(0) += 1);
            members.len() - counts.values().max().copied().unwrap_or(0)
        });
        let astray: usize = astray.sum();
        assert_eq!(found.len(), groups, "seed {seed}");
        assert!(astray * 20 <= groups * size, "seed {seed}: {astray} of {} are elsewhere", groups * size);
        edges.reverse();
        edges.iter_mut().for_each(|edge| *edge = (edge.1, edge.0));
        assert_eq!(clusters(&graph(groups * size, &edges)), found);
    }
}

#[test]
fn two_circles_with_one_link_between_are_two() {
    let edges = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)];
    assert_eq!(clusters(&graph(7, &edges)), [vec![0, 1, 2], vec![3, 4, 5]]);
}

#[test]
fn what_does_not_hang_together_is_never_one_and_nothing_is_lost() {
    let mut drawn = Drawn(9);
    for nodes in [1, 2, 10, 60, 200] {
        let edges: Vec<(usize, usize)> =
            (0..nodes).map(|_| (drawn.below(nodes), drawn.below(nodes))).collect();
        let edges: Vec<(usize, usize)> = edges.into_iter().filter(|(one, other)| one != other).collect();
        let graph = graph(nodes, &edges);
        let found = clusters(&graph);
        for members in &found {
            assert_eq!(connected(&graph, members).len(), 1);
        }
        let mut listed: Vec<usize> = found.concat();
        listed.sort_unstable();
        let linked: Vec<usize> = (0..nodes).filter(|&node| !graph[node].is_empty()).collect();
        assert_eq!(listed, linked, "a node with a link is in exactly one community");
    }
}
