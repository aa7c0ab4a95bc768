use wasmtime::component::Linker;

use crate::bindings::app::g1t::git::{read, types, write};
use crate::runtime::{Guest, GuestState};

/// Links `g1t:git`; what a component may import of it was checked against its grants.
pub fn add_to_linker(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    types::add_to_linker::<_, Guest>(linker, |state| state)?;
    read::add_to_linker::<_, Guest>(linker, |state| state)?;
    write::add_to_linker::<_, Guest>(linker, |state| state)
}
