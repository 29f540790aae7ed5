//! Paths of the protocol.

/// The thing that a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route<'a> {
    /// `/v2`: the server's name, version and extensions.
    Server,
    /// `/v2/health/live`.
    Live,
    /// `/v2/health/ready`.
    Ready,
    /// `/v2/models/stats`: counters of all models.
    AllStatistics,
    /// `/v2/models/NAME[/versions/VERSION]` and what may follow.
    Model(ModelRoute<'a>),
    /// `/v2/repository[/NAME]/index`.
    Index,
    /// `/v2/repository[/REPOSITORY]/models/NAME/load` or `unload`.
    Control {
        /// The repository's name; empty if the path has none.
        repository: &'a str,
        /// The model's name.
        model: &'a str,
        /// Whether the model is to be loaded.
        load: bool,
    },
    /// `/v2/systemsharedmemory` or `/v2/cudasharedmemory`, `[/region/NAME]` and a verb.
    Memory {
        /// Whether it is the memory of a GPU.
        cuda: bool,
        /// The region's name; empty for all regions.
        region: &'a str,
        /// The action.
        action: MemoryAction,
    },
    /// `/v2/trace/setting`.
    Trace,
    /// `/v2/logging`.
    Logging,
}

/// A path of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRoute<'a> {
    /// The model's name.
    pub model: &'a str,
    /// The version's digits; empty for the newest.
    pub version: &'a str,
    /// The request that the path and method name.
    pub action: ModelAction,
}

/// The last word of a model's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelAction {
    /// No word: name, versions and tensors.
    Metadata,
    /// `infer`.
    Infer,
    /// `generate`.
    Generate,
    /// `generate_stream`.
    GenerateStream,
    /// `ready`.
    Ready,
    /// `config`.
    Config,
    /// `stats`.
    Statistics,
    /// `trace/setting`.
    Trace,
}

/// The last word of a path of shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryAction {
    /// `status`.
    Status,
    /// `register`.
    Register,
    /// `unregister`.
    Unregister,
}

/// Why a request names nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// No such path.
    #[error("Not Found")]
    NotFound,
    /// The path takes another method.
    #[error("Method Not Allowed")]
    Method,
}

impl Route<'_> {
    /// The route of a method and a path without its query.
    ///
    /// # Errors
    /// Another path, with status 404, or another method, with status 405.
    pub fn of<'a>(method: &str, path: &'a str) -> Result<Route<'a>, RouteError> {
        let rest = path.strip_prefix("/v2").ok_or(RouteError::NotFound)?;
        let mut words = [""; 8];
        let mut count = 0;
        if !rest.is_empty() {
            for word in rest.strip_prefix('/').ok_or(RouteError::NotFound)?.split('/') {
                *words.get_mut(count).ok_or(RouteError::NotFound)? = word;
                count += 1;
            }
        }
        let route = route(&words[..count]).ok_or(RouteError::NotFound)?;
        if route.takes(method) { Ok(route) } else { Err(RouteError::Method) }
    }

    /// Whether the path takes a method.
    fn takes(&self, method: &str) -> bool {
        let both = method == "GET" || method == "POST";
        match self {
            Route::Trace | Route::Logging => both,
            Route::Model(model) => match model.action {
                ModelAction::Trace => both,
                ModelAction::Infer | ModelAction::Generate | ModelAction::GenerateStream => {
                    method == "POST"
                }
                _ => method == "GET",
            },
            Route::Index | Route::Control { .. } => method == "POST",
            Route::Memory { action: MemoryAction::Status, .. } => method == "GET",
            Route::Memory { .. } => method == "POST",
            _ => method == "GET",
        }
    }
}

fn route<'a>(words: &[&'a str]) -> Option<Route<'a>> {
    Some(match *words {
        [] => Route::Server,
        ["health", "live"] => Route::Live,
        ["health", "ready"] => Route::Ready,
        ["models", "stats"] => Route::AllStatistics,
        ["logging"] => Route::Logging,
        ["trace", "setting"] => Route::Trace,
        ["models", model, ref rest @ ..] if !model.is_empty() => {
            Route::Model(of_model(model, rest)?)
        }
        ["repository", "index"] => Route::Index,
        ["repository", name, "index"] if !name.is_empty() => Route::Index,
        ["repository", "models", model, action] => control("", model, action)?,
        ["repository", name, "models", model, action] if !name.is_empty() => {
            control(name, model, action)?
        }
        [kind @ ("systemsharedmemory" | "cudasharedmemory"), ref rest @ ..] => {
            let (region, action) = match *rest {
                [action] => ("", action),
                ["region", region, action] if !region.is_empty() => (region, action),
                _ => return None,
            };
            let action = match action {
                "status" => MemoryAction::Status,
                "register" => MemoryAction::Register,
                "unregister" => MemoryAction::Unregister,
                _ => return None,
            };
            Route::Memory { cuda: kind.starts_with("cuda"), region, action }
        }
        _ => return None,
    })
}

fn of_model<'a>(model: &'a str, rest: &[&'a str]) -> Option<ModelRoute<'a>> {
    let digits =
        |version: &str| !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
    let (version, rest) = match *rest {
        ["versions", version, ref rest @ ..] if digits(version) => (version, rest),
        _ => ("", rest),
    };
    let action = match *rest {
        [] => ModelAction::Metadata,
        ["infer"] => ModelAction::Infer,
        ["generate"] => ModelAction::Generate,
        ["generate_stream"] => ModelAction::GenerateStream,
        ["ready"] => ModelAction::Ready,
        ["config"] => ModelAction::Config,
        ["stats"] => ModelAction::Statistics,
        ["trace", "setting"] if version.is_empty() => ModelAction::Trace,
        _ => return None,
    };
    Some(ModelRoute { model, version, action })
}

fn control<'a>(repository: &'a str, model: &'a str, action: &str) -> Option<Route<'a>> {
    let load = match action {
        "load" => true,
        "unload" => false,
        _ => return None,
    };
    (!model.is_empty()).then_some(Route::Control { repository, model, load })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_apart() {
        let model =
            |model, version, action| Ok(Route::Model(ModelRoute { model, version, action }));
        assert_eq!(Route::of("GET", "/v2"), Ok(Route::Server));
        assert_eq!(Route::of("GET", "/v2/models/m"), model("m", "", ModelAction::Metadata));
        assert_eq!(
            Route::of("POST", "/v2/models/m/versions/2/infer"),
            model("m", "2", ModelAction::Infer)
        );
        assert_eq!(
            Route::of("GET", "/v2/models/versions/ready"),
            model("versions", "", ModelAction::Ready)
        );
        assert_eq!(
            Route::of("POST", "/v2/models/m/trace/setting"),
            model("m", "", ModelAction::Trace)
        );
        let control = Route::Control { repository: "r", model: "m", load: false };
        assert_eq!(Route::of("POST", "/v2/repository/r/models/m/unload"), Ok(control));
        let all = Route::Memory { cuda: true, region: "", action: MemoryAction::Status };
        assert_eq!(Route::of("GET", "/v2/cudasharedmemory/status"), Ok(all));
        for path in [
            "/",
            "/v2/",
            "/v2/models/m/",
            "/v2x",
            "/v2/models/m/versions/x/infer",
            "/v2/a/b/c/d/e/f/g/h/i",
        ] {
            assert_eq!(Route::of("GET", path), Err(RouteError::NotFound), "{path}");
        }
        assert_eq!(Route::of("GET", "/v2/models/m/infer"), Err(RouteError::Method));
        assert_eq!(Route::of("HEAD", "/v2/health/live"), Err(RouteError::Method));
    }

    #[test]
    fn recorded_requests_are_found_or_not_as_by_the_server() {
        let mut count = [0; 3];
        for case in crate::recorded::http() {
            let text =
                |part: &str, name: &str| case[part][name].as_str().unwrap_or_default().to_owned();
            let (path, answer) = (text("request", "path"), text("response", "body"));
            let path = path.split('?').next().unwrap();
            let (kind, expected) = match answer.as_str() {
                r#"{"error":"Not Found"}"# => (0, Some(RouteError::NotFound)),
                r#"{"error":"Method Not Allowed"}"# => (1, Some(RouteError::Method)),
                // The answer to HEAD has no body.
                _ if case["response"]["status"] == 405 => (1, Some(RouteError::Method)),
                _ => (2, None),
            };
            assert_eq!(
                Route::of(&text("request", "method"), path).err(),
                expected,
                "{}",
                case["case"]
            );
            count[kind] += 1;
        }
        assert!(count[0] >= 5 && count[1] >= 5 && count[2] > 200, "{count:?}");
    }
}
