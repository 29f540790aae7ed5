//! The files of the web console.

/// A file of the console.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConsoleFile {
    /// The value of `Content-Type`.
    pub content_type: &'static str,
    /// Its content.
    pub text: &'static str,
}

/// The policy for the console's pages: they load only files of the server, and pictures that are part of a page.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The files by the rest of their paths after `/ui`.
const FILES: [(&str, &str, &str); 13] = [
    ("", HTML, include_str!("../console/index.html")),
    ("/console.css", CSS, include_str!("../console/console.css")),
    ("/console.js", SCRIPT, include_str!("../console/console.js")),
    ("/api.js", SCRIPT, include_str!("../console/api.js")),
    ("/digit.js", SCRIPT, include_str!("../console/digit.js")),
    ("/dom.js", SCRIPT, include_str!("../console/dom.js")),
    ("/figures.js", SCRIPT, include_str!("../console/figures.js")),
    ("/live.js", SCRIPT, include_str!("../console/live.js")),
    ("/model.js", SCRIPT, include_str!("../console/model.js")),
    ("/search.js", SCRIPT, include_str!("../console/search.js")),
    ("/table.js", SCRIPT, include_str!("../console/table.js")),
    ("/texts.js", SCRIPT, include_str!("../console/texts.js")),
    ("/trial.js", SCRIPT, include_str!("../console/trial.js")),
];

/// The file at a path; `None` for a path that is none of the console's.
pub fn file(path: &str) -> Option<ConsoleFile> {
    let rest = path.strip_prefix("/ui")?;
    let found = FILES.iter().find(|(name, ..)| *name == rest);
    found.map(|&(_, content_type, text)| ConsoleFile { content_type, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_a_file_names_is_served() {
        let mut named = 0;
        for (_, _, text) in FILES {
            let imports = text.split("from \"./").skip(1);
            let links = text.split("=\"ui/").skip(1);
            for name in imports.chain(links).filter_map(|rest| rest.split('"').next()) {
                assert!(file(&format!("/ui/{name}")).is_some(), "{name}");
                named += 1;
            }
        }
        assert!(named > 10, "{named}");
        assert_eq!(file("/ui").unwrap().content_type, HTML);
        assert!(file("/ui/").is_none() && file("/ui/../secret").is_none() && file("/v2").is_none());
    }
}
