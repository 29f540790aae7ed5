//! Steps as texts, such as `short=256,crop=224,scale=1/255`.

use std::collections::BTreeMap;
use std::str::FromStr;

use crate::error::StepsError;
use crate::geometry::{LONGEST, Resize};
use crate::{Channels, ImageSteps, Layout};

impl FromStr for ImageSteps {
    type Err = StepsError;

    fn from_str(text: &str) -> Result<ImageSteps, StepsError> {
        let mut result = ImageSteps::default();
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
                    let gray = v.parse().map_err(|_| StepsError::Gray(v.to_owned()))?;
                    geometry.fill = Some(gray);
                }
                ("gray" | "grey", "") => result.channels = Some(Channels::Gray),
                ("rgb", "") => result.channels = Some(Channels::Rgb),
                ("bgr", "") => result.channels = Some(Channels::Bgr),
                _ => return Err(StepsError::Unknown(part.to_owned())),
            }
            if let Some(before) = given.insert(kind, part) {
                let (first, second) = (before.to_owned(), part.to_owned());
                return Err(StepsError::Twice { kind: kind.to_owned(), first, second });
            }
        }
        if result.std.contains(&0.0) {
            return Err(StepsError::ZeroDeviation);
        }
        result.geometry.check()?;
        Ok(result)
    }
}

/// `0.5` or `1/255`.
fn number(text: &str) -> Result<f64, StepsError> {
    let parse = |t: &str| t.trim().parse::<f64>().ok().filter(|v| v.is_finite());
    let value = match text.split_once('/') {
        Some((a, b)) => parse(a).zip(parse(b)).map(|(a, b)| a / b).filter(|v| v.is_finite()),
        None => parse(text),
    };
    value.ok_or_else(|| StepsError::Number(text.to_owned()))
}

fn numbers(text: &str) -> Result<Vec<f64>, StepsError> {
    text.split(':').map(number).collect()
}

/// The length of a side in pixels.
fn side(text: &str) -> Result<u32, StepsError> {
    let side = text.parse::<u32>().ok().filter(|n| (1..=LONGEST).contains(n));
    side.ok_or_else(|| StepsError::Side(text.to_owned()))
}

/// `224x192`, or `224` for both sides.
fn size(text: &str) -> Result<(u32, u32), StepsError> {
    match text.split_once('x') {
        Some((w, h)) => Ok((side(w)?, side(h)?)),
        None => side(text).map(|n| (n, n)),
    }
    .map_err(|_: StepsError| StepsError::Size(text.to_owned()))
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
            assert!(text.parse::<ImageSteps>().is_err(), "{text}");
        }
        for (text, twice) in [
            ("scale=1/255,mean=0,scale=1", "`scale` is given twice: `scale=1/255` and `scale=1`"),
            ("gray,size=8x8,rgb", "`channels` is given twice: `gray` and `rgb`"),
            ("layout=nchw,layout=nchw", "`layout` is given twice"),
            ("size=8x8,short=8", "`size` is given twice: `size=8x8` and `short=8`"),
            ("letterbox=8,crop=4", "`letterbox` and `crop` contradict each other"),
            ("crop=4,fill=9", "`fill` is the border of `letterbox`"),
        ] {
            let error = text.parse::<ImageSteps>().unwrap_err().to_string();
            assert!(error.contains(twice), "{error}");
        }
    }
}
