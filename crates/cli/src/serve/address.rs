//! The addresses of the server's protocols.

use super::options::Args;
use crate::failure::Failure;
use std::fmt::{Display, Formatter, Result as FmtResult};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::str::FromStr;
use trident_server::listen::{ListenAddress, ListenPlace, Protocol};
use trident_server::tls::TlsFiles;

/// An address of the network, or a file of the machine.
#[derive(Clone, Debug)]
pub(crate) enum Address {
    Ip(IpAddr),
    Unix(PathBuf),
}

impl From<Ipv4Addr> for Address {
    fn from(address: Ipv4Addr) -> Address {
        Address::Ip(address.into())
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        match self {
            Address::Ip(address) => address.fmt(f),
            Address::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        match text.strip_prefix("unix:") {
            Some("") => Err("a file is missing after `unix:`".to_owned()),
            Some(path) => Ok(Address::Unix(path.into())),
            None => match text.parse() {
                Ok(address) => Ok(Address::Ip(address)),
                Err(_) => named(text).map(Address::Ip).ok_or_else(|| {
                    "neither an IP address, nor the name of one, nor a file, such as `unix:/run/trident/http`".to_owned()
                }),
            },
        }
    }
}

/// The address of a name such as `localhost`; if it has several, one of IPv4.
fn named(name: &str) -> Option<IpAddr> {
    let mut found: Vec<_> = (name, 0).to_socket_addrs().ok()?.map(|address| address.ip()).collect();
    found.sort_by_key(IpAddr::is_ipv6);
    found.first().copied()
}

/// Where the server's protocols listen.
pub(super) fn places(args: &Args) -> Result<Vec<(Protocol, ListenPlace)>, Failure> {
    let mut places = vec![];
    let (http, grpc, metrics) = (&args.http, &args.grpc, &args.metrics);
    let mut add = |protocol, address: &Address, port, is_shared| {
        let tls = args.tls.files(protocol)?;
        places.push((protocol, place(protocol, address, port, is_shared, tls)?));
        Ok::<(), Failure>(())
    };
    if http.allow_http {
        add(Protocol::Http, &http.http_address, http.http_port, http.reuse_http_port)?;
    }
    if grpc.allow_grpc {
        add(Protocol::Grpc, &grpc.grpc_address, grpc.grpc_port, grpc.reuse_grpc_port)?;
    }
    if metrics.allow_metrics {
        let address = match (&metrics.metrics_address, &http.http_address) {
            (Some(own), _) => own,
            (None, shared @ Address::Ip(_)) => shared,
            (None, Address::Unix(_)) => {
                let text = "metrics listen at the address of HTTP, and a file has no second port";
                return Err(Failure::usage(text)
                    .hint("give `--metrics-address`, too, or `--allow-metrics=false`"));
            }
        };
        add(Protocol::Metrics, address, metrics.metrics_port, false)?;
    }
    if places.is_empty() && !args.check {
        let text = "nothing would be served: HTTP, gRPC and metrics are off";
        return Err(Failure::usage(text)
            .hint("leave out one of `--allow-http`, `--allow-grpc` and `--allow-metrics`"));
    }
    Ok(places)
}

fn place(
    protocol: Protocol,
    address: &Address,
    port: u16,
    is_shared: bool,
    tls: Option<TlsFiles>,
) -> Result<ListenPlace, Failure> {
    let address = match address {
        Address::Ip(address) => ListenAddress::Ip(SocketAddr::new(*address, port)),
        Address::Unix(path) => {
            let wrong = match (is_shared, &tls) {
                (true, _) => Some("be shared with other processes"),
                (_, Some(_)) => Some("have TLS"),
                _ => None,
            };
            if let Some(wrong) = wrong {
                let name = protocol.name();
                return Err(Failure::usage(format!("a file for {name} cannot {wrong}"))
                    .hint("give an IP address, or leave that option out"));
            }
            ListenAddress::Unix(path.clone())
        }
    };
    Ok(ListenPlace { address, is_shared, tls })
}
