//! Limited resources: an instance runs only while those that it needs are free.
//!
//! The rules are those of the Triton Inference Server's rate limiter. Each run counts for its instance, and the instance with the least
//! count times priority is next for the resources that it needs. Until it starts, nobody else gets them: otherwise an instance
//! that needs much would never run beside others that need little.
//!
//! - Only instances that need the same resources wait for each other. In the server, the next instance holds up all others.
//! - A run that is suspended keeps its resources. It goes on when a core is free, whatever resources are, so nothing waits in a circle.
//! - An instance that was idle, or has been loaded later, is ahead of the others by a few runs at most (`CREDIT`). In the server, it is
//!   first until it has run as often as they have.

mod given;

pub use given::{RateLimits, ResourceFault};

use crate::config::{InstanceKind, ModelConfig, ModelInstanceGroup};
use crate::invalid::ConfigError;
use std::collections::BTreeMap;
use std::time::Instant;

/// The runs, times their priority, by which an instance that was idle may be ahead of others.
const CREDIT: f64 = 16.0;

/// The runs that loading an instance counts for, as in the server.
const LOAD: f64 = 2.0;

/// A resource of one device, or of all devices together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Resource {
    /// In lower case.
    name: String,
    /// `None` if all devices share it.
    device: Option<i32>,
}

/// Instances that need the same.
#[derive(Clone, Debug)]
pub(super) struct Group {
    instances: usize,
    priority: u32,
    needs: BTreeMap<Resource, Need>,
}

#[derive(Clone, Debug)]
struct Need {
    count: u64,
    /// The resource's name as the configuration has it.
    name: String,
}

/// The resources of a scheduler, and the models that need any.
#[derive(Debug, Default)]
pub(super) struct Limiter {
    given: RateLimits,
    models: BTreeMap<u64, Vec<Shift>>,
    /// How many of each resource there are.
    total: BTreeMap<Resource, u64>,
    /// How many runs have.
    taken: BTreeMap<Resource, u64>,
    /// The turns of the instance that started last.
    last: f64,
}

/// The runs of a group.
#[derive(Debug)]
struct Shift {
    group: Group,
    running: usize,
    /// Its runs so far, times its priority, by its instances.
    turns: f64,
}

/// The models that need resources and have a batch, with the positions of the groups that would run them; without one, resources are not
/// free.
#[derive(Debug, Default)]
pub(super) struct Openings(Vec<(u64, Option<usize>)>);

impl Openings {
    /// Whether the resources are free that a model needs, if it needs any.
    pub(super) fn are_for(&self, model: u64) -> bool {
        !self.0.contains(&(model, None))
    }

    /// The group that runs a model; `None` for models that need no resources.
    pub(super) fn group(&self, model: u64) -> Option<usize> {
        self.0.iter().find(|(own, _)| *own == model).and_then(|(_, group)| *group)
    }
}

impl Group {
    /// The groups of a model, if any of them needs resources.
    pub(super) fn of(config: &ModelConfig) -> Vec<Group> {
        let groups: Vec<Group> = config.instance_group.iter().flat_map(Group::each).collect();
        match groups.iter().all(|group| group.needs.is_empty()) {
            true => vec![],
            false => groups,
        }
    }

    /// The instances on each device.
    fn each(config: &ModelInstanceGroup) -> impl Iterator<Item = Group> {
        let devices = match config.kind {
            InstanceKind::Gpu => config.gpus.clone(),
            // The server's number for processors.
            _ => vec![0],
        };
        devices.into_iter().map(|device| Group::on(config, device))
    }

    fn on(config: &ModelInstanceGroup, device: i32) -> Group {
        let limiter = config.rate_limiter.clone().unwrap_or_default();
        let need = |own: crate::config::RateLimiterResource| {
            let device = (!own.global).then_some(device);
            let resource = Resource { name: own.name.to_lowercase(), device };
            (resource, Need { count: own.count.into(), name: own.name })
        };
        Group {
            instances: usize::try_from(config.count).unwrap_or(0).max(1),
            priority: limiter.priority.max(1),
            needs: limiter.resources.into_iter().map(need).collect(),
        }
    }

    /// The turns that a run takes.
    fn turn(&self) -> f64 {
        f64::from(self.priority) / self.instances as f64
    }
}

impl Limiter {
    pub(super) fn new(given: RateLimits) -> Limiter {
        Limiter { given, ..Limiter::default() }
    }

    /// Adds a model with its groups.
    ///
    /// # Errors
    /// A resource of which there will never be enough, or that is of one device here and of all elsewhere.
    pub(super) fn add(&mut self, model: u64, groups: Vec<Group>) -> Result<(), ConfigError> {
        if groups.is_empty() {
            return Ok(());
        }
        for (resource, need) in groups.iter().flat_map(|group| &group.needs) {
            let own = groups.iter().flat_map(|group| group.needs.keys());
            let mut all = own.chain(self.total.keys());
            let differs = |other: &Resource| {
                other.name == resource.name && other.device.is_none() != resource.device.is_none()
            };
            if all.any(differs) {
                return Err(ConfigError::ResourceScope { resource: need.name.clone() });
            }
            let limit = self.given.count(&resource.name, resource.device);
            if let Some(limit) = limit.filter(|limit| *limit < need.count) {
                let (resource, needed) = (need.name.clone(), need.count);
                return Err(ConfigError::ResourceLimit { resource, limit, needed });
            }
        }
        let shift = |group: Group| Shift { turns: group.turn() * LOAD, group, running: 0 };
        self.models.insert(model, groups.into_iter().map(shift).collect());
        self.count();
        Ok(())
    }

    /// Removes a model, none of whose instances runs.
    pub(super) fn remove(&mut self, model: u64) {
        if self.models.remove(&model).is_some() {
            self.count();
        }
    }

    /// Counts the resources: as many as were given, or as the most that an instance needs.
    fn count(&mut self) {
        self.total.clear();
        let groups = self.models.values().flatten().map(|shift| &shift.group);
        for (resource, need) in groups.flat_map(|group| &group.needs) {
            let given = self.given.count(&resource.name, resource.device);
            let total = self.total.entry(resource.clone()).or_default();
            *total = given.unwrap_or_else(|| need.count.max(*total));
        }
    }

    /// Whether a model needs resources.
    pub(super) fn limits(&self, model: u64) -> bool {
        self.models.contains_key(&model)
    }

    /// The groups that models with a batch would run on, without the resources that are taken or wait for a model before them. Models
    /// come with the time since when they wait.
    pub(super) fn openings(&self, waiting: Vec<(u64, Instant)>) -> Openings {
        let turns = |model: u64| {
            let open = self.open(model).map(|(_, shift)| self.turns(shift));
            open.min_by(f64::total_cmp).unwrap_or(f64::INFINITY)
        };
        let waiting = waiting.into_iter();
        let mut waiting: Vec<(f64, Instant, u64)> =
            waiting.map(|(model, since)| (turns(model), since, model)).collect();
        waiting.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut taken = self.taken.clone();
        let mut openings = vec![];
        for (_, _, model) in waiting {
            let next = self.next(model, &taken);
            let free = next.filter(|(_, shift)| self.fits(&shift.group, &taken));
            openings.push((model, free.map(|(at, _)| at)));
            if let Some((_, shift)) = next {
                // Also what is taken now is for this model once it is free.
                add(&mut taken, &shift.group);
            }
        }
        Openings(openings)
    }

    /// Takes the resources of an instance that starts.
    pub(super) fn take(&mut self, model: u64, group: Option<usize>) {
        let shift = group.and_then(|at| self.models.get_mut(&model)?.get_mut(at));
        let Some(shift) = shift else { return };
        let turns = shift.turns.max(self.last - CREDIT);
        self.last = self.last.max(turns);
        shift.turns = turns + shift.group.turn();
        shift.running += 1;
        add(&mut self.taken, &shift.group);
    }

    /// Gives back what [`Limiter::take`] has taken for a run.
    pub(super) fn give_back(&mut self, model: u64, group: Option<usize>) {
        let shift = group.and_then(|at| self.models.get_mut(&model)?.get_mut(at));
        let Some(shift) = shift else { return };
        shift.running -= 1;
        for (resource, need) in &shift.group.needs {
            if let Some(taken) = self.taken.get_mut(resource) {
                *taken -= need.count;
            }
        }
    }

    /// The groups of a model that have an idle instance, with their positions.
    fn open(&self, model: u64) -> impl Iterator<Item = (usize, &Shift)> {
        let shifts = self.models.get(&model).into_iter().flatten().enumerate();
        shifts.filter(|(_, shift)| shift.running < shift.group.instances)
    }

    /// The group of a model that runs next: of those whose needs are free, or else of all, the one with the fewest turns.
    fn next(&self, model: u64, taken: &BTreeMap<Resource, u64>) -> Option<(usize, &Shift)> {
        let is_taken = |shift: &Shift| !self.fits(&shift.group, taken);
        self.open(model).min_by(|(_, a), (_, b)| {
            let turns = self.turns(a).total_cmp(&self.turns(b));
            is_taken(a).cmp(&is_taken(b)).then(turns)
        })
    }

    /// The turns of a group, without those that it missed while it was idle.
    fn turns(&self, shift: &Shift) -> f64 {
        shift.turns.max(self.last - CREDIT)
    }

    fn fits(&self, group: &Group, taken: &BTreeMap<Resource, u64>) -> bool {
        group.needs.iter().all(|(resource, need)| {
            let [taken, total] =
                [taken, &self.total].map(|all| all.get(resource).copied().unwrap_or(0));
            taken.saturating_add(need.count) <= total
        })
    }
}

fn add(taken: &mut BTreeMap<Resource, u64>, group: &Group) {
    for (resource, need) in &group.needs {
        let taken = taken.entry(resource.clone()).or_default();
        *taken = taken.saturating_add(need.count);
    }
}
