//! A model's inputs and outputs, as far as they are known before devices are chosen.

use crate::{Compiled, Model};
use std::collections::HashMap;
use trident_engine::rows::{self, LostAxis, MixedRows, PaddedAxis};
use trident_ir::shape::{self, ShapeError};
use trident_ir::{Dim, Func, Type, ValueId, ValueInfo};

/// Names and types of a model's inputs and outputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interface {
    /// Inputs that a run needs.
    pub inputs: Vec<ValueInfo>,
    /// Inputs with defaults.
    pub optional: Vec<ValueInfo>,
    /// Outputs. Sizes follow from the inputs where they do so for every choice of optional inputs. Other sizes are as
    /// declared in the file, which a run may contradict.
    pub outputs: Vec<ValueInfo>,
}

impl Model {
    /// Whether rows of the outputs depend only on the same rows of the inputs, by what the ops state about axes. The
    /// error names the first op that mixes rows. Inputs with defaults count as constants.
    pub fn independent_rows(&self) -> Result<(), MixedRows> {
        self.func().map_or(Ok(()), rows::independent)
    }

    /// For each output, ascending, the axes along which it is cut back after inputs were padded at the end of an axis each: all to
    /// one length, which was another for each row. Inputs are named by their positions.
    pub fn padded_axes(&self, padded: &[PaddedAxis]) -> Result<Vec<Vec<usize>>, LostAxis> {
        self.func().map_or(Ok(vec![]), |func| rows::padded_axes(func, padded))
    }

    /// The model's first function, before its passes if the model has that.
    fn func(&self) -> Option<&Func> {
        match self {
            Model::Source(model) => model.module.entry(),
            Model::Compiled(Compiled { optimized, .. }) => optimized.entries.first().map(|entry| {
                entry.overridable.as_ref().map_or(&entry.func, |original| &original.func)
            }),
        }
    }

    /// The interface of the model's first function; an error if its shapes contradict each other.
    pub fn interface(&self) -> Result<Interface, ShapeError> {
        let mut interface = match self {
            Model::Source(model) => match model.module.entry() {
                Some(func) => inferred(func, &model.optional)?,
                None => Interface::default(),
            },
            Model::Compiled(Compiled { optimized, .. }) => match optimized.entries.first() {
                Some(entry) => match &entry.overridable {
                    Some(original) => inferred(&original.func, &original.optional)?,
                    None => {
                        let outputs = infos(&entry.func, &entry.func.body.results);
                        let named = outputs.into_iter().zip(&entry.outputs);
                        let outputs =
                            named.map(|(info, name)| ValueInfo { name: name.clone(), ..info });
                        let inputs = entry.inputs.clone();
                        Interface { inputs, optional: vec![], outputs: outputs.collect() }
                    }
                },
                None => Interface::default(),
            },
        };
        for (output, declared) in interface.outputs.iter_mut().zip(&self.info().outputs) {
            declare(&mut output.ty, declared.as_ref());
        }
        Ok(interface)
    }
}

fn infos(func: &Func, ids: &[ValueId]) -> Vec<ValueInfo> {
    ids.iter().map(|id| func.info(*id).clone()).collect()
}

/// The interface of a function before its passes.
fn inferred(func: &Func, optional: &[ValueInfo]) -> Result<Interface, ShapeError> {
    let inputs = infos(func, &func.body.params);
    let mut func = func.clone();
    shape::infer(&mut func, &HashMap::new())?;
    let outputs = infos(&func, &func.body.results);
    Ok(Interface { inputs, optional: optional.to_vec(), outputs })
}

/// Takes sizes that are not known from a declared type of the same rank.
fn declare(ty: &mut Type, declared: Option<&Type>) {
    let (Type::Tensor(own), Some(Type::Tensor(declared))) = (ty, declared) else { return };
    match (&mut own.shape, &declared.shape) {
        (Some(own), Some(declared)) if own.len() == declared.len() => {
            let unknown = own
                .iter_mut()
                .zip(declared.iter())
                .filter(|(own, declared)| matches!((own, declared), (Dim::Unknown, Dim::Fixed(_))));
            unknown.for_each(|(own, declared)| own.clone_from(declared));
        }
        (own @ None, declared) => own.clone_from(declared),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_ir::DType;

    #[test]
    fn declared_sizes_fill_in_unknown_ones_only() {
        let ty = |dims: &[Dim]| Type::tensor(DType::F32, dims.iter().cloned());
        let (a, x) = (Dim::sym("a"), Dim::Unknown);
        let mut own = ty(&[a.clone(), x.clone(), Dim::Fixed(4)]);
        declare(&mut own, Some(&ty(&[x.clone(), Dim::Fixed(3), Dim::Fixed(5)])));
        assert_eq!(own, ty(&[a.clone(), Dim::Fixed(3), Dim::Fixed(4)]));
        declare(&mut own, Some(&ty(&[Dim::Fixed(9)])));
        declare(&mut own, None);
        assert_eq!(own, ty(&[a, Dim::Fixed(3), Dim::Fixed(4)]));
        let mut own = Type::unranked(DType::F32);
        declare(&mut own, Some(&ty(&[x.clone(), Dim::Fixed(3)])));
        assert_eq!(own, ty(&[x, Dim::Fixed(3)]));
    }
}
