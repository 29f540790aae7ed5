//! Random arrivals, cancels, timeouts and runs: each request is answered once, and as the rules say.

use super::*;
use crate::failure::RequestError;
use crate::schedule::Pending;
use crate::schedule::model::Turn;
use crate::schedule::shared::Shared;
use std::cell::Cell;
use std::sync::Weak;
use trident_engine::Handover;

const CORES: usize = 3;

/// The world of one seed. Runs on several cores are nested: an event during a run may start another run. So does a run that is
/// suspended, which ends before those that it is nested in.
struct World {
    bench: Bench,
    models: Vec<u64>,
    random: Mutex<Random>,
    asked: Mutex<Vec<(Ask, Arc<Pending>)>>,
    /// How many runs of each model are under way.
    runs: Mutex<Vec<usize>>,
    ran: Mutex<Vec<usize>>,
    suspended: Mutex<usize>,
}

impl World {
    fn new(seed: u64) -> Arc<World> {
        Arc::new_cyclic(|world: &Weak<World>| {
            let bench = Bench::new(CORES);
            bench.shared.suspend_runs(0, Box::new(|| true));
            let policies = [
                "",
                "priority_levels: 3 default_priority_level: 2 default_queue_policy {
                 timeout_action: DELAY default_timeout_microseconds: 3000 allow_timeout_override: true }",
                "default_queue_policy {
                 default_timeout_microseconds: 4000 allow_timeout_override: true max_queue_size: 4 }",
            ];
            let models = policies.iter().enumerate().map(|(model, policy)| {
                let world = Weak::clone(world);
                let schedule = schedule(batching(&[2, 4], model as u64), levels(policy));
                bench.add_with_core(schedule, move |rows, turn, core| {
                    world.upgrade().unwrap().during(model, rows, turn, core);
                })
            });
            let models = models.collect();
            let random = Mutex::new(Random::new(seed));
            let runs = Mutex::new(vec![0; policies.len()]);
            let (asked, ran, suspended) = Default::default();
            World { bench, models, random, asked, runs, ran, suspended }
        })
    }

    fn draw<T>(&self, from: impl FnOnce(&mut Random) -> T) -> T {
        from(&mut self.random.lock().unwrap())
    }

    fn shared(&self) -> &Arc<Shared<Fake>> {
        &self.bench.shared
    }

    fn during(&self, model: usize, rows: &[Row], turn: Turn, core: &dyn Handover) {
        assert!(rows.iter().map(|row| row.rows).sum::<usize>() <= 4, "{rows:?}");
        assert!(rows.iter().all(|row| row.shape == rows[0].shape), "{rows:?}");
        {
            let mut runs = self.runs.lock().unwrap();
            runs[model] += 1;
            assert!(runs[model] <= 2, "two instances");
            assert!(turn != Turn::Again || runs[model] == 1, "alone");
        }
        self.ran.lock().unwrap().extend(rows.iter().map(|row| row.name));
        for _ in 0..self.draw(|random| random.below(4)) {
            self.event();
        }
        if self.draw(|random| random.is_one_in(3)) {
            self.bench.clock.advance(Duration::from_millis(6));
            let was_suspended = Cell::new(false);
            core.wait(&|| {
                was_suspended.set(true);
                (0..3).for_each(|_| self.event());
                // Runs that it is nested in wait for it.
                true
            });
            *self.suspended.lock().unwrap() += usize::from(was_suspended.get());
        }
        self.runs.lock().unwrap()[model] -= 1;
        if self.draw(|random| random.is_one_in(40)) {
            std::panic::resume_unwind(Box::new("a test asks for it"));
        }
    }

    fn event(&self) {
        match self.draw(|random| random.below(8)) {
            0..=2 => self.submit(),
            3 => self.bench.advance(self.draw(|random| random.below(3))),
            4 => {
                let asked = self.asked.lock().unwrap();
                let chosen = self.draw(|random| random.below(asked.len() as u64 + 1)) as usize;
                let pending = asked.get(chosen).map(|(_, pending)| Arc::clone(pending));
                drop(asked);
                pending.iter().for_each(|pending| self.shared().cancel(pending));
            }
            _ => drop(self.shared().run_next()),
        }
    }

    fn submit(&self) {
        let (model, ask) = self.draw(|random| {
            let mut ask = rows(1 + random.below(3) as usize);
            ask.row.shape = random.below(2) as u32;
            ask.row.lacks = random.is_one_in(6);
            ask.priority = random.below(5);
            let millis = |random: &mut Random| Some(Duration::from_millis(random.below(6)));
            ask.timeout = if random.is_one_in(3) { millis(random) } else { None };
            ask.deadline = if random.is_one_in(3) { millis(random) } else { None };
            (random.below(3) as usize, ask)
        });
        let pending = self.bench.submit(self.models[model], ask.clone());
        self.asked.lock().unwrap().push((ask, pending));
    }
}

#[test]
fn each_request_is_answered_once() {
    let mut seen = [0; 7];
    for seed in 0..400 {
        let world = World::new(seed);
        for _ in 0..60 {
            world.event();
        }
        // Whatever still waits is served, as time goes on.
        for _ in 0..40 {
            run_all(&world.bench);
            world.bench.advance(1);
        }
        let ran = world.ran.lock().unwrap();
        let asked = world.asked.lock().unwrap();
        for (name, answers) in world.bench.answers().into_iter().enumerate() {
            assert_eq!(answers.len(), 1, "seed {seed}, request {name}: {answers:?}");
            let (ask, _) = &asked[name];
            let times = ran.iter().filter(|ran| **ran == name).count();
            match &answers[0] {
                Ok(_) => {
                    assert_eq!(times, if ask.row.lacks { 2 } else { 1 }, "seed {seed}: {ask:?}");
                    seen[0] += 1;
                }
                Err(RequestError::Timeout) => {
                    assert!(ask.deadline.is_some() || times == 0, "seed {seed}: {ask:?}");
                    seen[1] += 1;
                }
                Err(RequestError::Cancelled) => seen[2] += 1,
                Err(RequestError::QueueFull) => {
                    assert_eq!(times, 0);
                    seen[3] += 1;
                }
                Err(RequestError::Abandoned) => {
                    assert!(times > 0);
                    seen[4] += 1;
                }
                Err(other) => panic!("seed {seed}: {other}"),
            }
            seen[5] += usize::from(times == 2);
        }
        seen[6] += *world.suspended.lock().unwrap();
        let waiting = world.models.iter().map(|model| world.shared().waiting(*model));
        assert_eq!(waiting.sum::<usize>(), 0, "seed {seed}");
        assert!(world.shared().is_quiet(CORES), "seed {seed}: timers and cores");
    }
    assert!(seen.iter().all(|count| *count > 50), "every ending occurs: {seen:?}");
}
