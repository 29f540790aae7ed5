//! Encoding of instructions (Intel's manual, volume 2): AVX-512 with its EVEX prefix, and the few others that loops need.

/// A general-purpose register by its number.
pub(super) type Gpr = u8;

pub(super) const RAX: Gpr = 0;
pub(super) const RCX: Gpr = 1;
pub(super) const RDX: Gpr = 2;
pub(super) const RSI: Gpr = 6;
pub(super) const RDI: Gpr = 7;

/// A vector register, 0 to 31.
pub(super) type Zmm = u8;

/// A mask register; as the mask of an instruction, 0 stands for none.
pub(super) type Mask = u8;

/// An instruction with an EVEX prefix.
#[derive(Clone, Copy)]
pub(super) struct Opcode {
    /// 1, 2, 3 for the maps 0F, 0F38, 0F3A.
    pub(super) map: u8,
    /// 0, 1, 2, 3 for no prefix, 66, F3, F2.
    pub(super) prefix: u8,
    /// The bit W.
    pub(super) wide: bool,
    pub(super) byte: u8,
    /// Whether vectors have 256 bits, not 512.
    pub(super) half: bool,
}

impl Opcode {
    /// Whether it copies one element to all lanes (`vbroadcastss`, `vbroadcastsd`).
    fn broadcasts(self) -> bool {
        self.map == 2 && matches!(self.byte, 0x18 | 0x19)
    }
}

/// The operand that may be in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    Reg(u8),
    /// `bytes` bytes at `[base + rax * scale + offset]`.
    Stream {
        base: Gpr,
        scale: u8,
        offset: i32,
        bytes: i32,
    },
    /// One word of the arguments, `[rdi + offset]`, in all lanes.
    Word {
        offset: i32,
    },
    /// Bytes `at…` of the constants: one element in all lanes, or a whole vector.
    Pool {
        at: usize,
        vector: bool,
    },
}

/// The treatment of lanes that an instruction's mask leaves out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Masking {
    /// The mask does not select lanes, or unselected lanes keep their value.
    Keep,
    Zero,
}

/// A place in the code.
#[derive(Clone, Copy)]
pub(super) struct Label(usize);

/// Conditions of jumps, as their opcodes have them.
#[derive(Clone, Copy)]
pub(super) enum Condition {
    GreaterOrEqual = 0xd,
    Greater = 0xf,
    LessOrEqual = 0xe,
    Zero = 0x4,
    NotZero = 0x5,
    Less = 0xc,
}

/// Code under construction; constants follow it.
#[derive(Default)]
pub(super) struct Assembler {
    code: Vec<u8>,
    pool: Vec<u8>,
    /// Where 32-bit distances to constants stand, the ends of their instructions, and the constants' positions.
    constants: Vec<(usize, usize, usize)>,
    labels: Vec<Option<usize>>,
    /// Where 32-bit distances to labels stand.
    jumps: Vec<(usize, Label)>,
}

impl Assembler {
    /// The position of a constant, which is added if it is new.
    pub(super) fn constant(&mut self, bytes: &[u8]) -> usize {
        let found = self.pool.chunks_exact(bytes.len()).position(|known| known == bytes);
        found.map_or_else(
            || {
                let at = self.pool.len().next_multiple_of(bytes.len());
                self.pool.resize(at, 0);
                self.pool.extend(bytes);
                at
            },
            |i| i * bytes.len(),
        )
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// The label stands here.
    pub(super) fn bind(&mut self, label: Label) {
        self.labels[label.0] = Some(self.code.len());
    }

    /// Fills up to a multiple of 32 bytes, for the beginning of a loop.
    pub(super) fn align(&mut self) {
        // The longest no-operations that every processor decodes at once.
        const NOPS: [&[u8]; 8] = [
            &[0x90],
            &[0x66, 0x90],
            &[0x0f, 0x1f, 0x00],
            &[0x0f, 0x1f, 0x40, 0x00],
            &[0x0f, 0x1f, 0x44, 0x00, 0x00],
            &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
            &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
            &[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
        ];
        let mut missing = self.code.len().next_multiple_of(32) - self.code.len();
        while missing > 0 {
            let n = missing.min(NOPS.len());
            self.code.extend(NOPS[n - 1]);
            missing -= n;
        }
    }

    /// The code, then the constants, each part from a multiple of 64 bytes on.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let pool = self.code.len().next_multiple_of(64);
        for &(field, end, at) in &self.constants {
            let distance = (pool + at) as i64 - end as i64;
            self.code[field..field + 4].copy_from_slice(&(distance as i32).to_le_bytes());
        }
        for &(field, label) in &self.jumps {
            let target = self.labels[label.0].unwrap_or(field + 4);
            let distance = target as i64 - (field + 4) as i64;
            self.code[field..field + 4].copy_from_slice(&(distance as i32).to_le_bytes());
        }
        self.code.resize(pool, 0xcc);
        self.code.extend(&self.pool);
        let len = self.code.len().next_multiple_of(64);
        self.code.resize(len, 0xcc);
        self.code
    }

    /// `op reg {mask}, first, second`; `second` may be in memory.
    pub(super) fn vector(
        &mut self,
        op: Opcode,
        (reg, mask, masking): (u8, Mask, Masking),
        first: Zmm,
        second: Place,
        immediate: Option<u8>,
    ) {
        let (x, b) = match second {
            Place::Reg(r) => (r >> 4 & 1, r >> 3 & 1),
            Place::Stream { base, .. } => (0, base >> 3 & 1),
            Place::Word { .. } | Place::Pool { .. } => (0, 0),
        };
        let element = matches!(second, Place::Word { .. } | Place::Pool { vector: false, .. });
        let broadcast = element && !op.broadcasts();
        let inverted = |bit: u8| (bit & 1) ^ 1;
        self.code.push(0x62);
        self.code.push(
            inverted(reg >> 3) << 7
                | inverted(x) << 6
                | inverted(b) << 5
                | inverted(reg >> 4) << 4
                | op.map,
        );
        self.code.push(u8::from(op.wide) << 7 | (!first & 15) << 3 | 1 << 2 | op.prefix);
        self.code.push(
            u8::from(masking == Masking::Zero) << 7
                | if op.half { 0b01 } else { 0b10 } << 5
                | u8::from(broadcast) << 4
                | inverted(first >> 4) << 3
                | mask,
        );
        self.code.push(op.byte);
        let low = (reg & 7) << 3;
        let size = if op.wide { 8 } else { 4 };
        let pool = match second {
            Place::Reg(r) => {
                self.code.push(0xc0 | low | r & 7);
                None
            }
            Place::Stream { base, scale, offset, bytes } => {
                let scale = scale.trailing_zeros() as u8;
                self.memory(low, bytes, offset, |mode| (mode | 4, Some(scale << 6 | (base & 7))));
                None
            }
            Place::Word { offset } => {
                self.memory(low, size, offset, |mode| (mode | RDI, None));
                None
            }
            Place::Pool { at, .. } => {
                self.code.push(low | 5);
                self.code.extend([0; 4]);
                Some((self.code.len() - 4, at))
            }
        };
        self.code.extend(immediate);
        if let Some((field, at)) = pool {
            self.constants.push((field, self.code.len(), at));
        }
    }

    /// The bytes of an address with a displacement, which takes one byte if it is a small multiple of `unit`.
    fn memory(&mut self, low: u8, unit: i32, offset: i32, form: impl Fn(u8) -> (u8, Option<u8>)) {
        let short = i8::try_from(offset / unit).ok().filter(|_| offset % unit == 0);
        let (modrm, sib) = form(if short.is_some() { 0x40 } else { 0x80 });
        self.code.push(modrm | low);
        self.code.extend(sib);
        match short {
            Some(byte) => self.code.push(byte as u8),
            None => self.code.extend(offset.to_le_bytes()),
        }
    }

    /// An instruction of 64-bit registers: the opcode, the register in `reg` and the one in `rm`.
    fn registers(&mut self, opcode: u8, reg: Gpr, rm: Gpr) {
        self.code.push(0x48 | (reg >> 3 & 1) << 2 | rm >> 3 & 1);
        self.code.extend([opcode, 0xc0 | (reg & 7) << 3 | rm & 7]);
    }

    pub(super) fn zero(&mut self, r: Gpr) {
        self.registers(0x31, r, r);
    }

    pub(super) fn mov(&mut self, to: Gpr, from: Gpr) {
        self.registers(0x89, from, to);
    }

    pub(super) fn sub(&mut self, to: Gpr, from: Gpr) {
        self.registers(0x29, from, to);
    }

    pub(super) fn cmp(&mut self, a: Gpr, b: Gpr) {
        self.registers(0x39, b, a);
    }

    pub(super) fn add_constant(&mut self, to: Gpr, value: i32) {
        self.registers(0x81, 0, to);
        self.code.extend(value.to_le_bytes());
    }

    /// Loads word `word` of the arguments.
    pub(super) fn load_word(&mut self, to: Gpr, word: usize) {
        self.code.extend([0x48 | (to >> 3 & 1) << 2, 0x8b, 0x80 | (to & 7) << 3 | RDI]);
        self.code.extend((8 * word as i32).to_le_bytes());
    }

    pub(super) fn push(&mut self, r: Gpr) {
        self.code.extend([0x40 | r >> 3 & 1, 0x50 | r & 7]);
    }

    pub(super) fn pop(&mut self, r: Gpr) {
        self.code.extend([0x40 | r >> 3 & 1, 0x58 | r & 7]);
    }

    pub(super) fn jump_if(&mut self, condition: Condition, to: Label) {
        self.code.extend([0x0f, 0x80 | condition as u8, 0, 0, 0, 0]);
        self.jumps.push((self.code.len() - 4, to));
    }

    /// `kand`, `kor`, `kxor` (opcodes 41, 45, 47) or `knot` (44) of 16 bits.
    pub(super) fn masks(&mut self, opcode: u8, to: Mask, a: Mask, b: Mask) {
        let vvvv = if opcode == 0x44 { 15 } else { !a & 15 };
        let long = u8::from(opcode != 0x44);
        self.code.extend([0xc5, 0x80 | vvvv << 3 | long << 2, opcode, 0xc0 | to << 3 | b]);
    }

    /// Brings the line at `[base + rax * scale + offset]`, if there is one, into the caches.
    pub(super) fn prefetch(&mut self, base: Gpr, scale: u8, offset: i32) {
        let scale = scale.trailing_zeros() as u8;
        self.code.extend([0x40 | base >> 3 & 1, 0x0f, 0x18, 0x8c, scale << 6 | base & 7]);
        self.code.extend(offset.to_le_bytes());
    }

    /// Sets the flag of [`Condition::Zero`] if a mask has no lane.
    pub(super) fn test_mask(&mut self, k: Mask) {
        self.code.extend([0xc5, 0xf8, 0x98, 0xc0 | k << 3 | k]);
    }

    /// Clears the upper parts of the vector registers, and returns.
    pub(super) fn leave(&mut self) {
        self.code.extend([0xc5, 0xf8, 0x77, 0xc3]);
    }
}
