//! A repository of small models in a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use prost::Message;
use tempfile::TempDir;
use trident_cpu::CpuDevice;
use trident_ir::{DType, Dim, Type};
use trident_onnx::proto::{
    GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, ValueInfoProto,
};
use trident_onnx::type_proto;
use trident_runtime::Device;
use trident_server::infer::{Data, Fault, InferAnswer, InferInput, InferRequest, Replies, Reply};
use trident_server::memory::Regions;
use trident_server::repository::{ControlMode, LoadOptions, Repository, RepositoryOptions};
use trident_serving::{DataType, Hardware, Scheduler};

/// A repository with its folder and its log.
pub(crate) struct Bench {
    pub(crate) folder: TempDir,
    pub(crate) repository: Repository,
    pub(crate) log: Arc<Mutex<Vec<String>>>,
}

/// Hardware without a GPU. The device `broken` cannot be opened.
pub(crate) fn hardware(choice: Option<&str>) -> Result<Hardware, Fault> {
    if choice == Some("broken") {
        return Err(Fault::invalid("there is no device `broken`"));
    }
    let cpu: Arc<dyn Device> = Arc::new(CpuDevice::new(2));
    let (devices, folder) = (vec![Arc::clone(&cpu)], cpu);
    Ok(Hardware { devices, folder, accelerators: vec![], is_gpu: |_| false })
}

/// The same processor, which counts as a GPU.
pub(crate) fn hardware_with_gpu(choice: Option<&str>) -> Result<Hardware, Fault> {
    hardware(choice).map(|hardware| Hardware { is_gpu: |_| true, ..hardware })
}

impl Bench {
    /// A repository in mode explicit, whose folder these steps fill.
    pub(crate) fn new(fill: impl FnOnce(&Path)) -> Bench {
        Bench::with(RepositoryOptions { mode: ControlMode::Explicit, ..Default::default() }, fill)
    }

    pub(crate) fn with(options: RepositoryOptions, fill: impl FnOnce(&Path)) -> Bench {
        Bench::on(hardware, options, fill)
    }

    /// A repository on other hardware.
    pub(crate) fn on(
        hardware: fn(Option<&str>) -> Result<Hardware, Fault>,
        options: RepositoryOptions,
        fill: impl FnOnce(&Path),
    ) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path());
        let log = Arc::<Mutex<Vec<String>>>::default();
        let lines = Arc::clone(&log);
        let options = RepositoryOptions {
            folders: vec![folder.path().to_owned()],
            log: Arc::new(move |_, line| lines.lock().unwrap().push(line.to_owned())),
            ..options
        };
        let scheduler = Scheduler::start(2).unwrap();
        let repository = Repository::new(options, Box::new(hardware), scheduler);
        Bench { folder, repository, log }
    }

    /// The path of a file of the repository.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn load(&self, name: &str) -> Result<(), Fault> {
        self.repository.load(name, LoadOptions::default())
    }

    /// The index as text: `name:version state reason`.
    pub(crate) fn index(&self) -> Vec<String> {
        let lines = self.repository.index(false).into_iter().map(|entry| {
            let version = entry.version.map(|number| format!(":{number}")).unwrap_or_default();
            let state = entry.state.map(|state| format!(" {}", state.name())).unwrap_or_default();
            let reason = if entry.reason.is_empty() { "" } else { " " };
            format!("{}{version}{state}{reason}{}", entry.name, entry.reason)
        });
        lines.collect()
    }

    /// The index once no version is being unloaded: the last request's run may own its model for a
    /// moment after its answer.
    pub(crate) fn settled_index(&self) -> Vec<String> {
        let start = Instant::now();
        loop {
            let index = self.index();
            if !index.iter().any(|line| line.contains("UNLOADING")) {
                return index;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "{index:?}");
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Whether a line of the log has a text.
    pub(crate) fn logged(&self, text: &str) -> bool {
        self.log.lock().unwrap().iter().any(|line| line.contains(text))
    }

    /// The answer of a model with one input `x` and one output `y` of numbers.
    pub(crate) fn ask(&self, name: &str, x: &[f32]) -> Result<Vec<f32>, Fault> {
        let input = floats("x", &[1, x.len() as i64], x);
        let answer =
            self.infer(name, InferRequest { inputs: vec![input], ..Default::default() })?;
        Ok(numbers(answer.outputs[0].data.as_ref().unwrap()))
    }

    /// The only answer to a request.
    pub(crate) fn infer(&self, name: &str, request: InferRequest) -> Result<InferAnswer, Fault> {
        let mut replies = self.replies(name, request)?;
        assert_eq!(replies.len(), 1);
        replies.pop().unwrap().answer.unwrap()
    }

    /// All answers to a request.
    pub(crate) fn replies(&self, name: &str, request: InferRequest) -> Result<Vec<Reply>, Fault> {
        let model = self.repository.model(name, None)?;
        let (sender, receiver) = mpsc::channel();
        let replies: Replies = Box::new(move |reply| sender.send(reply).unwrap());
        model.infer(request, &Regions::default(), replies);
        let mut all = vec![];
        loop {
            let reply = receiver.recv_timeout(Duration::from_secs(60)).unwrap();
            let is_last = reply.is_last;
            all.push(reply);
            if is_last {
                return Ok(all);
            }
        }
    }
}

pub(crate) fn floats(name: &str, shape: &[i64], elements: &[f32]) -> InferInput {
    let bytes: Vec<u8> = elements.iter().flat_map(|element| element.to_le_bytes()).collect();
    tensor(name, DataType::Fp32, shape, bytes)
}

pub(crate) fn tensor(
    name: &str,
    data_type: DataType,
    shape: &[i64],
    bytes: impl Into<Bytes>,
) -> InferInput {
    let (shape, data) = (shape.to_vec(), Data::Bytes(bytes.into()));
    InferInput { name: name.to_owned(), data_type, shape, data }
}

pub(crate) fn numbers(bytes: &[u8]) -> Vec<f32> {
    let (elements, rest) = bytes.as_chunks::<4>();
    assert!(rest.is_empty());
    elements.iter().map(|element| f32::from_le_bytes(*element)).collect()
}

/// The file of a model `y = Op(x)` on `[batch, 2]`.
pub(crate) fn model(op: &str) -> Bytes {
    model_of(op, None)
}

/// The file of a model `y = x @ w`, whose weights of ones are `[2, columns]`.
pub(crate) fn weights(columns: i64) -> Bytes {
    let raw_data = 1f32.to_le_bytes().repeat(2 * columns as usize);
    let (name, dims) = ("w".into(), vec![2, columns]);
    let data_type = 1; // FLOAT
    let tensor = TensorProto {
        name,
        dims,
        data_type,
        raw_data: Some(raw_data.into()),
        ..Default::default()
    };
    model_of("MatMul", Some(tensor))
}

fn model_of(op: &str, weights: Option<TensorProto>) -> Bytes {
    let ty = Type::tensor(DType::F32, [Dim::sym("batch"), Dim::Fixed(2)]);
    let input = ValueInfoProto { name: "x".into(), r#type: Some(type_proto(&ty)) };
    let weight = weights.as_ref().map(|weights| weights.name.clone());
    let node = NodeProto {
        input: ["x".into()].into_iter().chain(weight).collect(),
        output: vec!["y".into()],
        op_type: op.into(),
        ..Default::default()
    };
    let graph = GraphProto {
        name: "main_graph".into(),
        input: vec![input],
        node: vec![node],
        initializer: weights.into_iter().collect(),
        output: vec![ValueInfoProto { name: "y".into(), r#type: None }],
        ..Default::default()
    };
    let opset = OperatorSetIdProto { domain: String::new(), version: 21 };
    let model = ModelProto {
        ir_version: 10,
        graph: Some(graph),
        opset_import: vec![opset],
        ..Default::default()
    };
    model.encode_to_vec().into()
}

/// Writes files, by their paths in a folder.
pub(crate) fn write(folder: &Path, files: &[(&str, &[u8])]) {
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// Writes a version of a model `y = Op(x)`.
pub(crate) fn put(folder: &Path, name: &str, version: u64, op: &str) {
    write(&folder.join(name), &[(&format!("{version}/model.onnx"), &model(op))]);
}
