//! What is wrong with the user's code, and where.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// An error in the user's code.
pub struct Complaint {
    /// The tokens that it is about; the attribute itself if there are none.
    pub at: TokenStream,
    pub message: String,
}

impl Complaint {
    pub fn new(at: impl ToTokens, message: impl Into<String>) -> Self {
        Self { at: at.into_token_stream(), message: message.into() }
    }

    /// About something that is not there.
    pub fn missing(message: &str) -> Self {
        Self::new(TokenStream::new(), message)
    }

    fn to_error(&self) -> syn::Error {
        if self.at.is_empty() {
            syn::Error::new(Span::call_site(), &self.message)
        } else {
            syn::Error::new_spanned(&self.at, &self.message)
        }
    }
}

/// Of code that is not Rust.
impl From<syn::Error> for Complaint {
    fn from(error: syn::Error) -> Self {
        Self::new(quote_spanned!(error.span()=> _), error.to_string())
    }
}

/// Has the compiler report them.
pub fn compile_errors(complaints: &[Complaint]) -> TokenStream {
    complaints.iter().map(|complaint| complaint.to_error().to_compile_error()).collect()
}
