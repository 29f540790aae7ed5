use crate::testing::{ABSENT, elements, run_on, tensor};
use trident_ir::{Attr, OpKind};
use trident_runtime::Value;

fn ramp(n: usize, seed: u32) -> Vec<f32> {
    let mut s = seed;
    (0..n)
        .map(|_| {
            s = s.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (s >> 8) as f32 / 16_777_216.0 - 0.5
        })
        .collect()
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

const T: usize = 4;
const B: usize = 2;
const I: usize = 3;
const H: usize = 5;

struct Net {
    x: Vec<f32>,
    w: Vec<f32>,
    r: Vec<f32>,
    bias: Vec<f32>,
    p: Vec<f32>,
}

fn net(gates: usize, directions: usize) -> Net {
    Net {
        x: ramp(T * B * I, 1),
        w: ramp(directions * gates * H * I, 2),
        r: ramp(directions * gates * H * H, 3),
        bias: ramp(directions * 2 * gates * H, 4),
        p: ramp(directions * 3 * H, 5),
    }
}

impl Net {
    /// Preactivation of unit `u` of gate `g` for sample `b` at time `t`: input part and recurrent part.
    fn parts(
        &self,
        gates: usize,
        d: usize,
        (g, u): (usize, usize),
        (t, b): (usize, usize),
        h: &[f64],
    ) -> (f64, f64) {
        let row = (d * gates + g) * H + u;
        let dot = |a: &[f32], f: &dyn Fn(usize) -> f64| -> f64 {
            a.iter().enumerate().map(|(i, &v)| f64::from(v) * f(i)).sum()
        };
        let x = |i: usize| f64::from(self.x[(t * B + b) * I + i]);
        let bias = &self.bias[d * 2 * gates * H..];
        let input = dot(&self.w[row * I..][..I], &x) + f64::from(bias[g * H + u]);
        let hidden = dot(&self.r[row * H..][..H], &|i| h[i]) + f64::from(bias[(gates + g) * H + u]);
        (input, hidden)
    }

    fn inputs(
        &self,
        gates: usize,
        directions: usize,
        rest: Vec<Option<Value>>,
    ) -> Vec<Option<Value>> {
        let mut inputs = vec![
            Some(tensor(&[T, B, I], &self.x)),
            Some(tensor(&[directions, gates * H, I], &self.w)),
            Some(tensor(&[directions, gates * H, H], &self.r)),
            Some(tensor(&[directions, 2 * gates * H], &self.bias)),
        ];
        inputs.extend(rest);
        inputs
    }
}

fn close(actual: &[f32], expected: &[f64]) {
    assert_eq!(actual.len(), expected.len());
    for (a, e) in actual.iter().zip(expected) {
        assert!((f64::from(*a) - e).abs() < 1e-5, "{a} instead of {e}");
    }
}

#[test]
fn lstm_with_peepholes_lengths_and_both_directions() {
    let (net, lens) = (net(4, 2), [4usize, 2]);
    let (mut y, mut last) = (vec![0.0; T * 2 * B * H], vec![0.0; 2 * B * H]);
    for d in 0..2 {
        for b in 0..B {
            let (mut h, mut c) = (vec![0.0; H], vec![0.0; H]);
            for step in 0..lens[b] {
                let t = if d == 1 { lens[b] - 1 - step } else { step };
                let gate = |g: usize, u: usize| {
                    let (x, r) = net.parts(4, d, (g, u), (t, b), &h);
                    x + r
                };
                let p = |g: usize, u: usize| f64::from(net.p[(d * 3 + g) * H + u]);
                let cell: Vec<f64> = (0..H)
                    .map(|u| {
                        let i = sigmoid(gate(0, u) + p(0, u) * c[u]);
                        let f = sigmoid(gate(2, u) + p(2, u) * c[u]);
                        f * c[u] + i * gate(3, u).tanh()
                    })
                    .collect();
                h = (0..H)
                    .map(|u| sigmoid(gate(1, u) + p(1, u) * cell[u]) * cell[u].tanh())
                    .collect();
                c = cell;
                y[((t * 2 + d) * B + b) * H..][..H].copy_from_slice(&h);
            }
            last[(d * B + b) * H..][..H].copy_from_slice(&h);
        }
    }
    let attrs = [("direction", Attr::Str("bidirectional".into()))];
    let rest = || {
        let lens = Some(tensor(&[B], &[4i32, 2]));
        vec![lens, ABSENT, ABSENT, Some(tensor(&[2, 3 * H], &net.p))]
    };
    let out = run_on(2, OpKind::LSTM, &attrs, net.inputs(4, 2, rest()), 3).unwrap();
    close(&elements(&out[0]), &y);
    close(&elements(&out[1]), &last);
    let alone = run_on(1, OpKind::LSTM, &attrs, net.inputs(4, 2, rest()), 3).unwrap();
    assert_eq!(elements::<f32>(&alone[0]), elements::<f32>(&out[0]));
    assert!(run_on(1, OpKind::LSTM, &[], net.inputs(4, 2, rest()), 3).is_err());
}

#[test]
fn gru_with_the_reset_before_and_after_the_product() {
    let net = net(3, 1);
    for linear in [false, true] {
        let mut y = vec![0.0; T * B * H];
        for b in 0..B {
            let mut h = vec![0.0; H];
            for t in 0..T {
                let gate = |g: usize, u: usize, h: &[f64]| net.parts(3, 0, (g, u), (t, b), h);
                let sum = |(a, b): (f64, f64)| a + b;
                let r: Vec<f64> = (0..H).map(|u| sigmoid(sum(gate(1, u, &h)))).collect();
                let reset: Vec<f64> = h.iter().zip(&r).map(|(h, r)| h * r).collect();
                h = (0..H)
                    .map(|u| {
                        let z = sigmoid(sum(gate(0, u, &h)));
                        let n = match linear {
                            true => {
                                let (x, hidden) = gate(2, u, &h);
                                x + r[u] * hidden
                            }
                            false => sum(gate(2, u, &reset)),
                        };
                        (1.0 - z) * n.tanh() + z * h[u]
                    })
                    .collect();
                y[(t * B + b) * H..][..H].copy_from_slice(&h);
            }
        }
        let attrs = [("linear_before_reset", Attr::Int(linear.into()))];
        let out = run_on(1, OpKind::GRU, &attrs, net.inputs(3, 1, vec![]), 1).unwrap();
        close(&elements(&out[0]), &y);
    }
}

#[test]
fn rnn_with_batch_first_clip_and_affine_activation() {
    let net = net(1, 1);
    let mut y = vec![0.0; B * T * H];
    for b in 0..B {
        let mut h = vec![0.25; H];
        for t in 0..T {
            let pre = |u: usize| {
                let (x, r) = net.parts(1, 0, (0, u), (t, b), &h);
                2.0 * (x + r).clamp(-0.3, 0.3) + 0.5
            };
            h = (0..H).map(pre).collect();
            y[(b * T + t) * H..][..H].copy_from_slice(&h);
        }
    }
    let attrs = [
        ("layout", Attr::Int(1)),
        ("clip", Attr::Float(0.3)),
        ("activations", Attr::Strs(vec!["Affine".into()])),
        ("activation_alpha", Attr::Floats(vec![2.0])),
        ("activation_beta", Attr::Floats(vec![0.5])),
    ];
    let mut inputs = net.inputs(1, 1, vec![ABSENT, Some(tensor(&[B, 1, H], &[0.25f32; B * H]))]);
    let batch_first: Vec<f32> =
        (0..B * T).flat_map(|i| net.x[(i % T * B + i / T) * I..][..I].to_vec()).collect();
    inputs[0] = Some(tensor(&[B, T, I], &batch_first));
    let out = run_on(1, OpKind::RNN, &attrs, inputs.clone(), 2).unwrap();
    close(&elements(&out[0]), &y);
    assert_eq!(out[1].as_tensor().unwrap().dims(), [B, 1, H]);
    let bad = [("activations", Attr::Strs(vec!["Sine".into()]))];
    assert!(run_on(1, OpKind::RNN, &bad, inputs, 1).is_err());
}
