//! Watching the requests that an ensemble makes.

use super::{StepAnswer, StepModel};
use crate::batch::InferenceRequest;
use std::fmt::Debug;
use std::sync::Arc;

/// Watches a request, and the requests that an ensemble makes for it.
pub trait RequestWatch: Debug + Send + Sync {
    /// A step's model is about to get a request. Returns the watch over that request, which sees its answers. The model gets this
    /// watch with the request, because it may be an ensemble, too.
    fn step(
        &self,
        model: &dyn StepModel,
        request: &InferenceRequest<'static>,
    ) -> Arc<dyn RequestWatch>;

    /// The request has an answer; one with `is_last` ends it.
    fn answered(&self, answer: &StepAnswer);
}
