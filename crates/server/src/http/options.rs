//! Options and limits of the HTTP front end.

use std::time::Duration;

use crate::access::Restrictions;
use crate::headers::HeaderPattern;
use crate::keys::ApiKeys;

/// Options and limits of the HTTP front end.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// The APIs that need a key.
    pub restrictions: Restrictions,
    /// The keys of which all requests but those for health need one.
    pub keys: ApiKeys,
    /// Whether the web console may load and unload models.
    pub console_control: bool,
    /// The most bytes of a request's body, as sent and decompressed.
    pub largest_body: usize,
    /// The most connections at a time; others wait to be accepted.
    pub connections: usize,
    /// The most bytes of a request's headers.
    pub largest_head: usize,
    /// The headers that are forwarded as parameters of requests.
    pub forwarded: HeaderPattern,
    /// How long a client may take to send the head of a request, and a connection may be idle.
    pub head_time: Duration,
    /// How long a client may read nothing of an answer.
    pub write_time: Duration,
    /// How long a client may take to send a body, and a second more for each mebibyte.
    pub body_time: Duration,
}

impl Default for HttpOptions {
    fn default() -> HttpOptions {
        HttpOptions {
            restrictions: Restrictions::default(),
            keys: ApiKeys::default(),
            console_control: false,
            largest_body: 64 << 20,
            connections: 10_000,
            largest_head: 64 << 10,
            forwarded: HeaderPattern::default(),
            head_time: Duration::from_secs(60),
            write_time: Duration::from_secs(300),
            body_time: Duration::from_secs(30),
        }
    }
}
