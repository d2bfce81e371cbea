//! The budget of a run, and what it has used of it.

use std::fmt;

use crate::ports::ModelIdentity;
use crate::ports::event::{Budget, ModelAnswer, RunUsage};

/// A limit of the budget that has been reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetLimit {
    /// The number of steps.
    Steps,
    /// The time in seconds.
    Seconds,
    /// The number of tokens.
    Tokens,
    /// The cost in US dollars.
    Money,
    /// The number of requests that were sent.
    Requests,
    /// There is a cost limit, but the model's price is not known.
    Price,
}

impl fmt::Display for BudgetLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Steps => "the step budget is used up",
            Self::Seconds => "the time budget is used up",
            Self::Tokens => "the token budget is used up",
            Self::Money => "the cost budget is used up",
            Self::Requests => "the request budget is used up",
            Self::Price => "a cost budget is set, and the model's price is not known (`model.price_in`, `model.price_out`)",
        })
    }
}

pub fn reached_limit(
    budget: &Budget,
    spent: &RunUsage,
    model: Option<&ModelIdentity>,
) -> Option<BudgetLimit> {
    let over = |limit: Option<u64>, used: u64| limit.is_some_and(|limit| used >= limit);
    let unpriced = model.is_some_and(|model| model.price.is_none() && !model.is_local);
    if over(budget.steps, spent.steps) {
        Some(BudgetLimit::Steps)
    } else if budget.seconds.is_some_and(|limit| spent.seconds >= limit as f64) {
        Some(BudgetLimit::Seconds)
    } else if over(budget.tokens, spent.tokens_read + spent.tokens_written) {
        Some(BudgetLimit::Tokens)
    } else if over(budget.requests, spent.requests) {
        Some(BudgetLimit::Requests)
    } else if budget.money.is_some_and(|limit| spent.money.unwrap_or(0.0) >= limit) {
        Some(BudgetLimit::Money)
    } else {
        (budget.money.is_some() && unpriced).then_some(BudgetLimit::Price)
    }
}

/// The cost of a reply in US dollars; `None` if the price is not known.
pub fn cost(answer: &ModelAnswer, model: &ModelIdentity) -> Option<f64> {
    let ModelAnswer::Reply(reply) = answer else { return None };
    let (read, written) = model.price?;
    Some((reply.usage.read as f64 * read + reply.usage.written as f64 * written) / 1e6)
}

/// Adds the tokens, retries and cost of an answer to the usage.
pub fn add(spent: &mut RunUsage, answer: &ModelAnswer, cost: Option<f64>) {
    let ModelAnswer::Reply(reply) = answer else { return };
    spent.tokens_read += reply.usage.read;
    spent.tokens_written += reply.usage.written;
    // Each retry was a request of its own.
    spent.requests += u64::from(reply.attempts.saturating_sub(1));
    if let Some(cost) = cost {
        spent.money = Some(spent.money.unwrap_or(0.0) + cost);
    }
}
