//! Sockets that wait for clients: of TCP, or of the machine's file system.

use std::fmt::{Display, Formatter, Result as FmtResult};
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream as BlockingStream;
use std::path::{Path, PathBuf};

use tokio::net::{TcpListener, TcpSocket, TcpStream, UnixListener, UnixStream};

/// Connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// Where clients find a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenAddress {
    /// An address and a port; the port 0 is any free one.
    Ip(SocketAddr),
    /// A file.
    Unix(PathBuf),
}

impl Display for ListenAddress {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        match self {
            ListenAddress::Ip(address) => address.fmt(f),
            ListenAddress::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// A socket that waits for clients.
#[derive(Debug)]
pub enum Listener {
    /// Of TCP.
    Tcp(TcpListener),
    /// Of the file system.
    Unix(UnixListener, SocketFile),
}

impl From<TcpListener> for Listener {
    fn from(listener: TcpListener) -> Listener {
        Listener::Tcp(listener)
    }
}

/// The file of a socket, which goes with the listener.
#[derive(Debug)]
pub struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        // Somebody may have removed it already.
        let _ = fs::remove_file(&self.0);
    }
}

/// A client's socket.
pub(crate) enum Accepted {
    Tcp(TcpStream, SocketAddr),
    Unix(UnixStream),
}

impl Listener {
    /// Listens at an address; with `is_shared`, other processes may listen there, too.
    ///
    /// # Errors
    /// A place that another process has, or that does not exist.
    pub(crate) fn open(address: &ListenAddress, is_shared: bool) -> io::Result<Listener> {
        match address {
            ListenAddress::Ip(place) => tcp(*place, is_shared).map(Listener::Tcp),
            ListenAddress::Unix(path) => {
                remove_abandoned(path)?;
                let listener = UnixListener::bind(path)?;
                Ok(Listener::Unix(listener, SocketFile(path.clone())))
            }
        }
    }

    /// The address where clients find it.
    pub(crate) fn address(&self) -> io::Result<ListenAddress> {
        match self {
            Listener::Tcp(listener) => listener.local_addr().map(ListenAddress::Ip),
            Listener::Unix(_, file) => Ok(ListenAddress::Unix(file.0.clone())),
        }
    }

    /// The next client.
    pub(crate) async fn accept(&self) -> io::Result<Accepted> {
        match self {
            Listener::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                // Without it, answers would wait for the client's acknowledgements.
                let _ = stream.set_nodelay(true);
                Ok(Accepted::Tcp(stream, peer))
            }
            Listener::Unix(listener, _) => Ok(Accepted::Unix(listener.accept().await?.0)),
        }
    }
}

fn tcp(place: SocketAddr, is_shared: bool) -> io::Result<TcpListener> {
    let socket = if place.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A port whose last connections are closing is free.
    socket.set_reuseaddr(true)?;
    if is_shared {
        socket.set_reuseport(true)?;
    }
    socket.bind(place)?;
    socket.listen(BACKLOG)
}

/// Removes the file of a socket that nobody listens on, as a process leaves it that was killed.
fn remove_abandoned(path: &Path) -> io::Result<()> {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    let refused = |error: io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
    if is_socket && BlockingStream::connect(path).is_err_and(refused) {
        fs::remove_file(path)?;
    }
    Ok(())
}
