//! Random kernels in Triton IR, with what they access.

use std::fmt::Write;

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: i64) -> i64 {
        (self.next() % n as u64) as i64
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as i64) as usize]
    }
}

pub(crate) struct Array {
    pub(crate) name: &'static str,
    /// Its contents, where they matter.
    pub(crate) indices: Option<Vec<i32>>,
    /// Whether it begins with zeros.
    pub(crate) zeros: bool,
}

/// A program reads or writes an element.
pub(crate) struct Access {
    pub(crate) program: i64,
    pub(crate) array: usize,
    pub(crate) index: i64,
}

pub(crate) struct Case {
    pub(crate) number: u64,
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    pub(crate) grid: i64,
    pub(crate) arrays: Vec<Array>,
    pub(crate) scalars: Vec<(&'static str, i64)>,
    pub(crate) accesses: Vec<Access>,
}

const X: usize = 0;
const OUT: usize = 1;
const AT: usize = 2;

/// An element type and how two elements are added.
type Element = (&'static str, &'static str);
const ELEMENTS: &[Element] = &[
    ("f32", "addf"),
    ("f32", "mulf"),
    ("f64", "addf"),
    ("f16", "mulf"),
    ("bf16", "addf"),
    ("i8", "addi"),
    ("i16", "addi"),
    ("i32", "muli"),
    ("i64", "addi"),
];

/// Lines of a kernel's body.
#[derive(Default)]
struct Body(String);

impl Body {
    fn line(&mut self, text: impl AsRef<str>) {
        writeln!(self.0, "    {}", text.as_ref()).unwrap();
    }

    /// `%name`: pointers to elements of `%array` at `%index`, of this shape.
    fn pointers(&mut self, name: &str, array: &str, index: &str, shape: &str, element: &str) {
        let ptr = format!("tensor<{shape}x!tt.ptr<{element}>>");
        self.line(format!("%{name}0 = tt.splat %{array} : !tt.ptr<{element}> -> {ptr}"));
        self.line(format!("%{name} = tt.addptr %{name}0, %{index} : {ptr}, tensor<{shape}xi32>"));
    }

    fn load(&mut self, name: &str, pointers: &str, mask: Option<&str>, shape: &str, element: &str) {
        let mask = mask.map(|m| format!(", %{m}")).unwrap_or_default();
        self.line(format!(
            "%{name} = tt.load %{pointers}{mask} : tensor<{shape}x!tt.ptr<{element}>>"
        ));
    }

    fn store(
        &mut self,
        pointers: &str,
        value: &str,
        mask: Option<&str>,
        shape: &str,
        element: &str,
    ) {
        let mask = mask.map(|m| format!(", %{m}")).unwrap_or_default();
        self.line(format!(
            "tt.store %{pointers}, %{value}{mask} : tensor<{shape}x!tt.ptr<{element}>>"
        ));
    }

    /// `%i`: the program's own numbers, `block` for each.
    fn numbers(&mut self, block: i64) {
        let ty = format!("tensor<{block}xi32>");
        self.line(format!("%block = arith.constant {block} : i32"));
        self.line("%pid = tt.get_program_id x : i32");
        self.line("%first = arith.muli %pid, %block : i32");
        self.line(format!(
            "%range = tt.make_range {{end = {block} : i32, start = 0 : i32}} : {ty}"
        ));
        self.line(format!("%firsts = tt.splat %first : i32 -> {ty}"));
        self.line(format!("%i = arith.addi %firsts, %range : {ty}"));
    }

    /// `%mask`: where `%i` is below `%n`.
    fn mask(&mut self, index: &str, shape: &str) {
        self.line(format!("%limit = tt.splat %n : i32 -> tensor<{shape}xi32>"));
        self.line(format!("%mask = arith.cmpi slt, %{index}, %limit : tensor<{shape}xi32>"));
    }

    /// `%name`: a scalar in all elements.
    fn splat(&mut self, name: &str, value: i64, shape: &str) {
        self.line(format!("%{name} = arith.constant dense<{value}> : tensor<{shape}xi32>"));
    }

    /// `%at`: row times `step` plus column, of a block; `%rows` and `%columns` in its shape.
    fn grid(&mut self, rows: i64, columns: i64, step: i64) {
        let (r, c) = (format!("tensor<{rows}xi32>"), format!("tensor<{columns}xi32>"));
        let whole = format!("tensor<{rows}x{columns}xi32>");
        self.line(format!("%r = tt.make_range {{end = {rows} : i32, start = 0 : i32}} : {r}"));
        self.line(format!("%c = tt.make_range {{end = {columns} : i32, start = 0 : i32}} : {c}"));
        self.line(format!(
            "%r1 = tt.expand_dims %r {{axis = 1 : i32}} : {r} -> tensor<{rows}x1xi32>"
        ));
        self.line(format!(
            "%c1 = tt.expand_dims %c {{axis = 0 : i32}} : {c} -> tensor<1x{columns}xi32>"
        ));
        self.line(format!("%rows = tt.broadcast %r1 : tensor<{rows}x1xi32> -> {whole}"));
        self.line(format!("%columns = tt.broadcast %c1 : tensor<1x{columns}xi32> -> {whole}"));
        self.splat("step", step, &format!("{rows}x{columns}"));
        self.line(format!("%down = arith.muli %rows, %step : {whole}"));
        self.line(format!("%at = arith.addi %down, %columns : {whole}"));
    }
}

impl Case {
    pub(crate) fn new(number: u64, random: &mut Random) -> Case {
        let mut case = Case {
            number,
            kind: "",
            text: String::new(),
            grid: 1 + random.below(6),
            arrays: vec![],
            scalars: vec![],
            accesses: vec![],
        };
        let make = [
            Case::row,
            Case::tile,
            Case::gather,
            Case::scatter,
            Case::atomic,
            Case::looped,
            Case::product,
            Case::descriptor,
            Case::computed,
            Case::column,
        ];
        make[(number % 10) as usize](&mut case, random);
        case
    }

    /// The elements that each array must have.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        let size = |array: usize| {
            let own = self.accesses.iter().filter(|a| a.array == array);
            own.map(|a| a.index as usize + 1).max().unwrap_or(0)
        };
        (0..self.arrays.len()).map(size).collect()
    }

    /// An array, and fewer elements for it.
    pub(crate) fn shorten(&self, random: &mut Random) -> (usize, usize) {
        let sizes = self.sizes();
        let used: Vec<usize> = (0..sizes.len()).filter(|&i| sizes[i] > 0).collect();
        let array = random.one_of(&used);
        if self.kind == "computed" {
            // What such pointers meet behind an array may be another one, which they may go to.
            return (array, 0);
        }
        let most = sizes[array] as i64;
        let less = if random.below(2) == 0 { 1 + random.below(3) } else { 1 + random.below(most) };
        (array, (most - less).max(0) as usize)
    }

    fn finish(&mut self, kind: &'static str, element: Element, body: Body) {
        self.kind = kind;
        let mut params =
            vec![format!("%x: !tt.ptr<{}>", element.0), format!("%out: !tt.ptr<{}>", element.0)];
        self.arrays = vec![
            Array { name: "x", indices: None, zeros: false },
            Array { name: "out", indices: None, zeros: true },
        ];
        let indices = self.accesses.iter().filter(|a| a.array == AT).map(|a| a.index).max();
        if let Some(last) = indices {
            params.push("%at: !tt.ptr<i32>".into());
            // A permutation of what is asked for: `Case::index` gives the same.
            let indices = (0..=last).map(|i| self.index(i, last + 1) as i32).collect();
            self.arrays.push(Array { name: "at", indices: Some(indices), zeros: false });
        }
        params.extend(self.scalars.iter().map(|(name, _)| format!("%{name}: i32")));
        self.text = format!(
            "module {{\n  tt.func public @kernel({}) {{\n{}    tt.return\n  }}\n}}\n",
            params.join(", "),
            body.0
        );
    }

    /// Place `i` of a permutation of `n`, a power of two times an odd number.
    fn index(&self, i: i64, n: i64) -> i64 {
        let step = [7, 11, 13, 17, 19, 23].into_iter().find(|s| n % s != 0).unwrap();
        (i * step + self.number as i64) % n
    }

    fn access(&mut self, program: i64, array: usize, index: i64) {
        self.accesses.push(Access { program, array, index });
    }

    /// Elements side by side, or some apart.
    fn row(&mut self, random: &mut Random) {
        let (element, block) = (random.one_of(ELEMENTS), random.one_of(&[16, 64, 128, 1024]));
        let (step, shift) = (random.one_of(&[1, 1, 1, 2, 3]), random.below(40));
        let masked = random.below(3);
        let all = self.grid * block;
        let n = all - if masked > 0 { random.below(block) } else { 0 };
        let (shape, mut body) = (block.to_string(), Body::default());
        body.numbers(block);
        body.splat("step", step, &shape);
        body.splat("shift", shift, &shape);
        body.line(format!("%j0 = arith.muli %i, %step : tensor<{block}xi32>"));
        body.line(format!("%j = arith.addi %j0, %shift : tensor<{block}xi32>"));
        body.mask("i", &shape);
        // Masks of the load and of the store, of the store alone, or none.
        let [load, store] = [masked == 2, masked > 0].map(|m| m.then_some("mask"));
        body.pointers("px", "x", "j", &shape, element.0);
        body.load("v", "px", load, &shape, element.0);
        body.line(format!("%y = arith.{} %v, %v : tensor<{block}x{}>", element.1, element.0));
        body.pointers("po", "out", "i", &shape, element.0);
        body.store("po", "y", store, &shape, element.0);
        for i in 0..all {
            if load.is_none() || i < n {
                self.access(i / block, X, i * step + shift);
            }
            if store.is_none() || i < n {
                self.access(i / block, OUT, i);
            }
        }
        self.scalars.push(("n", n));
        self.finish("row", element, body);
    }

    /// Sums of rows of a matrix.
    fn tile(&mut self, random: &mut Random) {
        let (rows, columns) = (random.one_of(&[1, 4, 16]), random.one_of(&[4, 16, 64]));
        let (step, n) = (columns + random.below(9), 1 + random.below(columns));
        let (shape, mut body) = (format!("{rows}x{columns}"), Body::default());
        body.grid(rows, columns, step);
        body.mask("columns", &shape);
        body.line("%pid = tt.get_program_id x : i32");
        body.line(format!("%size = arith.constant {} : i32", rows * step));
        body.line("%first = arith.muli %pid, %size : i32");
        body.line(format!("%firsts = tt.splat %first : i32 -> tensor<{shape}xi32>"));
        body.line(format!("%j = arith.addi %firsts, %at : tensor<{shape}xi32>"));
        body.pointers("px", "x", "j", &shape, "f32");
        body.line(format!("%zero = arith.constant dense<0.0> : tensor<{shape}xf32>"));
        body.line(format!("%v = tt.load %px, %mask, %zero : tensor<{shape}x!tt.ptr<f32>>"));
        body.line("%sum = \"tt.reduce\"(%v) <{axis = 1 : i32}> ({");
        body.line("^bb0(%a: f32, %b: f32):");
        body.line("  %s = arith.addf %a, %b : f32");
        body.line("  tt.reduce.return %s : f32");
        body.line(format!("}}) : (tensor<{shape}xf32>) -> tensor<{rows}xf32>"));
        body.line(format!("%count = arith.constant {rows} : i32"));
        body.line("%row = arith.muli %pid, %count : i32");
        body.line(format!("%own = tt.splat %row : i32 -> tensor<{rows}xi32>"));
        body.line(format!("%to = arith.addi %own, %r : tensor<{rows}xi32>"));
        body.pointers("po", "out", "to", &rows.to_string(), "f32");
        body.store("po", "sum", None, &rows.to_string(), "f32");
        for (p, r) in (0..self.grid).flat_map(|p| (0..rows).map(move |r| (p, r))) {
            for c in 0..n {
                self.access(p, X, p * rows * step + r * step + c);
            }
            self.access(p, OUT, p * rows + r);
        }
        self.scalars.push(("n", n));
        self.finish("tile", ("f32", "addf"), body);
    }

    /// `%k`: what `%at` holds for each of the program's numbers; gives these by program.
    fn listed(&mut self, block: i64, body: &mut Body) -> Vec<(i64, i64, i64)> {
        body.numbers(block);
        body.pointers("pk", "at", "i", &block.to_string(), "i32");
        body.load("k", "pk", None, &block.to_string(), "i32");
        let n = self.grid * block;
        let found = (0..n).map(|i| (i / block, i, self.index(i, n))).collect();
        (0..n).for_each(|i| self.access(i / block, AT, i));
        found
    }

    fn gather(&mut self, random: &mut Random) {
        let (element, block) = (random.one_of(ELEMENTS), random.one_of(&[16, 128, 512]));
        let (shape, mut body) = (block.to_string(), Body::default());
        for (program, i, k) in self.listed(block, &mut body) {
            self.access(program, X, k);
            self.access(program, OUT, i);
        }
        body.pointers("px", "x", "k", &shape, element.0);
        body.load("v", "px", None, &shape, element.0);
        body.pointers("po", "out", "i", &shape, element.0);
        body.store("po", "v", None, &shape, element.0);
        self.finish("gather", element, body);
    }

    fn scatter(&mut self, random: &mut Random) {
        let (element, block) = (random.one_of(ELEMENTS), random.one_of(&[16, 128, 512]));
        let (shape, mut body) = (block.to_string(), Body::default());
        for (program, i, k) in self.listed(block, &mut body) {
            self.access(program, X, i);
            self.access(program, OUT, k);
        }
        body.pointers("px", "x", "i", &shape, element.0);
        body.load("v", "px", None, &shape, element.0);
        body.pointers("po", "out", "k", &shape, element.0);
        body.store("po", "v", None, &shape, element.0);
        self.finish("scatter", element, body);
    }

    fn atomic(&mut self, random: &mut Random) {
        let block = random.one_of(&[16, 64, 256]);
        let (ty, op) =
            random.one_of(&[("i32", "add"), ("i64", "max"), ("i32", "xor"), ("f32", "fadd")]);
        let (shape, mut body) = (block.to_string(), Body::default());
        let n = self.grid * block - random.below(block);
        let listed = self.listed(block, &mut body);
        for (program, i, k) in listed {
            self.access(program, X, i);
            if i < n {
                self.access(program, OUT, k);
            }
        }
        body.mask("i", &shape);
        body.pointers("px", "x", "i", &shape, ty);
        body.load("v", "px", None, &shape, ty);
        body.pointers("po", "out", "k", &shape, ty);
        body.line(format!(
            "%old = tt.atomic_rmw {op}, relaxed, gpu, %po, %v, %mask : (tensor<{shape}x!tt.ptr<{ty}>>, tensor<{shape}x{ty}>, tensor<{shape}xi1>) -> tensor<{shape}x{ty}>"
        ));
        self.scalars.push(("n", n));
        self.finish("atomic", (ty, ""), body);
    }

    /// Pointers that a loop carries.
    fn looped(&mut self, random: &mut Random) {
        let (block, trips) = (random.one_of(&[16, 64, 256]), 1 + random.below(5));
        let (shape, mut body) = (block.to_string(), Body::default());
        let ty = format!("tensor<{shape}x!tt.ptr<f32>>");
        body.numbers(block);
        body.pointers("px", "x", "i", &shape, "f32");
        body.line("%c0 = arith.constant 0 : i32");
        body.line("%c1 = arith.constant 1 : i32");
        body.splat("step", self.grid * block, &shape);
        body.line(format!("%zero = arith.constant dense<0.0> : tensor<{shape}xf32>"));
        body.line(format!(
            "%sum:2 = scf.for %t = %c0 to %trips step %c1 iter_args(%s = %zero, %p = %px) -> (tensor<{shape}xf32>, {ty}) : i32 {{"
        ));
        body.load("v", "p", None, &shape, "f32");
        body.line(format!("%u = arith.addf %s, %v : tensor<{shape}xf32>"));
        body.line(format!("%q = tt.addptr %p, %step : {ty}, tensor<{shape}xi32>"));
        body.line(format!("scf.yield %u, %q : tensor<{shape}xf32>, {ty}"));
        body.line("}");
        body.pointers("po", "out", "i", &shape, "f32");
        body.store("po", "sum#0", None, &shape, "f32");
        for i in 0..self.grid * block {
            for t in 0..trips {
                self.access(i / block, X, t * self.grid * block + i);
            }
            self.access(i / block, OUT, i);
        }
        self.scalars.push(("trips", trips));
        self.finish("loop", ("f32", ""), body);
    }

    /// Squares of blocks.
    fn product(&mut self, random: &mut Random) {
        let n = random.one_of(&[16, 32]);
        let step = n + random.below(4);
        let (shape, mut body) = (format!("{n}x{n}"), Body::default());
        body.grid(n, n, step);
        body.line("%pid = tt.get_program_id x : i32");
        body.line(format!("%size = arith.constant {} : i32", n * step));
        body.line("%first = arith.muli %pid, %size : i32");
        body.line(format!("%firsts = tt.splat %first : i32 -> tensor<{shape}xi32>"));
        body.line(format!("%j = arith.addi %firsts, %at : tensor<{shape}xi32>"));
        body.pointers("px", "x", "j", &shape, "f32");
        body.load("v", "px", None, &shape, "f32");
        body.line(format!("%zero = arith.constant dense<0.0> : tensor<{shape}xf32>"));
        body.line(format!(
            "%y = tt.dot %v, %v, %zero, inputPrecision = ieee : tensor<{shape}xf32> * tensor<{shape}xf32> -> tensor<{shape}xf32>"
        ));
        body.pointers("po", "out", "j", &shape, "f32");
        body.store("po", "y", None, &shape, "f32");
        for p in 0..self.grid {
            for k in 0..n * n {
                let at = p * n * step + k / n * step + k % n;
                self.access(p, X, at);
                self.access(p, OUT, at);
            }
        }
        self.finish("product", ("f32", ""), body);
    }

    /// Descriptors that promise more than there is.
    fn descriptor(&mut self, random: &mut Random) {
        let (rows, columns) = (random.one_of(&[1, 4, 8]), random.one_of(&[16, 32]));
        let (height, width) = (rows * self.grid - random.below(rows), columns - random.below(4));
        let step = (width + random.below(5) + 3) / 4 * 4;
        let (block, mut body) = (format!("{rows}x{columns}"), Body::default());
        body.line("%pid = tt.get_program_id x : i32");
        body.line(format!("%size = arith.constant {rows} : i32"));
        body.line("%row = arith.muli %pid, %size : i32");
        body.line("%c0 = arith.constant 0 : i32");
        body.line(format!("%height = arith.constant {height} : i32"));
        body.line(format!("%width = arith.constant {width} : i32"));
        body.line(format!("%step = arith.constant {step} : i64"));
        body.line("%one = arith.constant 1 : i64");
        for array in ["x", "out"] {
            body.line(format!(
                "%d{array} = tt.make_tensor_descriptor %{array}, [%height, %width], [%step, %one] : !tt.ptr<f32>, !tt.tensordesc<{block}xf32>"
            ));
        }
        body.line(format!(
            "%v = tt.descriptor_load %dx[%row, %c0] : !tt.tensordesc<{block}xf32> -> tensor<{block}xf32>"
        ));
        body.line(format!(
            "tt.descriptor_store %dout[%row, %c0], %v : !tt.tensordesc<{block}xf32>, tensor<{block}xf32>"
        ));
        for at in 0..height * width {
            let (r, c) = (at / width, at % width);
            self.access(r / rows, X, r * step + c);
            self.access(r / rows, OUT, r * step + c);
        }
        self.finish("descriptor", ("f32", ""), body);
    }

    /// Pointers made of integers.
    fn computed(&mut self, random: &mut Random) {
        let block = random.one_of(&[16, 64, 256]);
        let (shape, mut body) = (block.to_string(), Body::default());
        body.numbers(block);
        body.splat("four", 4, &shape);
        body.line(format!("%far = arith.muli %i, %four : tensor<{block}xi32>"));
        body.line(format!("%wide = arith.extsi %far : tensor<{block}xi32> to tensor<{block}xi64>"));
        for array in ["x", "out"] {
            let ptr = format!("tensor<{block}x!tt.ptr<f32>>");
            body.line(format!("%b{array} = tt.ptr_to_int %{array} : !tt.ptr<f32> -> i64"));
            body.line(format!("%s{array} = tt.splat %b{array} : i64 -> tensor<{block}xi64>"));
            body.line(format!("%a{array} = arith.addi %s{array}, %wide : tensor<{block}xi64>"));
            body.line(format!(
                "%p{array} = tt.int_to_ptr %a{array} : tensor<{block}xi64> -> {ptr}"
            ));
        }
        body.load("v", "px", None, &shape, "f32");
        body.store("pout", "v", None, &shape, "f32");
        for i in 0..self.grid * block {
            self.access(i / block, X, i);
            self.access(i / block, OUT, i);
        }
        self.finish("computed", ("f32", ""), body);
    }

    /// A column of a matrix, backwards.
    fn column(&mut self, random: &mut Random) {
        let (element, block) = (random.one_of(ELEMENTS), random.one_of(&[16, 64, 128]));
        let step = 1 + random.below(5);
        let last = (self.grid * block - 1) * step;
        let (shape, mut body) = (block.to_string(), Body::default());
        body.numbers(block);
        body.splat("step", step, &shape);
        body.splat("last", last, &shape);
        body.line(format!("%j0 = arith.muli %i, %step : tensor<{block}xi32>"));
        body.line(format!("%j = arith.subi %last, %j0 : tensor<{block}xi32>"));
        body.pointers("px", "x", "j", &shape, element.0);
        body.load("v", "px", None, &shape, element.0);
        body.pointers("po", "out", "i", &shape, element.0);
        body.store("po", "v", None, &shape, element.0);
        for i in 0..self.grid * block {
            self.access(i / block, X, last - i * step);
            self.access(i / block, OUT, i);
        }
        self.finish("column", element, body);
    }
}
