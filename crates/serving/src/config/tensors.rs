//! Inputs and outputs.

use crate::schema::{enumeration, message};
use trident_ir::DType;

enumeration! {
    /// The type of a tensor's elements.
    pub enum DataType {
        /// None.
        Invalid = "TYPE_INVALID",
        /// Truth values, a byte each.
        Bool = "TYPE_BOOL",
        /// Unsigned 8-bit integers.
        Uint8 = "TYPE_UINT8",
        /// Unsigned 16-bit integers.
        Uint16 = "TYPE_UINT16",
        /// Unsigned 32-bit integers.
        Uint32 = "TYPE_UINT32",
        /// Unsigned 64-bit integers.
        Uint64 = "TYPE_UINT64",
        /// Signed 8-bit integers.
        Int8 = "TYPE_INT8",
        /// Signed 16-bit integers.
        Int16 = "TYPE_INT16",
        /// Signed 32-bit integers.
        Int32 = "TYPE_INT32",
        /// Signed 64-bit integers.
        Int64 = "TYPE_INT64",
        /// IEEE binary16.
        Fp16 = "TYPE_FP16",
        /// IEEE binary32.
        Fp32 = "TYPE_FP32",
        /// IEEE binary64.
        Fp64 = "TYPE_FP64",
        /// Strings of bytes.
        String = "TYPE_STRING",
        /// The upper half of binary32.
        Bf16 = "TYPE_BF16",
    }
}

/// The types that the protocol and the engine share.
const DTYPES: &[(DataType, DType, &str)] = &[
    (DataType::Bool, DType::Bool, "BOOL"),
    (DataType::Uint8, DType::U8, "UINT8"),
    (DataType::Uint16, DType::U16, "UINT16"),
    (DataType::Uint32, DType::U32, "UINT32"),
    (DataType::Uint64, DType::U64, "UINT64"),
    (DataType::Int8, DType::I8, "INT8"),
    (DataType::Int16, DType::I16, "INT16"),
    (DataType::Int32, DType::I32, "INT32"),
    (DataType::Int64, DType::I64, "INT64"),
    (DataType::Fp16, DType::F16, "FP16"),
    (DataType::Fp32, DType::F32, "FP32"),
    (DataType::Fp64, DType::F64, "FP64"),
    (DataType::String, DType::Str, "BYTES"),
    (DataType::Bf16, DType::BF16, "BF16"),
];

impl DataType {
    /// The engine's type; none for [`DataType::Invalid`].
    pub fn dtype(self) -> Option<DType> {
        DTYPES.iter().find(|(ty, ..)| *ty == self).map(|(_, dtype, _)| *dtype)
    }

    /// The protocol's type for one of the engine's, if it has it.
    pub fn of(dtype: DType) -> Option<DataType> {
        DTYPES.iter().find(|(_, known, _)| *known == dtype).map(|(ty, ..)| *ty)
    }

    /// The name in requests and responses: `FP32`, `BYTES`.
    pub fn protocol_name(self) -> &'static str {
        let own = DTYPES.iter().find(|(ty, ..)| *ty == self);
        own.map_or("<invalid>", |(.., name)| name)
    }

    /// The type with a name in requests and responses.
    pub fn of_protocol(name: &str) -> Option<DataType> {
        DTYPES.iter().find(|(.., own)| *own == name).map(|(ty, ..)| *ty)
    }

    /// Bytes of an element; none for strings, whose elements have different lengths.
    pub fn byte_size(self) -> Option<usize> {
        self.dtype().filter(|dtype| *dtype != DType::Str).map(|dtype| dtype.bits().div_ceil(8))
    }
}

enumeration! {
    /// The meaning of an image's dimensions.
    pub enum ImageFormat {
        /// Nothing is said.
        None = "FORMAT_NONE",
        /// Height, width, channels.
        Nhwc = "FORMAT_NHWC",
        /// Channels, height, width.
        Nchw = "FORMAT_NCHW",
    }
}

message! {
    /// The shape that the model sees instead of the one in requests.
    pub struct ModelTensorReshape {
        /// Its dimensions; none for a scalar.
        shape: Vec<i64> = 1,
    }
}

message! {
    /// An input.
    pub struct ModelInput {
        /// Its name.
        name: String = 1,
        /// Its element type.
        data_type: DataType = 2,
        /// The meaning of its dimensions.
        format: ImageFormat = 3,
        /// Its dimensions; -1 for any size.
        dims: Vec<i64> = 4,
        /// The shape that the model sees.
        reshape: Option<ModelTensorReshape> = 5,
        /// Whether its values are sizes (TensorRT).
        is_shape_tensor: bool = 6,
        /// Whether requests of different shapes form a batch.
        allow_ragged_batch: bool = 7,
        /// Whether requests may leave it out.
        optional: bool = 8,
        /// Whether its elements lie in another order than rows (TensorRT).
        is_non_linear_format_io: bool = 9,
    }
}

message! {
    /// An output.
    pub struct ModelOutput {
        /// Its name.
        name: String = 1,
        /// Its element type.
        data_type: DataType = 2,
        /// Its dimensions; -1 for any size.
        dims: Vec<i64> = 3,
        /// The shape that the model gives it.
        reshape: Option<ModelTensorReshape> = 5,
        /// File with a name for each index, for classification.
        label_filename: String = 4,
        /// Whether its values are sizes (TensorRT).
        is_shape_tensor: bool = 6,
        /// Whether its elements lie in another order than rows (TensorRT).
        is_non_linear_format_io: bool = 7,
    }
}

enumeration! {
    /// The contents of an input that is made from a batch.
    pub enum BatchInputKind {
        /// The number of elements of each request's source.
        ElementCount = "BATCH_ELEMENT_COUNT",
        /// The same, summed up to each request.
        AccumulatedElementCount = "BATCH_ACCUMULATED_ELEMENT_COUNT",
        /// The same, after a zero.
        AccumulatedElementCountWithZero = "BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO",
        /// A shape of as many elements as the largest source has.
        MaxElementCountAsShape = "BATCH_MAX_ELEMENT_COUNT_AS_SHAPE",
        /// The source's shape, a row for each item of the batch.
        ItemShape = "BATCH_ITEM_SHAPE",
        /// The same as one list.
        ItemShapeFlatten = "BATCH_ITEM_SHAPE_FLATTEN",
    }
}

message! {
    /// An input that is made from a batch.
    pub struct BatchInput {
        /// Its contents.
        kind: BatchInputKind = 1,
        /// The model's inputs that get it.
        target_name: Vec<String> = 2,
        /// Its element type.
        data_type: DataType = 3,
        /// The inputs that it is made from.
        source_input: Vec<String> = 4,
    }
}

enumeration! {
    /// The rule by which an output is divided among the requests of a batch.
    pub enum BatchOutputKind {
        /// By the shapes of an input.
        ScatterWithInputShape = "BATCH_SCATTER_WITH_INPUT_SHAPE",
    }
}

message! {
    /// An output with its own way of being divided among the requests of a batch.
    pub struct BatchOutput {
        /// The outputs.
        target_name: Vec<String> = 1,
        /// The way.
        kind: BatchOutputKind = 2,
        /// The inputs that decide.
        source_input: Vec<String> = 3,
    }
}
