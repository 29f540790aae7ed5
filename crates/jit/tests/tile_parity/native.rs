//! Native code of a module, for each instruction set of the machine.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use trident_ir::Module;
use trident_jit::Compiler;
use trident_kernels::Threads;
use trident_runtime::{Checks, Kernel, KernelCompiler, KernelOptions};
use trident_simd::Isa;

/// A kernel as compiled, on three threads, and as loaded from its image, on one. The code is the same for any number of threads.
pub(crate) struct Native {
    pub(crate) plain: [Arc<dyn Kernel>; 2],
    /// With checks of bounds.
    pub(crate) checked: [Arc<dyn Kernel>; 2],
}

thread_local! {
    /// The text that this thread's test compiled last. Most tests launch one text with many arguments.
    static LAST: RefCell<(String, Rc<[Native]>)> = RefCell::new((String::new(), Rc::new([])));
}

/// The kernel for each instruction set. It is compiled unless it was the last one.
pub(crate) fn compiled(text: &str, module: &Module) -> Rc<[Native]> {
    LAST.with_borrow_mut(|last| {
        if last.0 != text {
            let each = Isa::available().into_iter().map(|isa| native(text, module, isa));
            *last = (text.to_owned(), each.collect());
        }
        Rc::clone(&last.1)
    })
}

fn native(text: &str, module: &Module, isa: Isa) -> Native {
    let [one, three] = [1, 3].map(|n| Compiler::new(isa, Arc::new(Threads::new(n))));
    let [plain, checked] = [Checks::None, Checks::Bounds].map(|checks| {
        let kernel = three.compile_kernel(module, &KernelOptions { checks });
        let kernel = kernel.unwrap_or_else(|e| panic!("{e}\n{text}"));
        let loaded = one.load_kernel(&kernel.image().unwrap()).unwrap();
        assert_eq!(loaded.params(), kernel.params());
        [kernel, loaded]
    });
    Native { plain, checked }
}
