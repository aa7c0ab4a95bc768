//! `spin:variables@3.0.0`: settings that the operator gives components, by names the manifest grants.

use wasmtime::component::{Accessor, Linker};

use crate::bindings::app::spin::variables::variables as wit;
use crate::runtime::{Guest, GuestState};

/// Longest name that is looked up.
const NAME_BYTES: usize = 256;

/// Links `spin:variables@3.0.0`.
pub fn add_to_linker(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    wit::add_to_linker::<_, Guest>(linker, |state| state)
}

impl<T: Send> wit::HostWithStore<T> for Guest {
    async fn get(
        accessor: &Accessor<T, Self>,
        name: String,
    ) -> wasmtime::Result<Result<String, wit::Error>> {
        Ok(accessor.with(|mut access| access.get().variable(&name)))
    }
}

impl wit::Host for GuestState {}

impl GuestState {
    fn variable(&self, name: &str) -> Result<String, wit::Error> {
        let well_formed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if name.is_empty() || name.len() > NAME_BYTES || !name.chars().all(well_formed) {
            return Err(wit::Error::InvalidName(
                "a name has lower-case letters, digits and '_'".into(),
            ));
        }
        if !self
            .component
            .grants
            .variables
            .iter()
            .any(|granted| granted == name)
        {
            return Err(wit::Error::Undefined(format!(
                "'{name}' is not granted to this component"
            )));
        }
        let value = self.services.variables.get(name);
        value
            .cloned()
            .ok_or_else(|| wit::Error::Undefined(format!("'{name}' has no value")))
    }
}
