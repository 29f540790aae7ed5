//! Plans a module over devices and runs it.
