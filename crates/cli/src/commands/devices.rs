//! `trident devices`: what this machine offers.

use crate::failure::Failure;
use crate::render::{Align, Table};
use serde_json::json;
use std::io::Write;
use trident_cpu::CpuDevice;
use trident_runtime::Device;

#[derive(clap::Args)]
#[command(after_help = "Example:\n  trident devices --json")]
pub(crate) struct Args {
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let devices: Vec<Box<dyn Device>> = vec![Box::new(CpuDevice::new(0))];
    let infos = devices.iter().map(|d| d.info());
    let text = if args.json {
        let list: Vec<_> = infos
            .map(|i| {
                json!({
                    "name": i.name, "description": i.description, "threads": i.threads,
                    "features": i.features,
                })
            })
            .collect();
        format!("{:#}\n", json!(list))
    } else {
        let mut table = Table::new(&[
            ("device", Align::Left),
            ("threads", Align::Right),
            ("description", Align::Left),
            ("features", Align::Left),
        ]);
        for i in infos {
            let features = i.features.join(" ");
            table.row([i.name.clone(), i.threads.to_string(), i.description.clone(), features]);
        }
        table.to_string()
    };
    anstream::stdout().write_all(text.as_bytes())?;
    Ok(())
}
