use wasmtime::component::Linker;

use crate::bindings::app::spin::postgres::postgres;
use crate::runtime::{Guest, GuestState};

/// Links `spin:postgres@4.2.0` for a component with the grant `database`.
pub fn add_to_linker(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    postgres::add_to_linker::<_, Guest>(linker, |state| state)
}
