//! The custom forms: for each op the items before its types, and the types that it shows. The parser and the printer
//! share them.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A part of a custom form in front of the types.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    /// Operands with commas between them: so many, or all that are left.
    Operands(Option<usize>),
    /// `[…]`: operands whose position is after the following ones.
    Offsets,
    /// `[…]`: operands in their place; so many, or all that are left.
    Index(Option<usize>),
    /// `(…)`: operands; so many, or all that are left.
    Args(Option<usize>),
    /// A keyword that is the value of this attribute.
    Word(&'static str),
    /// A string that is the value of this attribute.
    Str(&'static str),
    /// A symbol that is the value of this attribute.
    Symbol(&'static str),
    /// This keyword and an operand, or nothing.
    Keyword(&'static str),
    /// Any of `name`, `name = value`, `name<…>`; these attributes are printed so.
    Options(&'static [&'static str]),
    /// A keyword that is the value of this attribute, or nothing.
    Alone(&'static str),
    /// `{…}`.
    Dict,
}

/// The types of a custom form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Types {
    /// None.
    Nothing,
    /// `: T` of all operands and the result.
    All,
    /// `: T` of all operands; the result is as many truth values.
    Truth,
    /// `: T to T`.
    To,
    /// `: T -> T` of the first operand and the result.
    Arrow,
    /// `: T -> T` of all operands and the result.
    AllArrow,
    /// `: T -> T` of the operand and both results.
    ArrowBoth,
    /// `: T` of the first operand, a pointer; the result has the pointee's type.
    Pointee,
    /// `: T` of the first operand; there is no result.
    First,
    /// `: T` of the first operand, a block; the result is its element.
    Element,
    /// `: T, T` of the operands; the first is the result's too.
    EachFirst,
    /// `: T, T` of the operands, if there are any.
    Each,
    /// `: T, T -> T`.
    EachArrow,
    /// `: T * T -> T`; the third operand has the result's type.
    Product,
    /// `: (T, T) -> (T, T)`.
    Function,
    /// `: T` of the result.
    Result,
    /// `: T` of the result and the last two operands, with `: T, T` the first operand's in front.
    Choice,
}

/// The printed form of an op.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// These items, then these types.
    Items(&'static [Item], Types),
    /// MLIR's generic form; these attributes are properties.
    Generic(&'static [&'static str]),
    /// A form that no sequence of items describes.
    Own(Own),
}

/// Ops with a form of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Own {
    Constant,
    DotScaled,
    MakeDescriptor,
    Print,
    Barrier,
    For,
    If,
    While,
    Branch,
    Func,
    Module,
}

/// Ops of one form.
struct Row(&'static [&'static str], Form);

const ALL: Option<usize> = None;
const ONE: Option<usize> = Some(1);
const PLAIN: &[Item] = &[Item::Operands(ALL), Item::Options(&[]), Item::Dict];

const ROWS: &[Row] = {
    use Form::{Generic, Items};
    use Item::{Alone, Args, Dict, Index, Keyword, Offsets, Operands, Options, Str, Symbol, Word};
    const fn own(names: &'static [&'static str], own: Own) -> Row {
        Row(names, Form::Own(own))
    }
    const fn plain(names: &'static [&'static str], types: Types) -> Row {
        Row(names, Items(PLAIN, types))
    }
    const PREDICATE: &[Item] = &[Word("predicate"), Operands(ALL), Options(&[]), Dict];
    const ORDERED: &[Item] = &[Word("sem"), Word("scope"), Operands(ALL), Dict];
    const WAIT: &[Item] =
        &[Word("sem"), Word("scope"), Operands(Some(2)), Keyword("timeout"), Dict];
    const UPDATE: &[Item] =
        &[Word("atomic_rmw_op"), Word("sem"), Word("scope"), Operands(ALL), Dict];
    const ROUNDED: &[Item] = &[Operands(ALL), Dict, Options(&["rounding"]), Dict];
    const LAST: &[Item] = &[Dict, Operands(ALL), Dict];
    &[
        own(&["arith.constant"], Own::Constant),
        Row(&["arith.cmpi", "arith.cmpf"], Items(PREDICATE, Types::Truth)),
        plain(&["arith.select"], Types::Choice),
        plain(
            &[
                "arith.extf",
                "arith.extsi",
                "arith.extui",
                "arith.trunci",
                "arith.sitofp",
                "arith.uitofp",
                "arith.fptosi",
                "arith.fptoui",
                "arith.bitcast",
            ],
            Types::To,
        ),
        plain(
            &[
                "arith.addi",
                "arith.subi",
                "arith.muli",
                "arith.divsi",
                "arith.divui",
                "arith.remsi",
                "arith.remui",
                "arith.andi",
                "arith.ori",
                "arith.xori",
                "arith.shli",
                "arith.shrsi",
                "arith.shrui",
                "arith.maxsi",
                "arith.maxui",
                "arith.minsi",
                "arith.minui",
                "arith.addf",
                "arith.subf",
                "arith.mulf",
                "arith.divf",
                "arith.remf",
                "arith.maxnumf",
                "arith.minnumf",
                "arith.maximumf",
                "arith.minimumf",
                "arith.negf",
                "math.exp",
                "math.exp2",
                "math.log",
                "math.log2",
                "math.sin",
                "math.cos",
                "math.sqrt",
                "math.rsqrt",
                "math.erf",
                "math.floor",
                "math.ceil",
                "math.absf",
                "math.absi",
                "math.fma",
                "tt.precise_sqrt",
                "tt.precise_divf",
                "tt.approx_divf",
                "tt.mulhiui",
            ],
            Types::All,
        ),
        Row(&["tt.clampf"], Items(&[Operands(ALL), Options(&["propagateNan"]), Dict], Types::All)),
        plain(&["math.isnan", "math.isinf"], Types::Truth),
        Row(
            &["tt.get_program_id", "tt.get_num_programs"],
            Items(&[Word("axis"), Dict], Types::Result),
        ),
        Row(&["tt.make_range", "ub.poison"], Items(&[Dict], Types::Result)),
        plain(
            &[
                "tt.splat",
                "tt.broadcast",
                "tt.expand_dims",
                "tt.trans",
                "tt.bitcast",
                "tt.int_to_ptr",
                "tt.ptr_to_int",
                "tt.histogram",
            ],
            Types::Arrow,
        ),
        Row(
            &["tt.reshape"],
            Items(
                &[Operands(ALL), Options(&["allow_reorder", "efficient_layout"]), Dict],
                Types::Arrow,
            ),
        ),
        Row(
            &["arith.truncf"],
            Items(&[Operands(ALL), Alone("roundingmode"), Options(&[]), Dict], Types::To),
        ),
        Row(&["tt.fp_to_fp"], Items(ROUNDED, Types::Arrow)),
        plain(&["tt.cat", "tt.join"], Types::AllArrow),
        plain(&["tt.split"], Types::ArrowBoth),
        plain(&["tt.unsplat"], Types::Element),
        plain(&["tt.addptr"], Types::EachFirst),
        plain(&["tt.load"], Types::Pointee),
        plain(&["tt.store", "llvm.intr.assume"], Types::First),
        Row(&["tt.atomic_rmw"], Items(UPDATE, Types::Function)),
        Row(&["tt.atomic_cas", "tt.atomic_load"], Items(ORDERED, Types::Function)),
        Row(&["tt.atomic_store"], Items(ORDERED, Types::First)),
        Row(&["tt.atomic_poll"], Items(WAIT, Types::EachArrow)),
        Row(
            &["tt.dot"],
            Items(&[Operands(ALL), Options(&["inputPrecision"]), Dict], Types::Product),
        ),
        own(&["tt.dot_scaled"], Own::DotScaled),
        Row(
            &["tt.gather"],
            Items(
                &[Operands(ONE), Index(ALL), Options(&["efficient_layout"]), Dict],
                Types::Function,
            ),
        ),
        plain(&["tt.extern_elementwise"], Types::Function),
        own(&["tt.make_tensor_descriptor"], Own::MakeDescriptor),
        Row(
            &["tt.descriptor_load"],
            Items(&[Operands(ONE), Offsets, Options(&[]), Dict], Types::EachArrow),
        ),
        Row(
            &["tt.descriptor_store"],
            Items(&[Operands(ONE), Offsets, Operands(ONE), Dict], Types::Each),
        ),
        Row(
            &["tt.descriptor_reduce"],
            Items(&[Word("kind"), Operands(ONE), Offsets, Operands(ONE), Dict], Types::Each),
        ),
        Row(&["tt.descriptor_gather"], Items(&[Operands(ONE), Index(ALL), Dict], Types::Function)),
        Row(
            &["tt.descriptor_scatter"],
            Items(&[Operands(ONE), Index(Some(2)), Operands(ALL), Dict], Types::Each),
        ),
        own(&["tt.print"], Own::Print),
        Row(&["tt.assert"], Items(&[Operands(ALL), Str("message"), Dict], Types::First)),
        own(&["ttg.barrier"], Own::Barrier),
        Row(
            &["gpu.barrier", "tt.grid_dependency_wait", "tt.grid_dependency_launch_dependents"],
            Items(&[Dict], Types::Nothing),
        ),
        Row(&["tt.call"], Items(&[Symbol("callee"), Args(ALL), Dict], Types::Function)),
        Row(
            &[
                "tt.return",
                "scf.yield",
                "tt.reduce.return",
                "tt.scan.return",
                "tt.map_elementwise.return",
            ],
            Items(LAST, Types::Each),
        ),
        Row(&["scf.condition"], Items(&[Args(ONE), Operands(ALL), Dict], Types::Each)),
        Row(&["tt.reduce"], Generic(&["axis"])),
        Row(&["tt.scan"], Generic(&["axis", "reverse"])),
        Row(&["tt.map_elementwise"], Generic(&["pack"])),
        own(&["scf.for"], Own::For),
        own(&["scf.if"], Own::If),
        own(&["scf.while"], Own::While),
        own(&["cf.br", "cf.cond_br"], Own::Branch),
        own(&["tt.func"], Own::Func),
        own(&["module", "builtin.module"], Own::Module),
    ]
};

/// The rows by the names of their ops.
static FORMS: LazyLock<HashMap<&'static str, (&'static str, Form)>> = LazyLock::new(|| {
    let of = |row: &'static Row| row.0.iter().map(|&name| (name, (name, row.1)));
    ROWS.iter().flat_map(of).collect()
});

/// The op's name and its printed form; `None` if there is no such op.
pub(super) fn form(name: &str) -> Option<(&'static str, Form)> {
    FORMS.get(name).copied()
}

/// The form of ops of MLIR's `arith` and `math` that Triton does not emit.
pub(super) const OTHER_ARITHMETIC: Form = Form::Items(PLAIN, Types::All);

/// Why an op that is known is not supported.
pub(crate) fn refused(name: &str) -> Option<&'static str> {
    let dialect = name.split('.').next().unwrap_or("");
    Some(match name {
        "tt.elementwise_inline_asm" => {
            "assembly is for one GPU; write the operation in Triton, or call a function of `libdevice`"
        }
        "tt.make_tensor_ptr" | "tt.advance" => {
            "block pointers were removed from Triton; use tensor descriptors or pointer arithmetic"
        }
        "tt.atomic_rmw_tensor"
        | "tt.experimental_descriptor_load"
        | "tt.experimental_descriptor_store" => {
            "it belongs to an older version of Triton; Trident reads the IR of versions 3.7 to 3.9"
        }
        "scf.execute_region" | "scf.index_switch" | "scf.parallel" | "scf.forall" => {
            "Triton's compiler never emits it"
        }
        "cf.switch" | "cf.assert" => "Triton's compiler never emits it",
        "arith.index_cast" | "arith.index_castui" => "Triton IR has no index type",
        "ttg.barrier" | "gpu.barrier" | "llvm.intr.assume" => return None,
        _ => match dialect {
            "ttg" | "ttng" | "gpu" | "nvgpu" | "nvvm" | "nvws" | "amdgpu" | "amdg" | "rocdl"
            | "gluon" => {
                "it belongs to a later, GPU-specific stage of Triton's compiler; give the `ttir` stage"
            }
            "llvm" => "it belongs to a later stage of Triton's compiler; give the `ttir` stage",
            _ => return None,
        },
    })
}
