//! Tango loads one benchmark program into the other, so its symbols must be exported.
fn main() {
    println!("cargo:rustc-link-arg-benches=-rdynamic");
    println!("cargo:rerun-if-changed=build.rs");
}
