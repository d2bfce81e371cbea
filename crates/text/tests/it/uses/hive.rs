//! A hive, and what it uses.

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter as Writer};

use crate::store::*;
pub use self::inner::{deep::{Comb, self}, Bee as Worker};
use super::bees;
use serde;
extern crate core as kernel;

mod inner;

pub const LIMIT: usize = 10;

#[derive(Debug, Clone)]
pub struct Hive {
    store: Store,
    shared: Arc<Mutex<Queen>>,
    next: Option<Box<Hive>>,
    bees: Vec<Bee>,
}

pub enum State {
    Empty,
    Full(Comb),
    Named { queen: Queen },
}

pub trait Keeper: Display + Send {
    fn keep(&self, hive: &Hive) -> bool;
}

impl Hive {
    pub fn open(path: &str) -> Result<Self, Error> {
        let store = Store::open(path)?;
        let queen = Queen::new("Ada");
        store.check(LIMIT);
        queen.crown().wear();
        let shared = Arc::new(Mutex::new(queen));
        Ok(Self { store, shared, next: None, bees: Vec::new() })
    }

    fn count(&self) -> usize {
        self.bees.len() + self.store.count() + bees::count(LIMIT, helper)
    }

    fn walk(mut self, hive: &mut Hive, keeper: &dyn Keeper, each: impl Fn(u8)) -> Option<Hive> {
        each(1);
        keeper.keep(hive);
        Self::static_one();
        self.shared.lock().unwrap().crown();
        if let Some(next) = hive.next.as_ref() {
            next.count();
        }
        for bee in &self.bees {
            bee.fly();
        }
        let again = Hive::open("a")?;
        again.count();
        let made = Hive { store: again.store, ..make() };
        made.count();
        let mut changed = first();
        changed = second();
        changed.go();
        match state() {
            State::Full(comb) if comb.is_ripe() => comb.empty(),
            State::Empty => crate::store::note(),
            other => other.show(),
        }
        let text = "a".to_owned();
        let closure = |bee: &Bee, rest| bee.rest(rest);
        closure(&text, 1);
        println!("{} {}", self.count(), inner::deep(text.len(), helper(1, 2)));
        assert_eq!(vec![Hive::open("x").unwrap().count()], Worker { age: 1 }.ages());
        fn nested() {}
        nested();
        generic::<Bee>(1);
        <Hive as Keeper>::keep(&made, &made);
        None
    }

    fn loud<K: Keeper, T>(keeper: K, other: T) -> Box<dyn Keeper>
    where
        T: Clone,
    {
        keeper.keep(&other);
        other.clone();
        K::make();
        (keeper as Hive).count();
        Box::new(keeper)
    }
}

impl fmt::Display for Hive {
    fn fmt(&self, f: &mut Writer<'_>) -> fmt::Result {
        write!(f, "{}", self.count())
    }
}

impl Keeper for inner::Bee {
    fn keep(&self, hive: &Hive) -> bool {
        hive.count() > LIMIT
    }
}

macro_rules! hive {
    ($path:expr) => {
        $crate::Hive::open($path).expect("a hive")
    };
}
