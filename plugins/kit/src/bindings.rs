//! What a component may import of `g1t:*`, generated from `wit/`. A component that calls nothing of an interface does not
//! import it, so one world serves all of them. The types carry serde, for the records that are kept as JSON.
#![allow(missing_docs, reason = "generated; the documentation is in wit/")]

spin_sdk::wit_bindgen::generate!({
    inline: "
        package g1t:kit;
        world guest {
            import g1t:rules/judge@0.1.0;
            import g1t:rules/preview@0.1.0;
            import g1t:git/read@0.1.0;
            import g1t:git/write@0.1.0;
        }
    ",
    path: ["../../wit/rules", "../../wit/git"],
    world: "g1t:kit/guest",
    runtime_path: "::spin_sdk::wit_bindgen::rt",
    additional_derives: [PartialEq, serde::Serialize, serde::Deserialize],
    generate_all,
});
