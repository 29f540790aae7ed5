//! What the steps of `--preprocess` ask for.

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

/// How pixels become elements: `(pixel·scale − mean) / std`, with pixels 0 … 255, of 16-bit images 257th parts too. What is not set follows from the
/// model's input.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Preprocess {
    pub(crate) scale: Option<f64>,
    /// By channel, or one for all.
    pub(crate) mean: Vec<f64>,
    /// By channel, or one for all.
    pub(crate) std: Vec<f64>,
    pub(crate) layout: Option<Layout>,
    /// Width and height.
    pub(crate) size: Option<(u32, u32)>,
    pub(crate) channels: Option<Channels>,
}

impl FromStr for Preprocess {
    type Err = String;

    fn from_str(text: &str) -> Result<Preprocess, String> {
        let mut result = Preprocess::default();
        let mut given: BTreeMap<&str, &str> = BTreeMap::new();
        for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let kind = if value.is_empty() { "channels" } else { key };
            match (key, value) {
                ("scale", v) => result.scale = Some(number(v)?),
                ("mean", v) => result.mean = numbers(v)?,
                ("std", v) => result.std = numbers(v)?,
                ("layout", "nchw") => result.layout = Some(Layout::Nchw),
                ("layout", "nhwc") => result.layout = Some(Layout::Nhwc),
                ("size", v) => result.size = Some(size(v)?),
                ("gray" | "grey", "") => result.channels = Some(Channels::Gray),
                ("rgb", "") => result.channels = Some(Channels::Rgb),
                ("bgr", "") => result.channels = Some(Channels::Bgr),
                _ => {
                    return Err(format!(
                        "`{part}` is no preprocessing step; known are scale=1/255, mean=A:B:C, std=A:B:C, \
                         layout=nchw, layout=nhwc, size=WIDTHxHEIGHT, gray, rgb, bgr"
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
    value.ok_or_else(|| format!("`{text}` is no number"))
}

fn numbers(text: &str) -> Result<Vec<f64>, String> {
    text.split(':').map(number).collect()
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let parse = |t: &str| t.parse::<u32>().ok().filter(|n| (1..=1 << 16).contains(n));
    let both = text.split_once('x').and_then(|(w, h)| parse(w).zip(parse(h)));
    both.ok_or_else(|| format!("`{text}` is no size such as 224x224"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_steps_are_named() {
        for text in ["scal=1", "scale=1/0", "mean=a", "size=0x3", "layout=chwn", "std=0", "gray=1"]
        {
            assert!(text.parse::<Preprocess>().is_err(), "{text}");
        }
        for (text, twice) in [
            ("scale=1/255,mean=0,scale=1", "`scale` is given twice: `scale=1/255` and `scale=1`"),
            ("gray,size=8x8,rgb", "`channels` is given twice: `gray` and `rgb`"),
            ("layout=nchw,layout=nchw", "`layout` is given twice"),
        ] {
            let error = text.parse::<Preprocess>().unwrap_err();
            assert!(error.contains(twice), "{error}");
        }
    }
}
