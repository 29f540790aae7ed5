//! The connection of a client: its socket, maybe within TLS.

use std::io::{self, IoSlice};
use std::mem;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::{Sleep, sleep};
use tokio_rustls::server::TlsStream;

use crate::seats::Seat;

/// The pause between looks at the end of a connection.
const LOOK: Duration = Duration::from_millis(100);

/// A connection of a client. Writing fails if the client reads nothing for too long.
pub(crate) struct Connection {
    /// The client's address, if it has one.
    pub(crate) peer: Option<SocketAddr>,
    socket: Socket,
    /// How long the client may read nothing.
    patience: Duration,
    /// The end of the time that a client has to read, while something waits to be written.
    late: Option<Pin<Box<Sleep>>>,
    /// Whether the reader may read parts of a next request, and does not use them before it has answered the one before.
    pub(crate) may_be_ahead: bool,
    /// Its place among the connections of its listener.
    pub(crate) seat: Option<Arc<Seat>>,
    reader: Reader,
    /// Whether something was written since the last flush.
    has_written: bool,
    /// The next look at the end of the connection, while the reader is ahead.
    look: Option<Pin<Box<Sleep>>>,
}

/// The reader of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// It waits for bytes, and so sees the end of the connection.
    Waits,
    /// It has got bytes.
    HasRead,
    /// It does other work before it reads on. It may have bytes of the next request, and so does not see the end.
    IsAhead,
}

enum Socket {
    Plain(TcpStream),
    Unix(UnixStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Connection {
    /// A connection without TLS.
    pub(crate) fn plain(socket: TcpStream, peer: SocketAddr, patience: Duration) -> Connection {
        Connection::of(Socket::Plain(socket), Some(peer), patience)
    }

    /// A connection of the same machine, through a file.
    pub(crate) fn unix(socket: UnixStream, patience: Duration) -> Connection {
        Connection::of(Socket::Unix(socket), None, patience)
    }

    /// A connection within TLS.
    pub(crate) fn tls(
        socket: TlsStream<TcpStream>,
        peer: SocketAddr,
        patience: Duration,
    ) -> Connection {
        Connection::of(Socket::Tls(Box::new(socket)), Some(peer), patience)
    }

    fn of(socket: Socket, peer: Option<SocketAddr>, patience: Duration) -> Connection {
        Connection {
            peer,
            socket,
            patience,
            late: None,
            may_be_ahead: false,
            seat: None,
            reader: Reader::Waits,
            has_written: false,
            look: None,
        }
    }

    /// Looks at the end of the connection now and then: a client that has sent its next requests already, and leaves, ends the run of
    /// the first one.
    ///
    /// # Errors
    /// The client has left.
    fn poll_left(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        let look = self.look.get_or_insert_with(|| Box::pin(sleep(LOOK)));
        while look.as_mut().poll(cx).is_ready() {
            // The events of the socket so far; bytes that wait to be read hide no end.
            let events = match &self.socket {
                Socket::Plain(socket) => pin!(socket.ready(Interest::READABLE)).poll(cx),
                Socket::Unix(socket) => pin!(socket.ready(Interest::READABLE)).poll(cx),
                Socket::Tls(socket) => pin!(socket.get_ref().0.ready(Interest::READABLE)).poll(cx),
            };
            if let Poll::Ready(ready) = events
                && ready?.is_read_closed()
            {
                return Err(io::ErrorKind::ConnectionReset.into());
            }
            look.set(sleep(LOOK));
        }
        Ok(())
    }

    /// The outcome of writing, or an error if the client has read nothing for too long.
    fn written<T>(
        &mut self,
        outcome: Poll<io::Result<T>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.late = None;
            return outcome;
        }
        let patience = self.patience;
        let late = self.late.get_or_insert_with(|| Box::pin(sleep(patience)));
        late.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let outcome = match &mut self.socket {
            Socket::Plain(socket) => Pin::new(socket).poll_read(cx, to),
            Socket::Unix(socket) => Pin::new(socket).poll_read(cx, to),
            Socket::Tls(socket) => Pin::new(socket).poll_read(cx, to),
        };
        if let Some(seat) = self.seat.as_ref().filter(|_| outcome.is_ready()) {
            seat.touch();
        }
        self.look = None;
        let may_be_ahead = self.may_be_ahead && outcome.is_ready();
        self.reader = if may_be_ahead { Reader::HasRead } else { Reader::Waits };
        outcome
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = match &mut self.socket {
            Socket::Plain(socket) => Pin::new(socket).poll_write(cx, bytes),
            Socket::Unix(socket) => Pin::new(socket).poll_write(cx, bytes),
            Socket::Tls(socket) => Pin::new(socket).poll_write(cx, bytes),
        };
        self.has_written = true;
        self.written(outcome, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = match &mut self.socket {
            Socket::Plain(socket) => Pin::new(socket).poll_write_vectored(cx, pieces),
            Socket::Unix(socket) => Pin::new(socket).poll_write_vectored(cx, pieces),
            Socket::Tls(socket) => Pin::new(socket).poll_write_vectored(cx, pieces),
        };
        self.has_written = true;
        self.written(outcome, cx)
    }

    fn is_write_vectored(&self) -> bool {
        match &self.socket {
            Socket::Plain(socket) => socket.is_write_vectored(),
            Socket::Unix(socket) => socket.is_write_vectored(),
            Socket::Tls(socket) => socket.is_write_vectored(),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // A reader that has answered may be about to wait.
        let has_answered = mem::take(&mut self.has_written);
        match self.reader {
            _ if has_answered => {}
            Reader::Waits => {}
            Reader::HasRead => {
                self.reader = Reader::IsAhead;
                // Nothing else may wake a reader that has enough.
                cx.waker().wake_by_ref();
            }
            Reader::IsAhead => self.poll_left(cx)?,
        }
        let outcome = match &mut self.socket {
            Socket::Plain(socket) => Pin::new(socket).poll_flush(cx),
            Socket::Unix(socket) => Pin::new(socket).poll_flush(cx),
            Socket::Tls(socket) => Pin::new(socket).poll_flush(cx),
        };
        self.written(outcome, cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = match &mut self.socket {
            Socket::Plain(socket) => Pin::new(socket).poll_shutdown(cx),
            Socket::Unix(socket) => Pin::new(socket).poll_shutdown(cx),
            Socket::Tls(socket) => Pin::new(socket).poll_shutdown(cx),
        };
        self.written(outcome, cx)
    }
}
