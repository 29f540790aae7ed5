//! Repositories in the stores of Amazon (S3), Google and Microsoft (Azure).
//!
//! A store is mirrored to a folder of the local disk, and models are loaded from there: their weights are mapped as elsewhere, a
//! model that was unloaded while idle needs no download, and a server whose store is away serves on with what it has. A look
//! lists the store and downloads the objects whose ETag has changed.
//!
//! `object_store` has the protocols of the stores and signs requests with `ring`. Its requests go through a connector of ours over
//! `hyper` and `rustls`, which the server has anyway, instead of `reqwest`.

mod connect;
mod copy;
mod fault;
mod mirror;
mod place;

pub use fault::StoreError;
pub use mirror::Store;

/// Whether a repository's name is an address in a store.
pub fn is_store(name: &str) -> bool {
    place::scheme(name).is_some()
}
