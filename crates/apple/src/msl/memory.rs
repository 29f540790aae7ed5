//! A thread's place, vectors, pointers, arrays and memory.

use trident_ir::op::words::AtomicOp;
use trident_ir::{DType, Op, OpKind as K, Space, Type, ValueId, ops};
use trident_runtime::Declined;

use super::report;
use super::types::scalar;
use super::writer::{Writer, decline, malformed, view};

pub(super) fn write(writer: &mut Writer<'_>, op: &Op) -> Result<(), Declined> {
    let x = writer.operands(op);
    let of_axis = |vector: &str, axis: i64| {
        let axis = usize::try_from(axis).ok().and_then(|axis| ["x", "y", "z"].get(axis));
        axis.map(|axis| format!("int({vector}.{axis})"))
            .ok_or_else(|| malformed(op, "has no such axis"))
    };
    let expression = match op.kind {
        K::ThreadgroupId => of_axis("group", view(op, ops::ThreadgroupId::of)?.axis())?,
        K::NumThreadgroups => of_axis("groups", view(op, ops::NumThreadgroups::of)?.axis())?,
        K::ThreadIndex => "int(thread_index)".to_owned(),
        K::SimdgroupIndex => "int(simdgroup_index)".to_owned(),
        K::LaneIndex => "int(lane_index)".to_owned(),
        K::Identity => x[0].clone(),
        K::Vector | K::Splat => match op.defined().next() {
            Some(id) => format!("{}({})", writer.type_name(op, id)?, x.join(", ")),
            None => return Ok(()),
        },
        K::Extract => format!("{}[{}]", x[0], view(op, ops::Extract::of)?.at()),
        K::Insert => {
            let insert = view(op, ops::Insert::of)?;
            writer.give(op, &x[0])?;
            if let Some(id) = insert.y() {
                let name = writer.name(id);
                writer.statement(&format!("{name}[{}] = {};", insert.at(), x[1]));
            }
            return Ok(());
        }
        K::Alloc => return alloc(writer, op),
        K::PtrAdd => format!("{} + {}", x[0], x[1]),
        K::PtrCast => match op.defined().next() {
            Some(id) => format!("({}){}", writer.type_name(op, id)?, x[0]),
            None => return Ok(()),
        },
        K::IntToPtr => match op.defined().next() {
            Some(id) => format!("reinterpret_cast<{}>(ulong({}))", writer.type_name(op, id)?, x[0]),
            None => return Ok(()),
        },
        K::PtrToInt => format!("long(reinterpret_cast<ulong>({}))", x[0]),
        K::Load => load(writer, view(op, ops::Load::of)?, &x[0])?,
        K::Store => {
            let target = store(writer, view(op, ops::Store::of)?, &x)?;
            writer.statement(&target);
            return Ok(());
        }
        K::AtomicRmw | K::AtomicCas | K::AtomicLoad => atomic(writer, op, &x)?,
        K::AtomicStore => {
            let target = atomic_pointer(writer, op, &x[0])?;
            let value = &x[1];
            writer.statement(&format!(
                "atomic_store_explicit({target}, {value}, memory_order_relaxed);"
            ));
            return Ok(());
        }
        K::DeviceFence => {
            writer.statement(
                "atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);",
            );
            return Ok(());
        }
        K::Print => return report::print(writer, op),
        K::Assert => return report::assert(writer, op),
        K::Assume => return Ok(()),
        _ => return Err(decline(op, "this operation is not supported on Metal")),
    };
    writer.give(op, &expression)
}

/// The place of the pointer among the operands of atomic ops.
const PTR: usize = ops::AtomicRmw::AT.ptr;
const _: () = assert!(PTR == ops::AtomicCas::AT.ptr && PTR == ops::AtomicLoad::AT.ptr);
const _: () = assert!(PTR == ops::AtomicStore::AT.ptr);

/// A pointer to an element as one to an atomic of its type.
fn atomic_pointer(writer: &Writer<'_>, op: &Op, ptr: &str) -> Result<String, Declined> {
    let Some(Type::Pointer(ty)) = op.input(PTR).map(|id| writer.ty(id)) else {
        return Err(malformed(op, "takes no pointer"));
    };
    let element = match ty.to {
        DType::I32 => "int",
        DType::U32 => "uint",
        DType::F32 => "float",
        dtype => return Err(decline(op, format!("Metal has no atomic {dtype}"))),
    };
    Ok(format!("({} atomic_{element}*){ptr}", writer.space(ty.space)))
}

fn atomic(writer: &mut Writer<'_>, op: &Op, x: &[String]) -> Result<String, Declined> {
    let ptr = atomic_pointer(writer, op, &x[0])?;
    match op.kind {
        K::AtomicLoad => return Ok(format!("atomic_load_explicit({ptr}, memory_order_relaxed)")),
        K::AtomicCas => {
            writer.needs("compare_exchange");
            return Ok(format!("compare_exchange({ptr}, {}, {})", x[1], x[2]));
        }
        _ => {}
    }
    let function = match view(op, ops::AtomicRmw::of)?.op() {
        AtomicOp::Add | AtomicOp::FAdd => "fetch_add",
        AtomicOp::And => "fetch_and",
        AtomicOp::Or => "fetch_or",
        AtomicOp::Xor => "fetch_xor",
        AtomicOp::Max | AtomicOp::UMax => "fetch_max",
        AtomicOp::Min | AtomicOp::UMin => "fetch_min",
        AtomicOp::Exchange => "exchange",
    };
    Ok(format!("atomic_{function}_explicit({ptr}, {}, memory_order_relaxed)", x[1]))
}

/// An array of a threadgroup or a thread. Arrays are not initialised: they are unwritten.
fn alloc(writer: &mut Writer<'_>, op: &Op) -> Result<(), Declined> {
    let alloc = view(op, ops::Alloc::of)?;
    let Some(id) = alloc.ptr() else { return Ok(()) };
    let Type::Pointer(ptr) = writer.ty(id) else { return Err(malformed(op, "gives no pointer")) };
    let element = scalar(ptr.to)
        .ok_or_else(|| decline(op, format!("Metal has no element type {}", ptr.to)))?;
    let (name, len) = (writer.name(id), alloc.len());
    if ptr.space != Space::Threadgroup {
        writer.statement(&format!("{element} {name}[{len}];"));
        return Ok(());
    }
    // Parts of it are read and written as any type, so each program's array is aligned.
    let array = |name: &str, len: i64| format!("threadgroup alignas(16) {element} {name}[{len}];");
    if writer.programs == 1 {
        writer.statement(&array(&name, len));
        return Ok(());
    }
    let each = 16 / ptr.to.size().max(1) as i64;
    let (len, all) = ((len + each - 1) / each * each, format!("{name}_of_all"));
    writer.statement(&array(&all, len * i64::from(writer.programs)));
    writer.statement(&format!("threadgroup {element}* {name} = {all} + part * {len};"));
    Ok(())
}

/// The memory at a pointer as a vector of `width` elements. A vector without its natural alignment is a packed one.
fn vector(
    writer: &Writer<'_>,
    op: &Op,
    (id, ptr): (ValueId, &str),
    align: i64,
    width: usize,
) -> Result<String, Declined> {
    let Type::Pointer(ty) = writer.ty(id) else { return Err(malformed(op, "takes no pointer")) };
    let element = match ty.to {
        // Vectors of truth values are not for memory.
        DType::Bool => "uchar",
        dtype => scalar(dtype)
            .ok_or_else(|| decline(op, format!("Metal has no element type {dtype}")))?,
    };
    let align = usize::try_from(align).unwrap_or(0);
    let packed = if align < width * ty.to.size() { "packed_" } else { "" };
    Ok(format!("*({} {packed}{element}{width}*){ptr}", writer.space(ty.space)))
}

fn load(writer: &Writer<'_>, load: ops::Load<'_>, ptr: &str) -> Result<String, Declined> {
    let op = load.as_op();
    let width = usize::try_from(load.width()).unwrap_or(1);
    let whole = match width {
        1 => format!("*{ptr}"),
        _ => vector(writer, op, (load.ptr(), ptr), load.align(), width)?,
    };
    match load.y() {
        Some(id) if width > 1 => Ok(format!("{}({whole})", writer.type_name(op, id)?)),
        _ => Ok(whole),
    }
}

fn store(writer: &Writer<'_>, store: ops::Store<'_>, x: &[String]) -> Result<String, Declined> {
    let ty = writer.ty(store.value());
    Ok(match ty.dims().as_deref() {
        Some(&[width]) => {
            let ptr = (store.ptr(), x[0].as_str());
            let target = vector(writer, store.as_op(), ptr, store.align(), width)?;
            let value = match ty.dtype() {
                Some(DType::Bool) => format!("uchar{width}({})", x[1]),
                _ => x[1].clone(),
            };
            format!("{target} = {value};")
        }
        _ => format!("*{} = {};", x[0], x[1]),
    })
}
