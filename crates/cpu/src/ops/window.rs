//! Windows of convolutions and pooling, as attributes give them.

use trident_ir::geometry::{
    GeometryError, TransposedConv, Window, conv_dims, transposed_conv, window_sizes, windows,
};
use trident_ir::op::words::AutoPad;
use trident_ir::ops;

/// The attributes of windows that slide over spatial axes.
pub(super) struct WindowSpec {
    kernel: Option<Vec<i64>>,
    strides: Option<Vec<i64>>,
    dilations: Option<Vec<i64>>,
    pads: Option<Vec<i64>>,
    auto_pad: AutoPad,
    /// Whether a last window may stick out of the image.
    ceil: bool,
}

impl WindowSpec {
    pub(super) fn new(
        window: ops::Window<'_>,
        dilated: ops::Dilated<'_>,
        auto_pad: AutoPad,
    ) -> WindowSpec {
        let list = |list: Option<&[i64]>| list.map(<[i64]>::to_vec);
        WindowSpec {
            kernel: list(window.kernel_shape()),
            strides: list(window.strides()),
            dilations: list(dilated.dilations()),
            pads: list(window.pads()),
            auto_pad,
            ceil: false,
        }
    }

    /// The same windows; the last one may extend past the image.
    pub(super) fn ceiling(self, ceil: bool) -> WindowSpec {
        WindowSpec { ceil, ..self }
    }

    /// How borders are chosen.
    pub(super) fn auto_pad(&self) -> AutoPad {
        self.auto_pad
    }

    /// The windows over an image with these spatial dimensions.
    pub(super) fn over(&self, image: &[usize]) -> Result<Vec<Window>, GeometryError> {
        let kernel = self.kernel.as_deref().unwrap_or(&[]);
        windows(
            image,
            &window_sizes("kernel_shape", kernel, image.len())?,
            self.strides.as_deref(),
            self.dilations.as_deref(),
            self.pads.as_deref(),
            self.auto_pad,
            self.ceil,
        )
    }

    /// The result dimensions of a convolution of `x` [N, C, …] with `w` [M, C/group, …], and its windows.
    pub(super) fn convolve(
        &self,
        x: &[usize],
        w: &[usize],
        group: i64,
    ) -> Result<(Vec<usize>, Vec<Window>), GeometryError> {
        conv_dims(
            x,
            w,
            group,
            self.kernel.as_deref(),
            self.strides.as_deref(),
            self.dilations.as_deref(),
            self.pads.as_deref(),
            self.auto_pad,
        )
    }

    /// The geometry of a transposed convolution of `x` [N, C, …] with `w` [C, M/group, …].
    pub(super) fn transpose(
        &self,
        x: &[usize],
        w: &[usize],
        group: i64,
        [padding, shape]: [Option<&[i64]>; 2],
    ) -> Result<TransposedConv, GeometryError> {
        transposed_conv(
            x,
            w,
            group,
            self.kernel.as_deref(),
            self.strides.as_deref(),
            self.dilations.as_deref(),
            self.pads.as_deref(),
            padding,
            shape,
            self.auto_pad,
        )
    }
}
