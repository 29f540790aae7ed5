//! Sessions with several functions, and values that stay between their runs: a small decoder with a key–value cache.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

use std::sync::Arc;
use std::time::Duration;
use trident_cpu::CpuDevice;
use trident_engine::{Options, RunContext, RunError, Session, State};
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
