//! Violations that the verifier finds.

use crate::op::TypeError;
use crate::{AttrKind, FuncPart, Level, Type, counted};

/// A module that breaks a rule of the IR.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VerifyError {
    /// The module has no function.
    #[error("the module has no function")]
    Empty,
    /// Two functions of one name.
    #[error("two functions are called `@{0}`")]
    FuncTwice(String),
    /// A rule broken inside a function.
    #[error("@{func}: {at}: {fault}")]
    Func {
        /// Name of the function.
        func: String,
        /// The op, with the node it came from; or which end of the function.
        at: FuncPart,
        /// The rule.
        fault: Box<Violation>,
    },
}

impl VerifyError {
    /// The name of the model's node that an op comes from.
    pub fn node(&self) -> Option<String> {
        match self {
            VerifyError::Func { at, .. } => at.node(),
            VerifyError::Empty | VerifyError::FuncTwice(_) => None,
        }
    }
}

/// A rule that an op or block breaks.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Violation {
    /// A value that the function does not list.
    #[error("value number {0} is not in the function's table")]
    NoSuchValue(u32),
    /// A value that nothing defines.
    #[error("`%{0}` is used and never defined")]
    Undefined(String),
    /// A value used before its definition, or outside the block that defines it.
    #[error(
        "`%{0}` is not defined at this place: its definition comes later or in a block that does not enclose it"
    )]
    OutOfScope(String),
    /// A value with two definitions.
    #[error("`%{0}` is defined twice")]
    DefinedTwice(String),
    /// Two values of one name.
    #[error("two values are called `%{0}`")]
    NameTwice(String),
    /// An op of another level.
    #[error("the op does not belong to the {0} level")]
    Level(Level),
    /// A required operand is left out.
    #[error("operand {index} (`{name}`) is missing")]
    MissingOperand {
        /// Its place.
        index: usize,
        /// Its declared name.
        name: &'static str,
    },
    /// More operands than declared.
    #[error("has {}, takes {most}", counted(*actual, "operand"))]
    Operands {
        /// Greatest number.
        most: usize,
        /// Number of operands.
        actual: usize,
    },
    /// Fewer or more results than declared. Unused results count.
    #[error("has {}, must have {}", counted(*actual, "result"), range(*least, *most))]
    Results {
        /// Least number.
        least: usize,
        /// Greatest number.
        most: usize,
        /// Number of results.
        actual: usize,
    },
    /// An attribute that is not declared.
    #[error("has no attribute `{0}`")]
    UnknownAttr(String),
    /// A required attribute is not set.
    #[error("attribute `{0}` is missing")]
    MissingAttr(&'static str),
    /// An attribute of another kind.
    #[error("attribute `{name}` is {actual}, must be {expected}")]
    AttrKind {
        /// Its name.
        name: &'static str,
        /// The declared kind.
        expected: AttrKind,
        /// The kind it has.
        actual: AttrKind,
    },
    /// An attribute with a text that is none of its choices.
    #[error("attribute `{name}` is `{found}`, must be one of {}", choices.join(", "))]
    AttrWord {
        /// Its name.
        name: &'static str,
        /// Its text.
        found: String,
        /// The texts that it may have.
        choices: &'static [&'static str],
    },
    /// The number of regions.
    #[error("has {}, declares {expected}", counted(*actual, "region"))]
    Regions {
        /// Declared number.
        expected: usize,
        /// Number of regions.
        actual: usize,
    },
    /// The number of a region's parameters or results.
    #[error("region {region} has {}, needs {expected}", counted(*actual, what))]
    RegionCount {
        /// Which region.
        region: usize,
        /// `parameter` or `result`.
        what: &'static str,
        /// Number that the op needs.
        expected: usize,
        /// Number there is.
        actual: usize,
    },
    /// The type of a region's parameter or result.
    #[error("{what} {index} of region {region} is {actual}, must be {expected}")]
    RegionType {
        /// Which region.
        region: usize,
        /// `parameter` or `result`.
        what: &'static str,
        /// Its place.
        index: usize,
        /// The type that the op needs.
        expected: Type,
        /// The type that it has.
        actual: Type,
    },
    /// Operands that the type rules do not take.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// A result whose type contradicts the type rule.
    #[error("result {index} (`{name}`) is {actual}, by the type rule it is {expected}")]
    ResultType {
        /// Its place.
        index: usize,
        /// Its declared name.
        name: &'static str,
        /// Type by the rule.
        expected: Type,
        /// Type it has.
        actual: Type,
    },
    /// A type that no value of the level has.
    #[error("`%{value}` is {ty}: at level {level} {reason}")]
    LevelType {
        /// The level.
        level: Level,
        /// Name of the value.
        value: String,
        /// Its type.
        ty: Type,
        /// The rule.
        reason: &'static str,
    },
    /// A block in a region that runs element by element.
    #[error("{op} in the region has to do with `%{value}`, which is not a scalar")]
    NotScalar {
        /// The op inside.
        op: String,
        /// Name of the value.
        value: String,
    },
    /// An effect in a region that may run in any order and number.
    #[error("the region may not have effects: {0}")]
    Effect(String),
    /// A call of nothing.
    #[error("there is no function @{0}")]
    Callee(String),
    /// A function that calls itself, perhaps through others.
    #[error("@{0} comes to call itself")]
    Recursion(String),
    /// An argument or result that the callee does not have.
    #[error("{what} {index} is {actual}, @{callee} has {expected}")]
    CallType {
        /// Name of the callee.
        callee: String,
        /// `argument` or `result`.
        what: &'static str,
        /// Its place.
        index: usize,
        /// The callee's type, or `none`.
        expected: String,
        /// The call's type, or `none`.
        actual: String,
    },
    /// A number of threads that no threadgroup has.
    #[error("{}: a threadgroup has 1 to {max}", counted(*.0, "thread"), max = crate::lane::MAX_THREADS)]
    Threads(u32),
    /// A number of threads where there are none.
    #[error("a function at level {0} has no number of threads")]
    ThreadsLevel(Level),
    /// A parameter that no launch can fill.
    #[error(
        "`%{value}` is {ty}: a kernel takes scalars, vectors, and pointers to device or constant memory"
    )]
    KernelParameter {
        /// Name of the parameter.
        value: String,
        /// Its type.
        ty: Type,
    },
    /// A kernel that returns something.
    #[error("a kernel gives its results in memory, `%{0}` has nowhere to go")]
    KernelResult(String),
    /// A call of a kernel.
    #[error("@{0} has a number of threads: kernels are launched, not called")]
    KernelCalled(String),
    /// A result that may point to an array that has ended.
    #[error("`%{0}` points to memory of the thread, which may end with the function")]
    DanglingResult(String),
    /// An array made again and again.
    #[error("arrays are made outside of regions")]
    AllocInRegion,
    /// A threadgroup's array outside of kernels.
    #[error("only kernels, which have a number of threads, have arrays in threadgroup memory")]
    AllocInCallee,
    /// Regions inside regions without end.
    #[error("regions nest deeper than {}", crate::text::MAX_DEPTH)]
    TooDeep,
}

fn range(least: usize, most: usize) -> String {
    match most {
        usize::MAX => format!("at least {least}"),
        _ if least == most => least.to_string(),
        _ => format!("{least} to {most}"),
    }
}
