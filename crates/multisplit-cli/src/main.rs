//! x
fn main() {
    for d in multisplit::Device::list() {
        println!("{d}");
    }
}
