//! A thread's place, vectors, pointers, arrays and memory.

use trident_ir::{DType, Op, OpKind as K, Space, Type};
use trident_runtime::Declined;

use super::report;
use super::types::scalar;
use super::writer::{Writer, decline};

pub(super) fn write(writer: &mut Writer<'_>, op: &Op) -> Result<(), Declined> {
    let x = writer.operands(op);
    let of_axis = |vector: &str| {
        let axis = op.int("axis").and_then(|axis| ["x", "y", "z"].get(usize::try_from(axis).ok()?));
        axis.map(|axis| format!("int({vector}.{axis})"))
            .ok_or_else(|| decline(op, "has no such axis"))
    };
    let at = || op.int("at").unwrap_or(0);
    let expression = match op.kind {
        K::ThreadgroupId => of_axis("group")?,
        K::NumThreadgroups => of_axis("groups")?,
        K::ThreadIndex => "int(thread_index)".to_owned(),
        K::SimdgroupIndex => "int(simdgroup_index)".to_owned(),
        K::LaneIndex => "int(lane_index)".to_owned(),
        K::Identity => x[0].clone(),
        K::Vector | K::Splat => match op.output(0) {
            Some(id) => format!("{}({})", writer.type_name(op, id)?, x.join(", ")),
            None => return Ok(()),
        },
        K::Extract => format!("{}[{}]", x[0], at()),
        K::Insert => {
            writer.give(op, &x[0])?;
            if let Some(id) = op.output(0) {
                let name = writer.name(id);
                writer.statement(&format!("{name}[{}] = {};", at(), x[1]));
            }
            return Ok(());
        }
        K::Alloc => return alloc(writer, op),
        K::PtrAdd => format!("{} + {}", x[0], x[1]),
        K::PtrCast => match op.output(0) {
            Some(id) => format!("({}){}", writer.type_name(op, id)?, x[0]),
            None => return Ok(()),
        },
        K::IntToPtr => match op.output(0) {
            Some(id) => format!("reinterpret_cast<{}>(ulong({}))", writer.type_name(op, id)?, x[0]),
            None => return Ok(()),
        },
        K::PtrToInt => format!("long(reinterpret_cast<ulong>({}))", x[0]),
        K::Load => load(writer, op, &x[0])?,
        K::Store => {
            let target = store(writer, op, &x)?;
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
        _ => return Err(decline(op, "has no form in Metal yet")),
    };
    writer.give(op, &expression)
}

/// A pointer to an element as one to an atomic of its type.
fn atomic_pointer(writer: &Writer<'_>, op: &Op, ptr: &str) -> Result<String, Declined> {
    let Some(Type::Pointer(ty)) = op.input(0).map(|id| writer.ty(id)) else {
        return Err(decline(op, "takes no pointer"));
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
    let function = match (op.kind, op.str("op")) {
        (K::AtomicLoad, _) => {
            return Ok(format!("atomic_load_explicit({ptr}, memory_order_relaxed)"));
        }
        (K::AtomicCas, _) => {
            writer.needs("compare_exchange");
            return Ok(format!("compare_exchange({ptr}, {}, {})", x[1], x[2]));
        }
        (_, Some("add" | "fadd")) => "fetch_add",
        (_, Some("and")) => "fetch_and",
        (_, Some("or")) => "fetch_or",
        (_, Some("xor")) => "fetch_xor",
        (_, Some("max" | "umax")) => "fetch_max",
        (_, Some("min" | "umin")) => "fetch_min",
        (_, Some("exchange")) => "exchange",
        _ => return Err(decline(op, "has no such op")),
    };
    Ok(format!("atomic_{function}_explicit({ptr}, {}, memory_order_relaxed)", x[1]))
}

/// An array of a threadgroup or a thread. Arrays are not initialised: they are unwritten.
fn alloc(writer: &mut Writer<'_>, op: &Op) -> Result<(), Declined> {
    let Some(id) = op.output(0) else { return Ok(()) };
    let Type::Pointer(ptr) = writer.ty(id) else { return Err(decline(op, "gives no pointer")) };
    let element = scalar(ptr.to)
        .ok_or_else(|| decline(op, format!("Metal has no element type {}", ptr.to)))?;
    let (name, len) = (writer.name(id), op.int("len").unwrap_or(0));
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

/// The memory behind a pointer as a vector of so many elements; a vector without its alignment is a packed one.
fn vector(writer: &Writer<'_>, op: &Op, ptr: &str, width: usize) -> Result<String, Declined> {
    let id = op.input(0).ok_or_else(|| decline(op, "lacks its pointer"))?;
    let Type::Pointer(ty) = writer.ty(id) else { return Err(decline(op, "takes no pointer")) };
    let element = match ty.to {
        // Vectors of truth values are not for memory.
        DType::Bool => "uchar",
        dtype => scalar(dtype)
            .ok_or_else(|| decline(op, format!("Metal has no element type {dtype}")))?,
    };
    let align = op.int("align").and_then(|align| usize::try_from(align).ok()).unwrap_or(0);
    let packed = if align < width * ty.to.size() { "packed_" } else { "" };
    Ok(format!("*({} {packed}{element}{width}*){ptr}", writer.space(ty.space)))
}

fn load(writer: &Writer<'_>, op: &Op, ptr: &str) -> Result<String, Declined> {
    let width = op.int("width").and_then(|width| usize::try_from(width).ok()).unwrap_or(1);
    let whole = match width {
        1 => format!("*{ptr}"),
        _ => vector(writer, op, ptr, width)?,
    };
    match op.output(0) {
        Some(id) if width > 1 => Ok(format!("{}({whole})", writer.type_name(op, id)?)),
        _ => Ok(whole),
    }
}

fn store(writer: &Writer<'_>, op: &Op, x: &[String]) -> Result<String, Declined> {
    let id = op.input(1).ok_or_else(|| decline(op, "lacks its value"))?;
    let ty = writer.ty(id);
    Ok(match ty.dims().as_deref() {
        Some(&[width]) => {
            let target = vector(writer, op, &x[0], width)?;
            let value = match ty.dtype() {
                Some(DType::Bool) => format!("uchar{width}({})", x[1]),
                _ => x[1].clone(),
            };
            format!("{target} = {value};")
        }
        _ => format!("*{} = {};", x[0], x[1]),
    })
}
