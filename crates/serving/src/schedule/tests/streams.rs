//! Random sequences beside a simple model of them: each request is answered once and in order, and all slots return. Runs are suspended
//! for those of another model.

use super::sequences::{IDLE, of, sequential_with};
use super::*;
use crate::failure::RequestError;
use crate::schedule::Pending;
use crate::schedule::model::Turn;
use crate::sequence::States;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use trident_engine::Handover;

const CORES: usize = 2;
const SLOTS: usize = 3;

/// The names of requests that ran, and the states that they ran with.
type Seen = Arc<Mutex<Vec<(usize, States)>>>;

/// The states of the sequences that requests of runs under way belong to.
type Active = Arc<Mutex<Vec<States>>>;

struct World {
    bench: Arc<Bench>,
    model: u64,
    seen: Seen,
    random: Random,
    /// The sequence and the flags of each request of the model.
    asked: Asked,
    suspended: Arc<AtomicUsize>,
}

/// By the names of requests; those of the other model have no sequence.
type Asked = Arc<Mutex<Vec<(String, Arc<Pending>)>>>;

impl World {
    fn new(seed: u64) -> World {
        let bench = Arc::new(Bench::new(CORES));
        bench.shared.suspend_runs(0, Box::new(|| true));
        let other = bench.add(schedule(Batching::default(), Levels::default()), |_, _| ());
        let (seen, asked, suspended): (Seen, Asked, Arc<AtomicUsize>) = Default::default();
        let (own, all, count) = (Arc::clone(&seen), Arc::clone(&asked), Arc::clone(&suspended));
        let active = Active::default();
        let world = Arc::downgrade(&bench);
        let during = move |rows: &[Row], _: Turn, core: &dyn Handover| {
            let names: Vec<usize> = rows.iter().map(|row| row.name).collect();
            let states: Vec<States> = rows.iter().map(|row| row.states.clone().unwrap()).collect();
            own.lock().unwrap().extend(names.iter().copied().zip(states.iter().cloned()));
            for states in &states {
                let is_active = active.lock().unwrap().iter().any(|other| other.is_same(states));
                assert!(!is_active, "a sequence has two runs: {names:?}");
            }
            active.lock().unwrap().extend(states.iter().cloned());
            let bench = world.upgrade().unwrap();
            // A run on the other core.
            bench.shared.run_next();
            bench.clock.advance(Duration::from_millis(names[0] as u64 % 3 * 6));
            let pending = bench.submit(other, ask());
            all.lock().unwrap().push((String::new(), pending));
            core.wait(&|| {
                count.fetch_add(1, Ordering::Relaxed);
                // Others of the model may begin, too.
                (0..3).for_each(|_| _ = bench.shared.run_next());
                true
            });
            active.lock().unwrap().retain(|own| states.iter().all(|other| !other.is_same(own)));
        };
        let model = sequential_with(&bench, SLOTS, during);
        World { bench, model, seen, random: Random::new(seed), asked, suspended }
    }

    fn event(&mut self) {
        match self.random.below(8) {
            0..=3 => {
                let id = ["a", "b", "c", "d", "e"][self.random.below(5) as usize];
                let start = if self.random.is_one_in(3) { "(" } else { "" };
                let end = if self.random.is_one_in(4) { ")" } else { "" };
                let text = format!("{start}{id}{end}");
                let millis =
                    |random: &mut Random| Some(Duration::from_millis(1 + random.below(60)));
                let mut ask = of(&text);
                if self.random.is_one_in(8) {
                    ask.deadline = millis(&mut self.random);
                }
                if self.random.is_one_in(8) {
                    ask.timeout = millis(&mut self.random);
                }
                ask.row.shape = self.random.below(2) as u32;
                ask.row.lacks = self.random.is_one_in(8);
                let pending = self.bench.submit(self.model, ask);
                self.asked.lock().unwrap().push((text, pending));
            }
            4 => {
                let asked = self.asked.lock().unwrap();
                let chosen = self.random.below(asked.len() as u64 + 1) as usize;
                let pending = asked.get(chosen).map(|(_, pending)| Arc::clone(pending));
                drop(asked);
                pending.iter().for_each(|pending| self.bench.shared.cancel(pending));
            }
            5 => self.bench.advance(self.random.below(IDLE)),
            _ => drop(self.bench.shared.run_next()),
        }
    }
}

/// A request that goes on with a sequence runs after the one before, with its states. One that starts has states of its own.
fn check(seen: &[(usize, States)], asked: &[(String, Arc<Pending>)], seed: u64) {
    let place = |name: usize| seen.iter().position(|(other, _)| *other == name);
    for (at, (name, states)) in seen.iter().enumerate().rev() {
        let id = |name: usize| asked[name].0.trim_matches(['(', ')']);
        if asked[*name].0.starts_with('(') {
            let mut others = seen[..at].iter().filter(|(other, _)| other != name);
            assert!(others.all(|(_, other)| !other.is_same(states)), "seed {seed}, request {name}");
            continue;
        }
        let before = (0..*name).rev().find(|other| id(*other) == id(*name)).unwrap();
        let before = place(before).unwrap_or_else(|| panic!("seed {seed}: {before} has not run"));
        assert!(before < at && seen[before].1.is_same(states), "seed {seed}, request {name}");
    }
}

#[test]
fn sequences_run_in_order_and_return_their_slots() {
    let (mut counts, mut suspended) = (HashMap::<String, usize>::new(), 0);
    for seed in 0..600 {
        let mut world = World::new(seed);
        for _ in 0..80 {
            world.event();
        }
        for _ in 0..40 {
            run_all(&world.bench);
            world.bench.advance(IDLE);
        }
        let seen = world.seen.lock().unwrap();
        check(&seen, &world.asked.lock().unwrap(), seed);
        suspended += world.suspended.load(Ordering::Relaxed);
        for (name, answers) in world.bench.answers().into_iter().enumerate() {
            assert_eq!(answers.len(), 1, "seed {seed}, request {name}");
            let kind = match &answers[0] {
                Ok(_) => "ok".to_owned(),
                Err(error) => {
                    format!("{error:?}").split([' ', '{', '(']).next().unwrap().to_owned()
                }
            };
            let kind = match &answers[0] {
                Err(RequestError::Sequence(fault)) => {
                    format!("{fault:?}").split(' ').next().unwrap().to_owned()
                }
                _ => kind,
            };
            *counts.entry(kind).or_default() += 1;
        }
        assert_eq!(world.bench.shared.free_slots(world.model), SLOTS, "seed {seed}");
        assert_eq!(world.bench.shared.waiting(world.model), 0, "seed {seed}");
        assert!(world.bench.shared.is_quiet(CORES), "seed {seed}");
    }
    assert!(counts.len() >= 4 && counts.values().all(|count| *count > 50), "{counts:?}");
    assert!(suspended > 500, "{suspended}");
}
