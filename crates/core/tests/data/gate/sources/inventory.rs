//! Stock of a small workshop: boxes, shelves and what lies in them.

use std::collections::BTreeMap;

/// A shelf carries at most this many kilograms.
pub const SHELF_LIMIT_KG: f64 = 45.0;
/// Boxes lighter than this are not weighed but estimated.
pub const WEIGH_FROM_G: u32 = 200;

#[derive(Debug, Clone)]
pub struct Item {
    pub label: String,
    pub grams: u32,
    pub fragile: bool,
}

#[derive(Default)]
pub struct Shelf {
    items: BTreeMap<String, Item>,
}

impl Shelf {
    /// Adds an item. Returns the old one when the label was already taken.
    pub fn put(&mut self, item: Item) -> Result<Option<Item>, String> {
        if self.total_kg() + f64::from(item.grams) / 1000.0 > SHELF_LIMIT_KG {
            return Err(format!("{} is too heavy for this shelf", item.label));
        }
        Ok(self.items.insert(item.label.clone(), item))
    }

    /// Fragile items first, then by label.
    pub fn packing_order(&self) -> Vec<&Item> {
        let mut list: Vec<&Item> = self.items.values().collect();
        list.sort_by_key(|i| (!i.fragile, i.label.clone()));
        list
    }

    pub fn total_kg(&self) -> f64 {
        self.items.values().map(|i| f64::from(i.grams)).sum::<f64>() / 1000.0
    }
}
