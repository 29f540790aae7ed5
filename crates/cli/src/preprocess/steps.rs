//! The steps of `--preprocess`, and their arguments.

use super::geometry::{Geometry, LONGEST, Resize};
use std::collections::BTreeMap;
use std::str::FromStr;

/// Order of the axes of an image tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    Nchw,
    Nhwc,
}

/// Order of an image's channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channels {
    Gray,
    Rgb,
    Bgr,
}

/// How pixels become elements: `(pixel·scale − mean) / std`, with pixels 0 … 255, of 16-bit images 257th parts too.
/// Missing settings follow from the model's input.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Preprocess {
    pub(crate) scale: Option<f64>,
    /// By channel, or one for all.
    pub(crate) mean: Vec<f64>,
    /// By channel, or one for all.
    pub(crate) std: Vec<f64>,
    pub(crate) layout: Option<Layout>,
    pub(crate) geometry: Geometry,
    pub(crate) channels: Option<Channels>,
}

impl FromStr for Preprocess {
    type Err = String;

    fn from_str(text: &str) -> Result<Preprocess, String> {
        let mut result = Preprocess::default();
        let mut given: BTreeMap<&str, &str> = BTreeMap::new();
        for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let kind = match key {
                _ if value.is_empty() => "channels",
                // One of them decides.
                "size" | "short" | "letterbox" => "size",
                key => key,
            };
            let geometry = &mut result.geometry;
            match (key, value) {
                ("scale", v) => result.scale = Some(number(v)?),
                ("mean", v) => result.mean = numbers(v)?,
                ("std", v) => result.std = numbers(v)?,
                ("layout", "nchw") => result.layout = Some(Layout::Nchw),
                ("layout", "nhwc") => result.layout = Some(Layout::Nhwc),
                ("size", v) if v.contains('x') => {
                    let (w, h) = size(v)?;
                    geometry.resize = Some(Resize::Exact(w, h));
                }
                ("short", v) => geometry.resize = Some(Resize::Short(side(v)?)),
                ("letterbox", v) => {
                    let (w, h) = size(v)?;
                    geometry.resize = Some(Resize::Letterbox(w, h));
                }
                ("crop", v) => geometry.crop = Some(size(v)?),
                ("fill", v) => {
                    let wrong = || format!("fill={v} is not a gray from 0 to 255");
                    geometry.fill = Some(v.parse().map_err(|_| wrong())?);
                }
                ("gray" | "grey", "") => result.channels = Some(Channels::Gray),
                ("rgb", "") => result.channels = Some(Channels::Rgb),
                ("bgr", "") => result.channels = Some(Channels::Bgr),
                _ => {
                    return Err(format!(
                        "`{part}` is not a preprocessing step; known are scale=1/255, mean=A:B:C, std=A:B:C, \
                         layout=nchw, layout=nhwc, size=WIDTHxHEIGHT, short=SIDE, crop=SIDE or crop=WIDTHxHEIGHT, \
                         letterbox=SIDE or letterbox=WIDTHxHEIGHT, fill=GRAY, gray, rgb, bgr"
                    ));
                }
            }
            if let Some(before) = given.insert(kind, part) {
                return Err(format!("`{kind}` is given twice: `{before}` and `{part}`"));
            }
        }
        if result.std.contains(&0.0) {
            return Err("a standard deviation is 0".into());
        }
        result.geometry.check()?;
        Ok(result)
    }
}

/// `0.5` or `1/255`.
fn number(text: &str) -> Result<f64, String> {
    let parse = |t: &str| t.trim().parse::<f64>().ok().filter(|v| v.is_finite());
    let value = match text.split_once('/') {
        Some((a, b)) => parse(a).zip(parse(b)).map(|(a, b)| a / b).filter(|v| v.is_finite()),
        None => parse(text),
    };
    value.ok_or_else(|| format!("`{text}` is not a number"))
}

fn numbers(text: &str) -> Result<Vec<f64>, String> {
    text.split(':').map(number).collect()
}

/// The length of a side in pixels.
fn side(text: &str) -> Result<u32, String> {
    let side = text.parse::<u32>().ok().filter(|n| (1..=LONGEST).contains(n));
    side.ok_or_else(|| format!("`{text}` is not a number of pixels from 1 to {LONGEST}"))
}

/// `224x192`, or `224` for both sides.
fn size(text: &str) -> Result<(u32, u32), String> {
    match text.split_once('x') {
        Some((w, h)) => Ok((side(w)?, side(h)?)),
        None => side(text).map(|n| (n, n)),
    }
    .map_err(|_| format!("`{text}` is not a size such as 224x224"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_steps_are_named() {
        for text in [
            "scal=1",
            "scale=1/0",
            "mean=a",
            "size=0x3",
            "layout=chwn",
            "std=0",
            "gray=1",
            "size=8",
            "short=2x2",
            "crop=0",
            "letterbox=",
            "fill=256",
            "fill=-1",
        ] {
            assert!(text.parse::<Preprocess>().is_err(), "{text}");
        }
        for (text, twice) in [
            ("scale=1/255,mean=0,scale=1", "`scale` is given twice: `scale=1/255` and `scale=1`"),
            ("gray,size=8x8,rgb", "`channels` is given twice: `gray` and `rgb`"),
            ("layout=nchw,layout=nchw", "`layout` is given twice"),
            ("size=8x8,short=8", "`size` is given twice: `size=8x8` and `short=8`"),
            ("letterbox=8,crop=4", "`letterbox` and `crop` contradict each other"),
            ("crop=4,fill=9", "`fill` is the border of `letterbox`"),
        ] {
            let error = text.parse::<Preprocess>().unwrap_err();
            assert!(error.contains(twice), "{error}");
        }
    }
}
