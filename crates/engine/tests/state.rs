//! Sessions with several functions, and values that stay between their runs: a small decoder with a key–value cache.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use trident_cpu::CpuDevice;
use trident_engine::{Options, Partial, RunContext, RunError, Session, Sink, State};
use trident_ir::{Element, Func, Module};
use trident_runtime::{Device, Pool, Queued, QueuedOptions, Tensor, Value};

const VOCABULARY: usize = 8;
const WIDTH: usize = 4;

/// The weights, which both functions have.
fn weights() -> String {
    let matrix = |name: &str, rows: usize, columns: usize, seed: usize| {
        let values = (0..rows * columns).map(|i| (i * 37 + seed * 11) % 19);
        let values: Vec<String> = values.map(|v| format!("{:?}", v as f32 / 8.0 - 1.1)).collect();
        format!("%{name} = constant {{value = f32[{rows}, {columns}]({})}}\n", values.join(", "))
    };
    matrix("embedding", VOCABULARY, WIDTH, 1)
        + &matrix("wq", WIDTH, WIDTH, 2)
        + &matrix("wk", WIDTH, WIDTH, 3)
        + &matrix("wv", WIDTH, WIDTH, 4)
        + &matrix("head", WIDTH, VOCABULARY, 5)
        + "%end = constant {value = i64[](-1)}\n"
}

/// Attention of the last token over all keys and values.
const ATTEND: &str = "
    %last = gather(%x, %end) : f32[*]
    %q = matmul(%last, %wq) : f32[*]
    %s = matmul(%keys, %q) : f32[*]
    %p = softmax(%s) {axis = 0} : f32[*]
    %o = matmul(%p, %values) : f32[*]
    %logits = matmul(%o, %head) : f32[*]
    return %logits, %keys, %values
}";

fn decoder(devices: &[Arc<dyn Device>]) -> Session {
    let prefill = format!(
        "func @prefill graph (%tokens: i64[T]) -> (f32[*], f32[*], f32[*]) {{
            {}
            %x = gather(%embedding, %tokens) : f32[*]
            %keys = matmul(%x, %wk) : f32[*]
            %values = matmul(%x, %wv) : f32[*]
            {ATTEND}",
        weights()
    );
    let decode = format!(
        "func @decode graph (%token: i64[1], %past_keys: f32[P, {WIDTH}], %past_values: f32[P, {WIDTH}])
            -> (f32[*], f32[*], f32[*]) {{
            {}
            %x = gather(%embedding, %token) : f32[*]
            %k = matmul(%x, %wk) : f32[*]
            %v = matmul(%x, %wv) : f32[*]
            %keys = concat(%past_keys, %k) {{axis = 0}} : f32[*]
            %values = concat(%past_values, %v) {{axis = 0}} : f32[*]
            {ATTEND}",
        weights()
    );
    let funcs: Vec<Func> = [prefill, decode].iter().map(|text| text.parse().unwrap()).collect();
    let module = Module { funcs, ..Module::default() };
    Session::new(module, devices, &Options::default()).unwrap()
}

fn sessions() -> Vec<Session> {
    let cpu: Arc<dyn Device> = Arc::new(CpuDevice::new(1));
    let queued = |share| -> Arc<dyn Device> {
        let max_delay = Duration::from_micros(300);
        let options = QueuedOptions { max_delay, share, seed: 5 };
        Arc::new(Queued::new(cpu.clone(), options))
    };
    [vec![cpu.clone()], vec![queued(100)], vec![queued(50), cpu.clone()]]
        .iter()
        .map(|devices| decoder(devices))
        .collect()
}

fn cache() -> State {
    State::new([("past_keys", "keys"), ("past_values", "values")])
}

fn tensor<T: Element>(values: &[T]) -> Value {
    Tensor::from_slice(&Pool::new(), &[values.len()], values).unwrap().into()
}

fn best(results: &[(String, Value)]) -> i64 {
    let (name, logits) = &results[0];
    assert_eq!(name, "logits");
    let logits = logits.as_tensor().unwrap().slice::<f32>().unwrap().to_vec();
    let best = (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b]));
    best.unwrap() as i64
}

/// Continues a prompt with the cache that the state has.
fn generate(session: &Session, state: &mut State, prompt: &[i64], n: usize) -> Vec<i64> {
    let (prefill, decode) = (session.entry("prefill").unwrap(), session.entry("decode").unwrap());
    let run = prefill.run_in(state, &[("tokens", tensor(prompt))], RunContext::default());
    let (results, _) = run.unwrap();
    assert_eq!(results.len(), 1, "keys and values stay in the state");
    let mut tokens = vec![best(&results)];
    for _ in 1..n {
        let token = [("token", tensor(&tokens[tokens.len() - 1..]))];
        let (results, _) = decode.run_in(state, &token, RunContext::default()).unwrap();
        tokens.push(best(&results));
    }
    tokens
}

/// The same without a cache: all tokens anew for each further one.
fn recomputed(session: &Session, prompt: &[i64], n: usize) -> Vec<i64> {
    let mut tokens = prompt.to_vec();
    for _ in 0..n {
        tokens.push(best(&session.run(&[("tokens", tensor(&tokens))]).unwrap()));
    }
    tokens.split_off(prompt.len())
}

#[test]
fn a_decoder_with_a_cache_says_what_one_without_says() {
    for session in sessions() {
        let names: Vec<&str> = session.entries().map(|entry| entry.name()).collect();
        assert_eq!(names, ["prefill", "decode"]);
        for prompt in [vec![3], vec![1, 5, 2], vec![7, 7, 0, 4, 6]] {
            let mut state = cache();
            let tokens = generate(&session, &mut state, &prompt, 12);
            assert_eq!(tokens, recomputed(&session, &prompt, 12));
            let keys = state.get("past_keys").unwrap().as_tensor().unwrap();
            assert_eq!(keys.dims(), [prompt.len() + 11, WIDTH]);
        }
    }
}

#[test]
fn conversations_have_states_of_their_own() {
    for session in &sessions() {
        let expected: Vec<Vec<i64>> = (0..4).map(|i| recomputed(session, &[i, 2], 8)).collect();
        std::thread::scope(|scope| {
            for (i, expected) in expected.iter().enumerate() {
                scope.spawn(move || {
                    let mut state = cache();
                    for _ in 0..5 {
                        assert_eq!(&generate(session, &mut state, &[i as i64, 2], 8), expected);
                        state.clear();
                    }
                });
            }
        });
    }
}

#[test]
fn a_failed_run_leaves_its_state_as_it_was() {
    for session in sessions() {
        let decode = session.entry("decode").unwrap();
        let mut state = cache();
        let token = |t: i64| [("token", tensor(&[t]))];
        let missing = decode.run_in(&mut state, &token(1), RunContext::default());
        assert!(matches!(missing, Err(RunError::Input { .. })), "there is no cache yet");
        generate(&session, &mut state, &[1, 2], 3);
        let before = state.clone();
        let failed = decode.run_in(&mut state, &token(VOCABULARY as i64), RunContext::default());
        assert!(matches!(failed, Err(RunError::Op(_))), "there is no such token");
        let dims =
            |state: &State| state.get("past_keys").unwrap().as_tensor().unwrap().dims().to_vec();
        assert_eq!(dims(&state), dims(&before));
        decode.run_in(&mut state, &token(1), RunContext::default()).unwrap();
        assert_eq!(dims(&state)[0], dims(&before)[0] + 1);
        // What the caller gives counts more than what the state has.
        let cut = Tensor::from_slice(&Pool::new(), &[1, WIDTH], &[0f32; WIDTH]).unwrap();
        assert!(state.set("past_keys", cut.clone().into()).is_some());
        assert!(state.set("other", cut.clone().into()).is_none());
        let given = [token(1)[0].clone(), ("past_values", cut.into())];
        decode.run_in(&mut state, &given, RunContext::default()).unwrap();
        assert_eq!(dims(&state), [2, WIDTH]);
    }
}

/// A state whose caches are expected to have as many rows.
fn roomy(rows: usize) -> State {
    cache().with_capacity("P", rows)
}

fn on_cpu() -> Vec<Arc<dyn Device>> {
    vec![Arc::new(CpuDevice::new(1))]
}

fn place(state: &State, input: &str) -> usize {
    state.get(input).unwrap().as_tensor().unwrap().bytes().unwrap().as_ptr().addr()
}

#[test]
fn a_cache_grows_in_place_and_has_one_plan() {
    const STEPS: usize = 1000;
    let session = decoder(&on_cpu());
    let decode = session.entry("decode").unwrap();
    let row = 2 * WIDTH * size_of::<f32>();
    let mut state = roomy(STEPS + 3);
    generate(&session, &mut state, &[1, 5, 2], 1);
    let (mut token, mut moved, mut places) = (3, 0, [0; 2]);
    for step in 0..STEPS {
        let given = [("token", tensor(&[token]))];
        let (results, _) = decode.run_in(&mut state, &given, RunContext::default()).unwrap();
        token = best(&results);
        let now = [place(&state, "past_keys"), place(&state, "past_values")];
        if state.written() == row {
            assert!(moved == 0 || now == places, "step {step}");
        } else {
            // The first rows move once, to memory for all that follow.
            assert_eq!(state.written(), (step + 4) * row);
            moved += 1;
        }
        places = now;
    }
    assert_eq!(moved, 1);
    let keys = state.get("past_keys").unwrap().as_tensor().unwrap();
    assert_eq!(keys.dims(), [STEPS + 3, WIDTH]);
    assert_eq!(decode.plans(), 1);
}

#[test]
fn a_cache_without_a_capacity_moves_as_often_as_it_doubles() {
    let session = decoder(&on_cpu());
    let decode = session.entry("decode").unwrap();
    let (mut state, mut moves) = (cache(), 0);
    generate(&session, &mut state, &[1, 5, 2], 1);
    for _ in 0..1000 {
        let given = [("token", tensor(&[3i64]))];
        decode.run_in(&mut state, &given, RunContext::default()).unwrap();
        moves += usize::from(state.written() > 2 * WIDTH * size_of::<f32>());
    }
    assert!((1..=6).contains(&moves), "{moves}");
    // For up to 64, 128, 256, 512 and 1024 rows.
    assert_eq!(decode.plans(), 5);
}

#[test]
fn results_do_not_depend_on_capacities() {
    for session in sessions() {
        let expected = recomputed(&session, &[1, 5, 2], 20);
        // The last is exceeded.
        for mut state in [cache(), roomy(100), roomy(8)] {
            assert_eq!(generate(&session, &mut state, &[1, 5, 2], 20), expected);
        }
    }
}

#[test]
fn a_value_that_someone_else_has_is_not_changed() {
    let session = decoder(&on_cpu());
    let mut state = roomy(50);
    generate(&session, &mut state, &[1, 5, 2], 5);
    let fork = state.clone();
    let rows = |state: &State| {
        let keys = state.get("past_keys").unwrap().as_tensor().unwrap();
        keys.slice::<f32>().unwrap().to_vec()
    };
    let before = rows(&fork);
    let decode = session.entry("decode").unwrap();
    let next = |state: &mut State, token: i64| {
        decode.run_in(state, &[("token", tensor(&[token]))], RunContext::default()).unwrap();
        rows(state)
    };
    let (mut one, mut other) = (state, fork.clone());
    let (a, b) = (next(&mut one, 1), next(&mut other, 6));
    assert_eq!((&a[..before.len()], &b[..before.len()]), (&before[..], &before[..]));
    assert_ne!(a, b);
    assert_eq!(rows(&fork), before);
}

/// Writes a row of a cache of fixed size, and then picks an element of the cache by an index that may be wrong.
const SCATTER: &str =
    "func @f graph (%cache: f32[1, 2, S, 4], %row: f32[1, 2, 1, 4], %at: i64[1], %pick: i64[])
        -> (f32[1, 2, S, 4], f32[*]) {
    %present = tensor_scatter(%cache, %row, %at) : f32[1, 2, S, 4]
    %flat = reshape(%present, %shape) : f32[*]
    %y = gather(%flat, %pick) : f32[*]
    return %present, %y
}";

fn scattered(devices: &[Arc<dyn Device>]) -> Session {
    let text = SCATTER.replace("{\n", "{\n %shape = constant {value = i64[1](-1)}\n");
    let module = Module { funcs: vec![text.parse().unwrap()], ..Module::default() };
    Session::new(module, devices, &Options::default()).unwrap()
}

fn scatter_inputs(step: usize, pick: i64) -> Vec<(&'static str, Value)> {
    let row: Vec<f32> = (0..8).map(|i| (step * 8 + i) as f32).collect();
    let row = Tensor::from_slice(&Pool::new(), &[1, 2, 1, 4], &row).unwrap();
    let pick = Tensor::from_slice(&Pool::new(), &[], &[pick]).unwrap();
    vec![("row", row.into()), ("at", tensor(&[step as i64])), ("pick", pick.into())]
}

#[test]
fn a_cache_of_fixed_size_is_written_where_it_is() {
    const STEPS: usize = 1000;
    let session = scattered(&on_cpu());
    let mut state = State::new([("cache", "present")]);
    let zeros = Tensor::from_slice(&Pool::new(), &[1, 2, STEPS, 4], &vec![0f32; STEPS * 8]);
    state.set("cache", zeros.unwrap().into()).unwrap();
    let at = place(&state, "cache");
    for step in 0..STEPS {
        let inputs = scatter_inputs(step, 0);
        session.run_in(&mut state, &inputs, RunContext::default()).unwrap();
        assert_eq!((state.written(), place(&state, "cache")), (8 * size_of::<f32>(), at));
    }
    let cache = state.get("cache").unwrap().as_tensor().unwrap().slice::<f32>().unwrap();
    for (head, rows) in cache.chunks(STEPS * 4).enumerate() {
        for (step, row) in rows.chunks(4).enumerate() {
            let expected: Vec<f32> = (0..4).map(|i| (step * 8 + head * 4 + i) as f32).collect();
            assert_eq!(row, expected);
        }
    }
    assert_eq!(session.entries().next().unwrap().plans(), 1);
}

#[test]
fn a_run_that_fails_after_it_wrote_leaves_its_state_as_it_was() {
    let cpu = on_cpu().remove(0);
    let options = QueuedOptions { max_delay: Duration::from_millis(3), share: 50, seed: 5 };
    let queued: Arc<dyn Device> = Arc::new(Queued::new(cpu.clone(), options));
    for devices in [vec![cpu.clone()], vec![queued, cpu]] {
        let session = scattered(&devices);
        let mut state = State::new([("cache", "present")]);
        let values: Vec<f32> = (0..80).map(|i| i as f32).collect();
        let cache = Tensor::from_slice(&Pool::new(), &[1, 2, 10, 4], &values).unwrap();
        state.set("cache", cache.into()).unwrap();
        for step in 0..10 {
            let failed =
                session.run_in(&mut state, &scatter_inputs(step, 80), RunContext::default());
            assert!(matches!(failed, Err(RunError::Op(_))), "{failed:?}");
            let cache = state.get("cache").unwrap().as_tensor().unwrap();
            assert_eq!(cache.slice::<f32>().unwrap(), values);
        }
        session.run_in(&mut state, &scatter_inputs(9, 0), RunContext::default()).unwrap();
        assert_ne!(
            state.get("cache").unwrap().as_tensor().unwrap().slice::<f32>().unwrap(),
            values
        );
    }
}

#[test]
fn a_run_that_is_ended_within_an_op_leaves_its_state_as_it_was() {
    // The product takes seconds.
    let text =
        "func @f graph (%cache: f32[1, 2, S, 4], %row: f32[1, 2, 1, 4], %at: i64[1], %a: f32[N, N])
        -> (f32[1, 2, S, 4], f32[*]) {
        %present = tensor_scatter(%cache, %row, %at) : f32[1, 2, S, 4]
        %y = matmul(%a, %a) : f32[*]
        return %present, %y
    }";
    let module = Module { funcs: vec![text.parse().unwrap()], ..Module::default() };
    let session = Session::new(module, &on_cpu(), &Options::default()).unwrap();
    let mut state = State::new([("cache", "present")]);
    let values: Vec<f32> = (0..80).map(|i| i as f32).collect();
    let cache = Tensor::from_slice(&Pool::new(), &[1, 2, 10, 4], &values).unwrap();
    state.set("cache", cache.into()).unwrap();
    let product = |size: usize| {
        let ones = Tensor::from_slice(&Pool::new(), &[size, size], &vec![1f32; size * size]);
        let mut inputs = scatter_inputs(3, 0);
        inputs[2] = ("a", ones.unwrap().into());
        inputs
    };
    for threads in [1, 0] {
        let limit = Duration::from_millis(50);
        let context = RunContext { threads, ..RunContext::within(limit) };
        let start = Instant::now();
        let ended = session.run_in(&mut state, &product(4000), context);
        assert!(matches!(ended, Err(RunError::Deadline { .. })), "{ended:?}");
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
        let cache = state.get("cache").unwrap().as_tensor().unwrap();
        assert_eq!(cache.slice::<f32>().unwrap(), values);
    }
    let (results, _) = session.run_in(&mut state, &product(3), RunContext::default()).unwrap();
    assert_eq!(results[0].1.as_tensor().unwrap().slice::<f32>().unwrap(), [3.0; 9]);
    let cache = state.get("cache").unwrap().as_tensor().unwrap();
    assert_ne!(cache.slice::<f32>().unwrap(), values);
}

/// Notes the names of results.
#[derive(Default)]
struct Names(Mutex<Vec<String>>);

impl Sink for Names {
    fn partial(&self, output: &str, _: Partial<'_>) {
        self.0.lock().unwrap().push(output.to_owned());
    }
}

#[test]
fn sinks_do_not_get_what_a_state_stores() {
    let session = decoder(&on_cpu());
    let mut state = roomy(20);
    generate(&session, &mut state, &[1, 2], 3);
    let sink = Arc::new(Names::default());
    let context = RunContext { sink: Some(sink.clone()), ..RunContext::default() };
    let decode = session.entry("decode").unwrap();
    decode.run_in(&mut state, &[("token", tensor(&[1i64]))], context).unwrap();
    assert_eq!(*sink.0.lock().unwrap(), ["logits"]);
}

#[test]
fn dimensions_that_follow_a_cache_need_a_capacity_or_an_expression() {
    let session = |mask: &str| {
        let text = format!(
            "func @f graph (%past: f32[P, 4], %row: f32[1, 4], %mask: f32[{mask}, 1]) -> (f32[*], f32[*]) {{
                %present = concat(%past, %row) {{axis = 0}} : f32[*]
                %masked = mul(%present, %mask) : f32[*]
                %y = tanh(%masked) : f32[*]
                %z = reduce_sum(%y) : f32[*]
                return %present, %z
            }}"
        );
        let module = Module { funcs: vec![text.parse().unwrap()], ..Module::default() };
        Session::new(module, &on_cpu(), &Options::default()).unwrap()
    };
    let ones = |rows: usize, columns: usize| -> Value {
        Tensor::from_slice(&Pool::new(), &[rows, columns], &vec![1f32; rows * columns])
            .unwrap()
            .into()
    };
    let state = || State::new([("past", "present")]).with_capacity("P", 100);
    for (mask, mut state, plans) in [
        ("\"P+1\"", state(), 1),
        ("T", state().with_capacity("T", 101), 1),
        // A plan for each length, as the sum of 100 rows and 1 does not fit the others' mask.
        ("T", state(), 50),
    ] {
        let session = session(mask);
        state.set("past", ones(1, 4)).unwrap();
        for step in 0..50 {
            let inputs = [("row", ones(1, 4)), ("mask", ones(step + 2, 1))];
            let (results, _) = session.run_in(&mut state, &inputs, RunContext::default()).unwrap();
            let sum = results[0].1.as_tensor().unwrap().slice::<f32>().unwrap()[0];
            let expected = (4 * (step + 2)) as f32 * 1f32.tanh();
            assert!((sum - expected).abs() < 1e-3, "{sum} {expected}");
        }
        assert_eq!(session.entries().next().unwrap().plans(), plans, "{mask}");
    }
}
