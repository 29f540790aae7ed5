//! The part before the weights: facts about the model, the list of blocks, and the functions, as texts without weights.

use crate::Compiled;
use crate::blocks::{self, ALIGN, Listed};
use crate::error::LoadError;
use crate::header::{self, Header};
use crate::record::{Reader, Writer};
use crate::weights::{self, Collector, Slot, Weights};
use bytes::Bytes;
use trident_engine::{DeviceForm, Form, Optimized, OptimizedEntry, Overridable, Placement, Region};
use trident_ir::{Func, Level, ValueInfo};
use trident_onnx::Info;
use trident_onnx::files::FileSource;

/// A function without its weights.
struct Bare {
    text: String,
    slots: Vec<Slot>,
}

/// The graph of a model, padded, and its weights.
pub(crate) fn encode(model: &Compiled) -> Result<(Vec<u8>, Weights), LoadError> {
    let Optimized { form, entries, metadata } = &model.optimized;
    let mut collector = Collector::default();
    let mut bare = |func: &Func| -> Result<Bare, LoadError> {
        let mut func = func.clone();
        let slots = collector.take(&mut func)?;
        Ok(Bare { text: func.to_string(), slots })
    };
    let funcs = entries.iter().map(|entry| {
        let original = entry.overridable.as_ref().map(|original| bare(&original.func));
        Ok((bare(&entry.func)?, original.transpose()?))
    });
    let mut funcs = funcs.collect::<Result<Vec<_>, LoadError>>()?;
    let all = funcs.iter_mut().flat_map(|(func, original)| std::iter::once(func).chain(original));
    let weights = collector.finish(all.flat_map(|bare| &mut bare.slots));
    let mut out = Writer::default();
    out.text(&model.trident);
    out.list(form.devices.iter(), |w, device| {
        w.text(&device.name);
        w.list(device.rewrites.iter(), |w, rewrite| w.text(rewrite));
    });
    out.list(form.disabled.iter(), |w, pass| w.text(pass));
    info(&mut out, &model.info);
    out.list(metadata.iter(), |w, (key, value)| {
        w.text(key);
        w.text(value);
    });
    out.list(weights.list(), |w, listed| listed.encode(w));
    out.list(entries.iter().zip(&funcs), |w, (entry, (func, original))| {
        w.text(&interface(&entry.inputs));
        w.list(entry.outputs.iter(), |w, name| w.text(name));
        encode_func(w, func);
        encode_placement(w, &entry.placement);
        w.list(entry.overridable.iter().zip(original), |w, (overridable, original)| {
            w.text(&interface(&overridable.optional));
            encode_func(w, original);
        });
    });
    let mut graph = out.0;
    // The weights start at a multiple of their alignment in the file.
    let end = header::SIZE + graph.len();
    graph.resize(end.next_multiple_of(ALIGN as usize) - header::SIZE, 0);
    Ok((graph, weights))
}

/// Names and types as the text of a function that takes them.
fn interface(values: &[ValueInfo]) -> String {
    let mut func = Func::new("interface", Level::Graph);
    for ValueInfo { name, ty } in values {
        let param = func.value(name.as_str(), ty.clone());
        func.body.params.push(param);
    }
    func.to_string()
}

fn encode_func(writer: &mut Writer, func: &Bare) {
    writer.text(&func.text);
    writer.list(func.slots.iter(), |w, slot| slot.encode(w));
}

/// Devices and kinds of the regions, then the region of each op: 0 for none, else one more than its number.
fn encode_placement(writer: &mut Writer, placement: &Placement) {
    writer.list(placement.regions.iter(), |w, region| {
        w.size(region.device);
        w.number(region.unit.into());
    });
    writer.list(placement.ops.iter(), |w, region| w.size(region.map_or(0, |region| region + 1)));
}

fn decode_placement(reader: &mut Reader<'_>) -> Result<Placement, LoadError> {
    let region = |r: &mut Reader<'_>| Ok(Region { device: r.size()?, unit: r.number()? != 0 });
    let regions = reader.list(region)?;
    Ok(Placement { regions, ops: reader.list(|r| Ok(r.size()?.checked_sub(1)))? })
}

fn info(writer: &mut Writer, info: &Info) {
    writer.number(info.ir_version.cast_unsigned());
    writer.list(info.opsets.iter(), |w, (domain, version)| {
        w.text(domain);
        w.number(version.cast_unsigned());
    });
    let producer = [&info.producer_name, &info.producer_version, &info.domain];
    let texts = [&info.doc, &info.graph_name, &info.graph_doc];
    producer.iter().chain(&texts).for_each(|text| writer.text(text));
    writer.number(info.model_version.cast_unsigned());
    writer.list(info.outputs.iter(), |w, declared| {
        let declared =
            declared.iter().map(|ty| ValueInfo { name: "output".into(), ty: ty.clone() });
        w.text(&interface(&declared.collect::<Vec<_>>()));
    });
}

/// The version of the Trident that made the graph, which is the first field in every version.
pub(crate) fn trident(graph: &[u8]) -> Result<String, LoadError> {
    Reader(graph).text()
}

/// Decodes a graph that is intact and of this version, and reads the weights.
pub(crate) fn decode(
    graph: &[u8],
    header: &Header,
    source: &dyn FileSource,
) -> Result<Compiled, LoadError> {
    let mut reader = Reader(graph);
    let trident = reader.text()?;
    let device =
        |r: &mut Reader<'_>| Ok(DeviceForm { name: r.text()?, rewrites: r.list(Reader::text)? });
    let form = Form { devices: reader.list(device)?, disabled: reader.list(Reader::text)? };
    let info = decode_info(&mut reader)?;
    let metadata = reader.list(|r| Ok((r.text()?, r.text()?)))?;
    let list = reader.list(Listed::decode)?;
    let blocks = blocks::read(source, header.weights(), &list)?;
    let entries = reader.list(|r| decode_entry(r, &blocks))?;
    reader.end()?;
    let optimized = Optimized { form, entries, metadata: metadata.into_iter().collect() };
    Ok(Compiled { optimized, info, trident })
}

fn decode_info(reader: &mut Reader<'_>) -> Result<Info, LoadError> {
    let number = |r: &mut Reader<'_>| r.number().map(u64::cast_signed);
    Ok(Info {
        ir_version: number(reader)?,
        opsets: reader.list(|r| Ok((r.text()?, number(r)?)))?,
        producer_name: reader.text()?,
        producer_version: reader.text()?,
        domain: reader.text()?,
        doc: reader.text()?,
        graph_name: reader.text()?,
        graph_doc: reader.text()?,
        model_version: number(reader)?,
        outputs: reader.list(|r| Ok(decode_interface(r)?.pop().map(|info| info.ty)))?,
    })
}

fn decode_entry(reader: &mut Reader<'_>, blocks: &[Bytes]) -> Result<OptimizedEntry, LoadError> {
    let inputs = decode_interface(reader)?;
    let outputs = reader.list(Reader::text)?;
    let func = decode_func(reader, blocks)?;
    let placement = decode_placement(reader)?;
    let overridable = reader.list(|r| {
        let optional = decode_interface(r)?;
        Ok(Overridable { func: decode_func(r, blocks)?, optional })
    })?;
    let mut overridable = overridable.into_iter();
    let entry = OptimizedEntry {
        func,
        placement,
        inputs,
        outputs,
        overridable: overridable.next(),
        passes: vec![],
    };
    match overridable.next() {
        None => Ok(entry),
        Some(_) => Err(LoadError::malformed("a function is stored twice")),
    }
}

fn decode_interface(reader: &mut Reader<'_>) -> Result<Vec<ValueInfo>, LoadError> {
    let func: Func = reader.str()?.parse()?;
    Ok(func.body.params.iter().map(|param| func.info(*param).clone()).collect())
}

fn decode_func(reader: &mut Reader<'_>, blocks: &[Bytes]) -> Result<Func, LoadError> {
    let mut func: Func = reader.str()?.parse()?;
    let slots = reader.list(Slot::decode)?;
    weights::put(&mut func, &slots, blocks)?;
    Ok(func)
}
