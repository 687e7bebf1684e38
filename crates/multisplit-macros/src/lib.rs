//! The attribute macro of [`multisplit`](https://docs.rs/multisplit), which exports and documents it as
//! `multisplit::bucket::bucket_function`.

mod complaint;
mod expand;
mod function;
mod options;
mod parameter;
#[cfg(test)]
mod tests;

use complaint::Complaint;
use function::Function;
use options::Options;
use proc_macro2::TokenStream;

#[allow(missing_docs)] // they are where it is exported
#[proc_macro_attribute]
pub fn bucket_function(options: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expansion(options.into(), item.into()).unwrap_or_else(|complaints| complaint::compile_errors(&complaints)).into()
}

/// All items that take the function's place, or all that is wrong with it.
fn expansion(options: TokenStream, item: TokenStream) -> Result<TokenStream, Vec<Complaint>> {
    let (options, mut complaints) = Options::parse(options);
    match Function::parse(item, &options) {
        Ok(function) if complaints.is_empty() => Ok(expand::expand(&function, &options)),
        Ok(_) => Err(complaints),
        Err(more) => {
            complaints.extend(more);
            Err(complaints)
        }
    }
}
