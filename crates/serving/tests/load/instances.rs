//! Where the instances of a model run.

use crate::config;
use trident_serving::{Host, InstanceKind, ModelConfig};

#[test]
fn instances_have_names_kinds_and_counts() {
    let text = "backend: \"custom\" instance_group [ { }, { name: \"x\" kind: KIND_GPU count: 3 }, { gpus: 7 } ]";
    let mut given = config(text);
    given.complete_backend("m", &[]).unwrap();
    let host = Host { gpus: vec![0, 1] };
    given.normalize(&host);
    let groups = given.instance_group.iter().map(|g| (&*g.name, g.kind, g.count, &*g.gpus));
    let expected: [(&str, InstanceKind, i32, &[i32]); 3] = [
        ("m_0", InstanceKind::Gpu, 1, &[0, 1]),
        ("x", InstanceKind::Gpu, 3, &[0, 1]),
        ("m_2", InstanceKind::Cpu, 1, &[7]),
    ];
    assert_eq!(groups.collect::<Vec<_>>(), expected);
    let fault = "instance group m_2 of model m has kind KIND_CPU but specifies one or more GPUs";
    assert_eq!(given.validate(&host).unwrap_err().to_string(), fault);
}

/// The configuration as a host has it, and the fields whose GPUs are not there.
fn on_host(text: &str, gpus: &[i32]) -> Result<(ModelConfig, Vec<String>), String> {
    let host = Host { gpus: gpus.to_vec() };
    let mut given = config(text);
    given.complete_backend("m", &["model.onnx"]).unwrap();
    let fields = given.fall_back(&host).map_err(|e| e.to_string())?;
    given.normalize(&host);
    given.validate(&host).map_err(|e| e.to_string())?;
    Ok((given, fields))
}

#[test]
fn gpus_that_are_there_are_taken() {
    let text =
        "instance_group { count: 1 kind: KIND_GPU gpus: [ 0 ] } instance_group { kind: KIND_GPU }";
    let (given, fields) = on_host(text, &[0]).unwrap();
    let groups: Vec<_> = given.instance_group.iter().map(|g| (g.kind, &*g.gpus)).collect();
    assert_eq!(groups, [(InstanceKind::Gpu, &[0][..]), (InstanceKind::Gpu, &[0])]);
    assert_eq!(fields, [""; 0]);
}

#[test]
fn without_a_gpu_the_cpu_runs_the_model_or_the_model_is_refused() {
    let text = "instance_group { kind: KIND_CPU } instance_group { count: 1 kind: KIND_GPU gpus: [ 0 ] }
        instance_group { gpus: [ 0, 1 ] } instance_group { kind: KIND_AUTO } instance_group { kind: KIND_MODEL }";
    let (given, fields) = on_host(text, &[]).unwrap();
    let kinds: Vec<_> = given.instance_group.iter().map(|group| group.kind).collect();
    let cpu = InstanceKind::Cpu;
    assert_eq!(kinds, [cpu, cpu, cpu, cpu, InstanceKind::Model]);
    assert!(given.instance_group.iter().all(|group| group.gpus.is_empty()));
    assert_eq!(fields, ["instance_group[1].kind", "instance_group[2].gpus"]);

    let fallback = |value: &str, group: &str| {
        let parameter = format!("key: \"fallback\" value {{ string_value: \"{value}\" }}");
        on_host(&format!("parameters {{ {parameter} }} instance_group {{ {group} }}"), &[])
    };
    assert!(fallback("allowed", "kind: KIND_GPU").is_ok());
    let refused = "instance group m_0 of model m has kind KIND_GPU but no GPUs are available";
    for group in ["kind: KIND_GPU", "count: 1 kind: KIND_GPU gpus: [ 0 ]"] {
        assert_eq!(fallback("refused", group), Err(refused.into()), "{group}");
    }
    let refused = "instance group m_0 of model m has kind KIND_CPU but specifies one or more GPUs";
    assert_eq!(fallback("refused", "gpus: [ 0 ]"), Err(refused.into()));
    assert!(fallback("maybe", "kind: KIND_GPU").is_err());
}

#[test]
fn a_gpu_that_is_not_there_beside_others_is_an_error() {
    let fault = "instance group m_0 of model m specifies invalid or unsupported gpu id 7";
    for fallback in ["allowed", "refused"] {
        let text = |group: &str| {
            format!(
                "parameters {{ key: \"fallback\" value {{ string_value: \"{fallback}\" }} }} instance_group {{ {group} }}"
            )
        };
        let found = on_host(&text("kind: KIND_GPU gpus: [ 0, 7 ]"), &[0, 1]);
        assert_eq!(found, Err(fault.into()));
        let found = on_host(&text("gpus: [ 7 ]"), &[0, 1]).unwrap_err();
        assert!(found.ends_with("has kind KIND_CPU but specifies one or more GPUs"), "{found}");
        // No host has such a GPU.
        for (host, gpus) in [(&[][..], "-1"), (&[], "[ 0, -1 ]"), (&[0, 1], "[ 0, -1 ]")] {
            let found = on_host(&text(&format!("kind: KIND_GPU gpus: {gpus}")), host).unwrap_err();
            let absent = "has kind KIND_GPU but no GPUs are available";
            let expected = match (fallback, host) {
                ("refused", []) => absent,
                _ => "specifies invalid or unsupported gpu id -1",
            };
            assert!(found.ends_with(expected), "{found}");
        }
        // A CPU has no GPUs, whatever the host.
        let found = on_host(&text("kind: KIND_CPU gpus: [ 0 ]"), &[]).unwrap_err();
        assert!(found.ends_with("has kind KIND_CPU but specifies one or more GPUs"), "{found}");
    }
}
