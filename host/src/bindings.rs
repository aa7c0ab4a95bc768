//! Rust types of the contracts in `wit/`, one module a world.

/// What routes and handlers import beside WASI.
pub mod app {
    wasmtime::component::bindgen!({
        inline: "
            package g1t:host;
            world app {
                import spin:postgres/postgres@4.2.0;
                import spin:variables/variables@3.0.0;
                import g1t:git/read@0.1.0;
                import g1t:git/write@0.1.0;
                import g1t:rules/judge@0.1.0;
                import g1t:rules/preview@0.1.0;
            }
        ",
        path: [
            "../wit/deps/spin-postgres@4.2.0",
            "../wit/deps/spin-variables@3.0.0",
            "../wit/rules",
            "../wit/git",
        ],
        imports: { default: async | trappable },
        with: {
            "spin:postgres/postgres.connection": crate::capability::postgres::Session,
            "spin:postgres/postgres.connection-builder": crate::capability::postgres::Builder,
        },
        additional_derives: [serde::Serialize, serde::Deserialize, PartialEq],
        require_store_data_send: true,
    });
}

/// What an event handler exports.
pub mod handler {
    wasmtime::component::bindgen!({
        path: "../wit/events",
        world: "event-handler",
        exports: { default: async },
        require_store_data_send: true,
    });
}

/// What `rules-wasm` exports and imports. Types are those of [`app`]: a guest's facts are handed on as they came.
pub mod judge {
    wasmtime::component::bindgen!({
        path: "../wit/rules",
        world: "judge-component",
        imports: { default: trappable },
        with: { "g1t:rules/types@0.1.0": crate::bindings::app::g1t::rules::types },
    });
}
