//! Random tile functions as texts.

use std::fmt::Write as _;

/// The bound of masks, the last argument.
pub(crate) const BOUND: i32 = 96;

/// Most elements of a block.
const MOST: usize = 256;

/// A tensor that a function takes.
pub(crate) struct Tensor {
    pub(crate) name: String,
    pub(crate) elements: Vec<i32>,
}

/// A block of i32 of these dimensions.
#[derive(Clone)]
struct Value {
    name: String,
    dims: Vec<usize>,
}

pub(crate) struct Generator {
    state: u64,
    text: String,
    values: Vec<Value>,
    names: usize,
    tensors: Vec<Tensor>,
}

fn ty(of: &str, dims: &[usize]) -> String {
    let dims: Vec<String> = dims.iter().map(usize::to_string).collect();
    format!("{of}[{}]", dims.join(", "))
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
        Generator { state, text: String::new(), values: vec![], names: 0, tensors: vec![] }
    }

    /// A number below `n` (xorshift64*, S. Vigna, 2014).
    fn below(&mut self, n: usize) -> usize {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    fn dims(&mut self) -> Vec<usize> {
        let rank = 1 + self.below(3);
        let mut dims: Vec<usize> = (0..rank).map(|_| 1 << self.below(7)).collect();
        while dims.iter().product::<usize>() > MOST {
            let at = self.below(rank);
            dims[at] = (dims[at] / 2).max(1);
        }
        dims
    }

    /// Appends an op and names its result.
    fn op(&mut self, text: &str) -> String {
        self.names += 1;
        let name = format!("%v{}", self.names);
        let _ = writeln!(self.text, "  {name} = {text}");
        name
    }

    fn constant(&mut self, value: usize) -> String {
        self.op(&format!("constant {{value = i32[]({value})}}"))
    }

    fn splat(&mut self, scalar: &str, of: &str, dims: &[usize]) -> String {
        self.op(&format!("splat({scalar}) : {}", ty(of, dims)))
    }

    /// The places of a block's elements along an axis, repeated along the others.
    fn places(&mut self, dims: &[usize], axis: usize) -> String {
        let mut name = self.op(&format!("arange {{start = 0, end = {}}}", dims[axis]));
        let mut own = vec![dims[axis]];
        for other in 0..dims.len() {
            if other != axis {
                name = self.op(&format!("expand_dims({name}) {{axis = {other}}}"));
                own.insert(other, 1);
            }
        }
        if own == dims {
            return name;
        }
        self.op(&format!("broadcast({name}) : {}", ty("i32", dims)))
    }

    /// Offsets that give each element a place of its own: axes in any order.
    fn offsets(&mut self, dims: &[usize]) -> String {
        let mut order: Vec<usize> = (0..dims.len()).collect();
        if self.below(3) == 0 {
            order.rotate_left(1);
        }
        let (mut sum, mut stride) = (None, 1);
        for &axis in order.iter().rev() {
            let mut places = self.places(dims, axis);
            if stride > 1 {
                let by = self.constant(stride);
                let by = self.splat(&by, "i32", dims);
                places = self.op(&format!("mul({places}, {by})"));
            }
            sum = Some(match sum {
                Some(sum) => self.op(&format!("add({sum}, {places})")),
                None => places,
            });
            stride *= dims[axis];
        }
        sum.unwrap_or_default()
    }

    /// Pointers to the elements of a block of a new tensor, of which each program has its own part, and maybe a mask.
    fn access(&mut self, dims: &[usize]) -> (String, String) {
        let len: usize = dims.iter().product();
        let name = format!("t{}", self.tensors.len());
        let elements = (0..2 * len).map(|_| self.below(201) as i32 - 100).collect();
        self.tensors.push(Tensor { name: name.clone(), elements });
        let base = match self.below(2) {
            0 => self.op(&format!("hint(%{name}) {{divisibility = [16]}}")),
            _ => format!("%{name}"),
        };
        let (program, size) = (self.op("program_id {axis = 0}"), self.constant(len));
        let first = self.op(&format!("mul({program}, {size})"));
        let firsts = self.splat(&first, "i32", dims);
        let own = self.offsets(dims);
        let at = self.op(&format!("add({firsts}, {own})"));
        let bases = self.splat(&base, "ptr<i32>", dims);
        let ptr = self.op(&format!("ptr_add({bases}, {at})"));
        let bound = match self.below(4) {
            0 => "%bound".to_owned(),
            1 => self.op("hint(%bound) {divisibility = [16]}"),
            _ => return (ptr, String::new()),
        };
        let bounds = self.splat(&bound, "i32", dims);
        let mask = self.op(&format!("less({at}, {bounds})"));
        (ptr, mask)
    }

    fn load(&mut self) {
        let dims = self.dims();
        let (ptr, mask) = self.access(&dims);
        // What a load gives outside of its mask is arbitrary without `other`.
        let name = match mask.is_empty() {
            true => self.op(&format!("load({ptr})")),
            false => {
                let other = self.constant(7);
                let other = self.splat(&other, "i32", &dims);
                self.op(&format!("load({ptr}, {mask}, {other})"))
            }
        };
        self.values.push(Value { name, dims });
    }

    fn store(&mut self, value: &Value) {
        let (ptr, mask) = self.access(&value.dims);
        let mask = if mask.is_empty() { mask } else { format!(", {mask}") };
        let _ = writeln!(self.text, "  store({ptr}, {}{mask})", value.name);
    }

    fn elementwise(&mut self, x: &Value, y: &Value) -> Value {
        let op = self.pick(&["add", "sub", "mul", "min", "max", "bitwise_xor", "bitwise_and"]);
        let name = self.op(&format!("{op}({}, {})", x.name, y.name));
        Value { name, ..x.clone() }
    }

    /// A value of the same dimensions, or the value itself.
    fn partner(&mut self, x: &Value) -> Value {
        let alike: Vec<Value> = self.values.iter().filter(|v| v.dims == x.dims).cloned().collect();
        self.pick(&alike)
    }

    fn region(&mut self) -> String {
        let op = self.pick(&["add", "max", "min", "bitwise_xor", "first"]);
        self.names += 1;
        let n = self.names;
        let body = match op {
            // The first that is not 0: operands must keep their order.
            "first" => format!(
                "%z{n} = constant {{value = i32[](0)}}\n    %e{n} = equal(%a{n}, %z{n})\n    %c{n} = where(%e{n}, %b{n}, %a{n})"
            ),
            op => format!("%c{n} = {op}(%a{n}, %b{n})"),
        };
        format!("region (%a{n}: i32[], %b{n}: i32[]) {{\n    {body}\n    yield %c{n}\n  }}")
    }

    fn reduce(&mut self, x: &Value) -> Value {
        let axis = self.below(x.dims.len());
        let region = self.region();
        let mut name = self.op(&format!("reduce({}) {{axis = {axis}}} {region}", x.name));
        if x.dims.len() == 1 {
            name = self.splat(&name, "i32", &x.dims);
        } else {
            name = self.op(&format!("expand_dims({name}) {{axis = {axis}}}"));
            if x.dims[axis] > 1 {
                name = self.op(&format!("broadcast({name}) : {}", ty("i32", &x.dims)));
            }
        }
        Value { name, ..x.clone() }
    }

    fn scan(&mut self, x: &Value) -> Value {
        let (axis, reverse) = (self.below(x.dims.len()), self.below(2));
        let region = self.region();
        let name = self.op(&format!(
            "prefix_scan({}) {{axis = {axis}, reverse = {reverse}}} {region}",
            x.name
        ));
        Value { name, ..x.clone() }
    }

    fn rearrange(&mut self, x: &Value) -> Value {
        let rank = x.dims.len();
        match self.below(3) {
            0 if rank > 1 => {
                let mut order: Vec<usize> = (0..rank).collect();
                order.rotate_left(1);
                let names: Vec<String> = order.iter().map(usize::to_string).collect();
                let name =
                    self.op(&format!("permute({}) {{order = [{}]}}", x.name, names.join(", ")));
                Value { name, dims: order.iter().map(|&axis| x.dims[axis]).collect() }
            }
            1 => {
                let dims = vec![x.dims.iter().product()];
                let name = self.op(&format!("view({}) : {}", x.name, ty("i32", &dims)));
                Value { name, dims }
            }
            _ => {
                let y = self.partner(x);
                let joined = self.op(&format!("join({}, {})", x.name, y.name));
                if self.below(2) == 0 && x.dims.iter().product::<usize>() < MOST {
                    let dims = [&x.dims[..], &[2]].concat();
                    return Value { name: joined, dims };
                }
                self.names += 1;
                let n = self.names;
                let _ = writeln!(self.text, "  %l{n}, %r{n} = unjoin({joined})");
                Value { name: format!("%{}{n}", self.pick(&["l", "r"])), ..x.clone() }
            }
        }
    }

    /// The product of a matrix and another one, each with the elements of a value, or of two such per axis of a batch; the
    /// sum of three such products if a loop adds them. Floats are whole numbers below 8, so all sums are exact.
    fn dot(&mut self, x: &Value) -> Value {
        let y = self.partner(x);
        let len: usize = x.dims.iter().product();
        let batch = self.pick(&[1, 1, 2, 4]).min(len);
        let (mut rows, of) = (1 << self.below(5), len / batch);
        while rows > of || rows * rows * batch > MOST {
            rows /= 2;
        }
        let lead = if batch > 1 { vec![batch] } else { vec![] };
        let dims = |own: [usize; 2]| [&lead[..], &own].concat();
        let factors = ["i8", "f16", "f16", "bf16", "f32"];
        let (own, result) = (self.pick(&factors), dims([rows, rows]));
        let sum = if own.starts_with('i') { "i32" } else { "f32" };
        let (mut a, mut b) = (x.name.clone(), y.name.clone());
        for name in [&mut a, &mut b] {
            let seven = self.constant(7);
            let seven = self.splat(&seven, "i32", &x.dims);
            let small = self.op(&format!("bitwise_and({name}, {seven})"));
            let small = match own {
                "bf16" => self.op(&format!("cast({small}) {{to = f32}}")),
                _ => small,
            };
            *name = self.op(&format!("cast({small}) {{to = {own}}}"));
        }
        let a = self.op(&format!("view({a}) : {}", ty(own, &dims([rows, of / rows]))));
        let b = match self.below(2) {
            0 => self.op(&format!("view({b}) : {}", ty(own, &dims([of / rows, rows])))),
            _ => {
                let b = self.op(&format!("view({b}) : {}", ty(own, &dims([rows, of / rows]))));
                let order = if batch > 1 { "0, 2, 1" } else { "1, 0" };
                self.op(&format!("permute({b}) {{order = [{order}]}}"))
            }
        };
        let five = self.op(&format!("constant {{value = {sum}[](5)}}"));
        let c = self.splat(&five, sum, &result);
        let name = match self.below(2) {
            0 => self.op(&format!("dot({a}, {b}, {c})")),
            _ => {
                let (zero, many, one) = (self.constant(0), self.constant(3), self.constant(1));
                let (block, n) = (ty(sum, &result), self.names);
                self.op(&format!(
                    "for({zero}, {many}, {one}, {c}) region (%k{n}: i32[], %s{n}: {block}) {{\n    %d{n} = dot({a}, {b}, %s{n})\n    yield %d{n}\n  }}",
                ))
            }
        };
        let name = match sum {
            "i32" => name,
            _ => self.op(&format!("cast({name}) {{to = i32}}")),
        };
        Value { name, dims: result }
    }

    /// A loop or branch that carries a block.
    fn control(&mut self, x: &Value) -> Value {
        let y = self.partner(x);
        let block = ty("i32", &x.dims);
        self.names += 1;
        let n = self.names;
        let program = self.op("program_id {axis = 0}");
        let one = self.constant(1);
        if self.below(2) == 0 {
            let some = self.op(&format!("equal({program}, {one})"));
            let _ = writeln!(
                self.text,
                "  %i{n} = if({some}) : {block} region {{\n    %t{n} = add({0}, {1})\n    yield %t{n}\n  }} region {{\n    yield {1}\n  }}",
                x.name, y.name
            );
        } else {
            let (zero, many) = (self.constant(0), self.constant(3));
            let _ = writeln!(
                self.text,
                "  %i{n} = for({zero}, {many}, {one}, {0}) region (%k{n}: i32[], %c{n}: {block}) {{\n    %ks{n} = splat(%k{n}) : {block}\n    %d{n} = sub({1}, %c{n})\n    %e{n} = add(%d{n}, %ks{n})\n    yield %e{n}\n  }}",
                x.name, y.name
            );
        }
        Value { name: format!("%i{n}"), ..x.clone() }
    }

    /// Elements by number, counts of elements, or a region on runs of elements.
    fn by_number(&mut self, x: &Value) -> Value {
        match self.below(3) {
            0 => {
                // Outside of the block elements are arbitrary.
                let (y, axis) = (self.partner(x), self.below(x.dims.len()));
                let last = self.constant(x.dims[axis] - 1);
                let lasts = self.splat(&last, "i32", &x.dims);
                let at = self.op(&format!("bitwise_and({}, {lasts})", y.name));
                let name = self.op(&format!("take_along_axis({}, {at}) {{axis = {axis}}}", x.name));
                Value { name, ..x.clone() }
            }
            1 => {
                let y = self.partner(x);
                let less = self.op(&format!("less({}, {})", x.name, y.name));
                let mask = if self.below(2) == 0 { String::new() } else { format!(", {less}") };
                let (flat, bins) = ([x.dims.iter().product()], 1 << self.below(7));
                let name = self.op(&format!("view({}) : {}", x.name, ty("i32", &flat)));
                let mask = match mask.is_empty() {
                    true => mask,
                    false => {
                        format!(", {}", self.op(&format!("view({less}) : {}", ty("bool", &flat))))
                    }
                };
                let name = self.op(&format!("histogram({name}{mask}) : {}", ty("i32", &[bins])));
                Value { name, dims: vec![bins] }
            }
            _ => {
                let y = self.partner(x);
                let pack =
                    1 << self.below(x.dims.last().map_or(1, |n| n.ilog2() as usize + 1).min(3));
                let of = |letter: &str, n: usize| -> Vec<String> {
                    (0..pack).map(|k| format!("%{letter}{k}_{n}")).collect()
                };
                self.names += 1;
                let n = self.names;
                let params: Vec<String> = [of("a", n), of("b", n)].concat();
                let typed: Vec<String> = params.iter().map(|p| format!("{p}: i32[]")).collect();
                let sums = (0..pack)
                    .map(|k| format!("    %c{k}_{n} = sub(%a{}_{n}, %b{k}_{n})\n", (k + 1) % pack));
                let text = format!(
                    "  %m{n} = map({}, {}) {{pack = {pack}}} : {} region ({}) {{\n{}    yield {}\n  }}\n",
                    x.name,
                    y.name,
                    ty("i32", &x.dims),
                    typed.join(", "),
                    sums.collect::<String>(),
                    of("c", n).join(", ")
                );
                self.text.push_str(&text);
                Value { name: format!("%m{n}"), ..x.clone() }
            }
        }
    }

    /// Atomic ops on elements of a new tensor: each its own, whose former values are known, or few for all.
    fn atomic(&mut self, x: &Value) -> Value {
        let order = self.pick(&["relaxed", "acquire", "release", "acq_rel"]);
        let (ptr, mask) = self.access(&x.dims);
        if self.below(2) == 0 {
            let few = self.splat("%few", "ptr<i32>", &x.dims);
            let (three, dims) = (self.constant(3), x.dims.clone());
            let threes = self.splat(&three, "i32", &dims);
            let place = self.op(&format!("bitwise_and({}, {threes})", x.name));
            let at = self.op(&format!("ptr_add({few}, {place})"));
            let mask = if mask.is_empty() { mask } else { format!(", {mask}") };
            self.op(&format!(
                "atomic_rmw({at}, {}{mask}) {{op = \"add\", order = \"{order}\"}}",
                x.name
            ));
            return x.clone();
        }
        let y = self.partner(x);
        let name = match (self.below(4), mask.is_empty()) {
            (0, true) => self
                .op(&format!("atomic_cas({ptr}, {}, {}) {{order = \"{order}\"}}", x.name, y.name)),
            (_, is_whole) => {
                let op = self
                    .pick(&["add", "and", "or", "xor", "max", "min", "umax", "umin", "exchange"]);
                let masked = if is_whole { String::new() } else { format!(", {mask}") };
                let former = self.op(&format!(
                    "atomic_rmw({ptr}, {}{masked}) {{op = \"{op}\", order = \"{order}\"}}",
                    x.name
                ));
                match is_whole {
                    true => former,
                    // It is arbitrary elsewhere.
                    false => self.op(&format!("where({mask}, {former}, {})", y.name)),
                }
            }
        };
        Value { name, ..x.clone() }
    }

    /// A function and the tensors that it takes.
    pub(crate) fn function(mut self) -> (String, Vec<Tensor>) {
        let elements = vec![0; 4];
        self.tensors.push(Tensor { name: "few".to_owned(), elements });
        (0..1 + self.below(3)).for_each(|_| self.load());
        for _ in 0..2 + self.below(6) {
            let values = self.values.clone();
            let x = self.pick(&values);
            let made = match self.below(10) {
                0 | 1 => {
                    let y = self.partner(&x);
                    self.elementwise(&x, &y)
                }
                2 => self.reduce(&x),
                3 => self.scan(&x),
                4 => self.control(&x),
                5 => self.atomic(&x),
                6 => self.by_number(&x),
                7 => self.dot(&x),
                _ => self.rearrange(&x),
            };
            self.values.push(made);
        }
        for value in self.values.clone().iter().rev().take(2) {
            self.store(value);
        }
        let params: Vec<String> =
            self.tensors.iter().map(|t| format!("%{}: ptr<i32>[], ", t.name)).collect();
        let head = format!("func @f tile ({}%bound: i32[]) {{\n", params.concat());
        (format!("{head}{}  return\n}}\n", self.text), self.tensors)
    }
}
