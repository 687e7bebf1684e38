//! What is written in the parentheses of the attribute.

use crate::complaint::Complaint;
use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Ident, Token};

#[derive(Default)]
pub struct Options {
    /// The number of buckets, an expression of the fields. Always there if there was no complaint.
    pub buckets: Option<Expr>,
    /// Whether to work a bucket out takes long.
    pub costly: bool,
    /// The name of the struct, if it is not that of the function.
    pub name: Option<Ident>,
}

impl Options {
    pub fn parse(tokens: TokenStream) -> (Self, Vec<Complaint>) {
        let (mut options, mut complaints) = (Self::default(), Vec::new());
        let parsed = Parser::parse2(|input: ParseStream<'_>| options.read(input, &mut complaints), tokens);
        if let Err(error) = parsed {
            complaints.push(error.into());
        } else if options.buckets.is_none() && complaints.is_empty() {
            complaints.push(Complaint::missing(
                "the number of buckets is missing: write `#[bucket_function(buckets = …)]`, where … is an expression \
                 of the parameters, such as `2` or `2 * regions`",
            ));
        }
        (options, complaints)
    }

    fn read(&mut self, input: ParseStream<'_>, complaints: &mut Vec<Complaint>) -> syn::Result<()> {
        while !input.is_empty() {
            let option = Ident::parse_any(input)?;
            let is_first = match option.to_string().as_str() {
                "buckets" => {
                    input.parse::<Token![=]>()?;
                    self.buckets.replace(input.parse()?).is_none()
                }
                "costly" => !std::mem::replace(&mut self.costly, true),
                "name" => {
                    input.parse::<Token![=]>()?;
                    self.name.replace(input.parse()?).is_none()
                }
                other => {
                    let message =
                        format!("there is no option `{other}`; there are `buckets = …`, `costly` and `name = …`");
                    complaints.push(Complaint::new(&option, message));
                    skip_value(input)?;
                    true
                }
            };
            if !is_first {
                complaints.push(Complaint::new(&option, format!("`{option}` is there twice")));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    }
}

/// To the next comma.
fn skip_value(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}
