//! Types and functions of `wit/rules`, as the contract has them.
//!
//! The native library and the component use the same generated types, so nothing is converted. As JSON they carry the
//! contract's names in Rust's spelling (`ref_change`, `ChangesRequested`), which is also what wasmtime's generated types
//! read and write. On a native target the imported `evaluate` is a stub that nobody calls: the library asks through
//! [`Extend`](crate::Extend).

wit_bindgen::generate!({
    path: "../wit/rules",
    world: "judge-component",
    additional_derives: [serde::Serialize, serde::Deserialize, PartialEq],
    generate_unused_types: true,
    pub_export_macro: true,
    export_macro_name: "export_judge",
    default_bindings_module: "g1t_rules::bindings",
});
