//! What a file calls its vertices.

/// What vertices are called: numbers, which need not begin with 0 nor be without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    pub(crate) vertices: u32,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Without gaps, from this one on.
    From(u64),
    /// In ascending order.
    Table(Vec<u64>),
}

impl Labels {
    /// Labels without gaps: vertex 0 is called `first`. Where they would go beyond [`u64::MAX`], vertices have none.
    pub fn from(first: u64, vertices: u32) -> Self {
        Self { vertices, kind: Kind::From(first) }
    }

    /// Labels one by one, if they are in ascending order.
    pub(crate) fn table(labels: Vec<u64>) -> Option<Self> {
        let vertices = u32::try_from(labels.len()).ok()?;
        let gaps = labels.windows(2).any(|pair| pair[0].checked_add(1) != Some(pair[1]));
        if !labels.is_sorted_by(|a, b| a < b) {
            return None;
        }
        Some(match labels.first() {
            Some(&first) if !gaps => Self::from(first, vertices),
            _ => Self { vertices, kind: Kind::Table(labels) },
        })
    }

    /// What a vertex is called, if there is such a vertex.
    pub fn label(&self, v: u32) -> Option<u64> {
        match &self.kind {
            Kind::From(first) if v < self.vertices => first.checked_add(u64::from(v)),
            Kind::From(_) => None,
            Kind::Table(labels) => labels.get(v as usize).copied(),
        }
    }

    /// The vertex that is called so.
    pub fn find(&self, label: u64) -> Option<u32> {
        match &self.kind {
            Kind::From(first) => {
                let v = u32::try_from(label.checked_sub(*first)?).ok()?;
                (v < self.vertices).then_some(v)
            }
            Kind::Table(labels) => labels.binary_search(&label).ok().map(|v| v as u32),
        }
    }
}

/// For the binary format.
impl Labels {
    /// Whether every vertex has a label.
    pub(crate) fn fit(&self) -> bool {
        self.vertices.checked_sub(1).is_none_or(|last| self.label(last).is_some())
    }

    /// Kind, first label, and table.
    pub(crate) fn parts(&self) -> (u64, u64, &[u64]) {
        match &self.kind {
            Kind::From(first) => (0, *first, &[]),
            Kind::Table(labels) => (1, 0, labels),
        }
    }
}
