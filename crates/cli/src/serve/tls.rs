//! Options of TLS, for each protocol that has a port.

use crate::failure::Failure;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, Error, FromArgMatches};
use std::path::PathBuf;
use trident_server::listen::Protocol;
use trident_server::tls::TlsFiles;

/// The names of a protocol's options.
#[derive(Debug)]
struct Names {
    protocol: Protocol,
    use_ssl: &'static str,
    mutual: &'static str,
    certificate: &'static str,
    key: &'static str,
    roots: &'static str,
}

macro_rules! names {
    ($protocol:expr, $prefix:literal) => {
        Names {
            protocol: $protocol,
            use_ssl: concat!($prefix, "-use-ssl"),
            mutual: concat!($prefix, "-use-ssl-mutual"),
            certificate: concat!($prefix, "-server-cert"),
            key: concat!($prefix, "-server-key"),
            roots: concat!($prefix, "-root-cert"),
        }
    };
}

static PROTOCOLS: [Names; 3] = [
    names!(Protocol::Grpc, "grpc"),
    names!(Protocol::Http, "http"),
    names!(Protocol::Metrics, "metrics"),
];

/// The values of the options of all protocols.
#[derive(Clone, Debug, Default)]
pub(crate) struct TlsFlags(Vec<Values>);

#[derive(Clone, Debug)]
struct Values {
    names: &'static Names,
    use_ssl: bool,
    mutual: bool,
    /// Whether the command line says that there is no TLS.
    is_off: bool,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
    roots: Option<PathBuf>,
}

impl TlsFlags {
    /// The files of a protocol; `None` if it has no TLS.
    pub(crate) fn files(&self, protocol: Protocol) -> Result<Option<TlsFiles>, Failure> {
        let found = self.0.iter().find(|values| values.names.protocol == protocol);
        let Some(values) = found else { return Ok(None) };
        let names = values.names;
        if !values.use_ssl && !values.mutual {
            // Nobody may believe that a port has TLS which has none.
            return match values.given().next().filter(|_| !values.is_off) {
                None => Ok(None),
                Some(option) => {
                    let use_ssl = names.use_ssl;
                    let text = format!("--{option} has no effect without --{use_ssl}=true");
                    let hint =
                        format!("give `--{use_ssl}=true`, or `--{use_ssl}=false` for no TLS");
                    Err(Failure::usage(text).hint(hint))
                }
            };
        }
        let switch = if values.use_ssl { names.use_ssl } else { names.mutual };
        let file = |path: &Option<PathBuf>, name: &str| {
            let path = path.clone().filter(|path| !path.as_os_str().is_empty());
            path.ok_or_else(|| Failure::usage(format!("--{switch}=true needs --{name}=FILE")))
        };
        let certificate = file(&values.certificate, names.certificate)?;
        let key = file(&values.key, names.key)?;
        let roots = values.mutual.then(|| file(&values.roots, names.roots)).transpose()?;
        Ok(Some(TlsFiles { certificate, key, roots }))
    }

    /// A line of the log for each option that other options leave without effect.
    pub(crate) fn without_effect(&self) -> Vec<String> {
        let mut lines = vec![];
        for values in &self.0 {
            let Names { use_ssl, mutual, roots, .. } = values.names;
            if !values.use_ssl && !values.mutual {
                let off = |option| format!("--{option} has no effect: --{use_ssl} is false");
                lines.extend(values.given().map(off));
            } else if !values.mutual && is_given(&values.roots) {
                lines.push(format!(
                    "--{roots} has no effect: clients need no certificate without --{mutual}=true"
                ));
            }
        }
        lines
    }
}

impl Values {
    /// The names of the files that are given.
    fn given(&self) -> impl Iterator<Item = &'static str> {
        let names = self.names;
        let files = [
            (names.certificate, &self.certificate),
            (names.key, &self.key),
            (names.roots, &self.roots),
        ];
        files.into_iter().filter(|(_, file)| is_given(file)).map(|(name, _)| name)
    }
}

/// An empty path stands for none.
fn is_given(file: &Option<PathBuf>) -> bool {
    file.as_ref().is_some_and(|file| !file.as_os_str().is_empty())
}

impl clap::Args for TlsFlags {
    fn augment_args(mut command: Command) -> Command {
        for names in &PROTOCOLS {
            let name = names.protocol.name();
            let switch = |option, help: String| {
                let arg = Arg::new(option).long(option).help(help).help_heading("TLS");
                let arg = arg.value_name("SWITCH").default_value("false");
                arg.value_parser(super::options::switch).action(ArgAction::Set)
            };
            let file = |option, help: &'static str| {
                let arg = Arg::new(option).long(option).help(help).help_heading("TLS");
                arg.value_name("FILE").value_parser(clap::value_parser!(PathBuf))
            };
            command = command.args([
                switch(names.use_ssl, format!("Serve {name} within TLS")),
                switch(names.mutual, "The same, for clients that show a certificate".to_owned()),
                file(
                    names.certificate,
                    "The server's certificate, and those that lead to its root (PEM)",
                ),
                file(names.key, "The private key of the certificate (PEM)"),
                file(names.roots, "Certificates of which one has signed those of clients (PEM)"),
            ]);
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        TlsFlags::augment_args(command)
    }
}

impl FromArgMatches for TlsFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<TlsFlags, Error> {
        let mut flags = TlsFlags::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        let switch = |name: &str| matches.get_one::<bool>(name).copied().unwrap_or(false);
        let file = |name: &str| matches.get_one::<PathBuf>(name).cloned();
        let values = |names: &'static Names| Values {
            names,
            use_ssl: switch(names.use_ssl),
            is_off: matches.value_source(names.use_ssl) == Some(ValueSource::CommandLine),
            mutual: switch(names.mutual),
            certificate: file(names.certificate),
            key: file(names.key),
            roots: file(names.roots),
        };
        self.0 = PROTOCOLS.iter().map(values).collect();
        Ok(())
    }
}
