//! Attributes that several rows have together, under one name: a view of any op that has them all.

/// A group of attributes.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    /// The name of its view in [`crate::ops`].
    pub name: &'static str,
    /// The function of an op's own view that gives it.
    pub accessor: &'static str,
    /// The attributes.
    pub attrs: &'static [&'static str],
}

/// Every group. All rows that have the attributes of a group declare them with the same kinds and defaults.
pub static SHARED: &[Shared] = &[
    Shared { name: "Window", accessor: "window", attrs: &["kernel_shape", "pads", "strides"] },
    Shared { name: "AutoPadded", accessor: "auto_padded", attrs: &["auto_pad"] },
    Shared { name: "Rounded", accessor: "rounded", attrs: &["ceil_mode"] },
    Shared { name: "Dilated", accessor: "dilated", attrs: &["dilations"] },
    Shared { name: "Grouped", accessor: "grouped", attrs: &["group"] },
    Shared { name: "Activated", accessor: "activated", attrs: &["activation", "alpha", "beta"] },
    Shared {
        name: "Reduction",
        accessor: "reduction",
        attrs: &["keepdims", "noop_with_empty_axes"],
    },
    Shared {
        name: "Selection",
        accessor: "selection",
        attrs: &["axis", "keepdims", "select_last_index"],
    },
    Shared {
        name: "Recurrence",
        accessor: "recurrence",
        attrs: &["direction", "hidden_size", "layout"],
    },
    Shared { name: "Sampled", accessor: "sampled", attrs: &["shape", "seed"] },
    Shared {
        name: "LossReduction",
        accessor: "loss_reduction",
        attrs: &["reduction", "ignore_index"],
    },
    Shared {
        name: "TreeNodes",
        accessor: "tree_nodes",
        attrs: &[
            "nodes_treeids",
            "nodes_nodeids",
            "nodes_modes",
            "nodes_featureids",
            "nodes_values",
            "nodes_values_as_tensor",
            "nodes_truenodeids",
            "nodes_falsenodeids",
            "nodes_missing_value_tracks_true",
            "base_values",
            "base_values_as_tensor",
            "post_transform",
        ],
    },
    Shared { name: "Blocks", accessor: "blocks", attrs: &["blocksize"] },
    Shared { name: "Ordered", accessor: "ordered", attrs: &["order", "scope"] },
    Shared { name: "Transposed", accessor: "transposed", attrs: &["trans_a", "trans_b"] },
];
