use wasmtime::component::Linker;

use crate::bindings::app::g1t::rules::{judge, preview, types};
use crate::runtime::{Guest, GuestState};

/// Links `g1t:rules/judge` and `preview` for a component with the grant `judge`.
pub fn add_to_linker(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    types::add_to_linker::<_, Guest>(linker, |state| state)?;
    judge::add_to_linker::<_, Guest>(linker, |state| state)?;
    preview::add_to_linker::<_, Guest>(linker, |state| state)
}
