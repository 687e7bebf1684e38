//! Has modules of Python's linked on macOS, too, where Python's own functions are found when they are loaded.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
