//! The shape arithmetic of convolutions.

/// A convolution, without the size of its input. The spatial lists have one entry per spatial dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvSpec {
    /// Channels of the input, all groups together.
    pub in_channels: usize,
    /// Channels of the output, all groups together.
    pub out_channels: usize,
    /// Groups; both channel counts are multiples of it.
    pub groups: usize,
    /// The kernel's extents.
    pub kernel: Vec<usize>,
    /// Steps of the window.
    pub strides: Vec<usize>,
    /// Distances of neighbouring taps.
    pub dilations: Vec<usize>,
    /// Zeros before the input.
    pub pads_begin: Vec<usize>,
    /// Zeros after the input.
    pub pads_end: Vec<usize>,
}

impl ConvSpec {
    /// A 2-D convolution with equal extents, strides and pads in both dimensions.
    pub fn square(
        in_channels: usize,
        out_channels: usize,
        groups: usize,
        kernel: usize,
        stride: usize,
        pad: usize,
    ) -> Self {
        let both = |x| vec![x; 2];
        Self {
            in_channels,
            out_channels,
            groups,
            kernel: both(kernel),
            strides: both(stride),
            dilations: both(1),
            pads_begin: both(pad),
            pads_end: both(pad),
        }
    }

    /// Whether the lists have one length, nothing that divides is zero and the groups divide the channels.
    pub fn is_valid(&self) -> bool {
        let n = self.kernel.len();
        let lists = [&self.strides, &self.dilations, &self.pads_begin, &self.pads_end];
        lists.iter().all(|l| l.len() == n)
            && self.strides.iter().chain(&self.dilations).chain(&self.kernel).all(|&x| x > 0)
            && self.groups > 0
            && self.in_channels.is_multiple_of(self.groups)
            && self.out_channels.is_multiple_of(self.groups)
    }

    /// The output's spatial extents; `None` if the kernel is larger than the padded input or a number overflows.
    pub fn output(&self, input: &[usize]) -> Option<Vec<usize>> {
        if input.len() != self.kernel.len() {
            return None;
        }
        (0..input.len())
            .map(|i| {
                let padded =
                    input[i].checked_add(self.pads_begin[i])?.checked_add(self.pads_end[i])?;
                let window = (self.kernel[i] - 1).checked_mul(self.dilations[i])?.checked_add(1)?;
                Some(padded.checked_sub(window)? / self.strides[i] + 1)
            })
            .collect()
    }

    /// The number of taps of the kernel in one channel.
    pub fn taps(&self) -> usize {
        self.kernel.iter().product()
    }

    /// Weights per output channel.
    pub(crate) fn depth(&self) -> usize {
        self.in_channels / self.groups * self.taps()
    }

    /// Whether every output pixel is a product of the channels of the input pixel in the same place.
    pub(crate) fn is_pointwise(&self) -> bool {
        self.taps() == 1
            && self.strides.iter().all(|&s| s == 1)
            && self.pads_begin.iter().chain(&self.pads_end).all(|&p| p == 0)
    }
}

/// One spatial dimension of a convolution at a known input size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub(crate) input: usize,
    pub(crate) output: usize,
    pub(crate) kernel: usize,
    pub(crate) stride: usize,
    pub(crate) dilation: usize,
    pub(crate) pad: usize,
}

impl Axis {
    /// The dimensions of windows with these extents, steps, dilations and pads; without any, a single one of one element.
    pub(crate) fn all(
        [kernel, strides, dilations, pads]: [&Vec<usize>; 4],
        input: &[usize],
        output: &[usize],
    ) -> Vec<Axis> {
        if input.is_empty() {
            return vec![Axis { input: 1, output: 1, kernel: 1, stride: 1, dilation: 1, pad: 0 }];
        }
        let axis = |i: usize| Axis {
            input: input[i],
            output: output[i],
            kernel: kernel[i],
            stride: strides[i],
            dilation: dilations[i],
            pad: pads[i],
        };
        (0..input.len()).map(axis).collect()
    }

    /// The input index of tap `t` for output index `o`, if it is not padding.
    pub(crate) fn source(&self, o: usize, t: usize) -> Option<usize> {
        (o * self.stride + t * self.dilation).checked_sub(self.pad).filter(|&i| i < self.input)
    }

    /// The outputs among `o..o + n` whose tap `t` is not padding, as a range relative to `o`.
    pub(crate) fn inside(&self, o: usize, n: usize, t: usize) -> (usize, usize) {
        let at = o * self.stride + t * self.dilation;
        let first = self.pad.saturating_sub(at).div_ceil(self.stride).min(n);
        let end = (self.input + self.pad).saturating_sub(at).div_ceil(self.stride).min(n);
        (first, end.max(first))
    }
}

/// All spatial dimensions of a convolution at a known input size; there is at least one.
#[derive(Clone, Debug)]
pub(crate) struct Geometry {
    pub(crate) axes: Vec<Axis>,
}

impl Geometry {
    /// `input` and `output` as `ConvSpec::output` relates them.
    pub(crate) fn new(spec: &ConvSpec, input: &[usize], output: &[usize]) -> Self {
        let lists = [&spec.kernel, &spec.strides, &spec.dilations, &spec.pads_begin];
        Self { axes: Axis::all(lists, input, output) }
    }

    pub(crate) fn pixels_in(&self) -> usize {
        self.axes.iter().map(|a| a.input).product()
    }

    pub(crate) fn pixels_out(&self) -> usize {
        self.axes.iter().map(|a| a.output).product()
    }

    /// The innermost dimension, along which memory is contiguous.
    pub(crate) fn inner(&self) -> Axis {
        self.axes[self.axes.len() - 1]
    }

    /// The other dimensions.
    pub(crate) fn outer(&self) -> &[Axis] {
        &self.axes[..self.axes.len() - 1]
    }
}

/// Splits `index` into coordinates of the extents that `extent` names, last fastest.
pub(crate) fn unravel(
    mut index: usize,
    axes: &[Axis],
    extent: impl Fn(&Axis) -> usize,
) -> Vec<usize> {
    let mut at = vec![0; axes.len()];
    for (x, axis) in at.iter_mut().zip(axes).rev() {
        let n = extent(axis);
        *x = index % n;
        index /= n;
    }
    at
}
