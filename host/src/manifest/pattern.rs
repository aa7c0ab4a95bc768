/// A route of the manifest: `GET /repos/{workspace}/{repo}/branches/{branch...}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    method: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    One(String),
    Rest(String),
}

/// What a pattern found in a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matched {
    /// Segment that `{workspace}` stood for, as in the path (percent-encoding kept).
    pub workspace: Option<String>,
}

impl Pattern {
    /// # Errors
    /// One sentence saying what is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (method, path) = text
            .split_once(' ')
            .ok_or_else(|| format!("'{text}' is not a method and a path, such as 'GET /user'"))?;
        if !matches!(method, "GET" | "POST" | "PUT" | "PATCH" | "DELETE") {
            return Err(format!(
                "'{method}' is not one of GET, POST, PUT, PATCH, DELETE"
            ));
        }
        let Some(path) = path.strip_prefix('/') else {
            return Err(format!("the path '{path}' must begin with '/'"));
        };
        let mut parts = Vec::new();
        for segment in path.split('/') {
            if matches!(parts.last(), Some(Part::Rest(_))) {
                return Err(format!("nothing may follow '...' in '{text}'"));
            }
            let name = segment
                .strip_prefix('{')
                .and_then(|rest| rest.strip_suffix('}'));
            parts.push(match name {
                None => Part::Literal(segment.to_owned()),
                Some(name) => match name.strip_suffix("...") {
                    Some(name) => Part::Rest(name.to_owned()),
                    None => Part::One(name.to_owned()),
                },
            });
        }
        Ok(Self {
            method: method.to_owned(),
            parts,
        })
    }

    /// Whether the pattern's path is this one, whatever the method.
    pub fn matches_path(&self, path: &str) -> Option<Matched> {
        let mut matched = Matched::default();
        let mut segments = path.strip_prefix('/')?.split('/');
        for part in &self.parts {
            match part {
                Part::Rest(_) => {
                    return segments
                        .next()
                        .filter(|segment| !segment.is_empty())
                        .map(|_| matched);
                }
                Part::Literal(literal) => {
                    segments.next().filter(|segment| segment == literal)?;
                }
                Part::One(name) => {
                    let segment = segments.next().filter(|segment| !segment.is_empty())?;
                    if name == "workspace" {
                        matched.workspace = Some(segment.to_owned());
                    }
                }
            }
        }
        segments.next().is_none().then_some(matched)
    }

    /// The pattern's method.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// Literal segments come before holes: `/queue/entries` before `/queue/{branch}`.
    pub fn specificity(&self) -> Vec<u8> {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Literal(_) => 0,
                Part::One(_) => 1,
                Part::Rest(_) => 2,
            })
            .collect()
    }
}
